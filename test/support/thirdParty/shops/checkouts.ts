/** The part of a checkout that the tests choose. */
export interface CheckoutFacts {
	readonly token: string;
	readonly name: string;
	/** The phone as the customer typed it, or null as long as there is none. */
	readonly phone: string | null;
	/** Whether the customer accepted marketing by SMS. */
	readonly acceptsSms: boolean;
	/** The last change. */
	readonly changedAt: Date;
}

/**
 * A checkout in the body of Shopify's webhooks (https://shopify.dev/docs/api/admin-rest/2024-07/resources/abandoned-checkouts).
 */
export const shopifyCheckout = ({ token, name, phone, acceptsSms, changedAt }: CheckoutFacts) => ({
	id: 35_481_578_373_269,
	token,
	cart_token: `c1-${token}`,
	email: 'customer@example.com',
	gateway: null,
	buyer_accepts_marketing: false,
	buyer_accepts_sms_marketing: acceptsSms,
	sms_marketing_phone: acceptsSms ? phone : null,
	created_at: changedAt.toISOString(),
	updated_at: changedAt.toISOString(),
	completed_at: null,
	closed_at: null,
	currency: 'GHS',
	presentment_currency: 'GHS',
	customer_locale: 'en-GH',
	name: '#35481578373269',
	note: '',
	phone: null,
	subtotal_price: '300.00',
	total_price: '320.00',
	taxes_included: false,
	abandoned_checkout_url: `https://kofishop.myshopify.com/68/checkouts/ac/${token}/recover?key=5d41402abc4b2a76&locale=en-GH`,
	billing_address: null,
	shipping_address: {
		first_name: name,
		last_name: 'Mensah',
		address1: '14 Oxford Street',
		city: 'Accra',
		zip: '',
		country: 'Ghana',
		country_code: 'GH',
		phone,
	},
	customer: {
		id: 7_000_000_000_001,
		email: 'customer@example.com',
		first_name: name,
		last_name: 'Mensah',
		phone: null,
	},
	line_items: [{ key: '1', title: 'Bag of rice, 25 kg', quantity: 1, price: '300.00', sku: 'RICE25' }],
	shipping_lines: [],
});
