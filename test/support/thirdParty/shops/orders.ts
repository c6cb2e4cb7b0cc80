/** The part of an order that the tests choose. */
export interface OrderFacts {
	readonly id: number;
	/** The phone as the customer typed it. */
	readonly phone: string;
	readonly name: string;
}

const address = (firstName: string) => ({
	first_name: firstName,
	last_name: 'Mensah',
	company: '',
	address_1: '14 Oxford Street',
	address_2: '',
	city: 'Accra',
	state: 'AA',
	postcode: '',
	country: 'GH',
});

/** The time in WooCommerce's dates, which have no offset. A shop in another time zone has another hour in those without `_gmt`. */
const wooCommerceTime = (date: Date) => date.toISOString().slice(0, 19);

/** How and when the customer of an order paid, and when the shop completed it. */
export interface OrderDates {
	/** Default: now. */
	readonly created?: Date;
	/** Null for an order that is not yet paid. Default: `created`. */
	readonly paid?: Date | null;
	/** Default: `created`, for an order with the status `completed`. */
	readonly completed?: Date;
	/** Such as `cod` for cash on delivery. Default: mobile money. */
	readonly method?: string;
}

/**
 * An order in the body of WooCommerce's webhooks (https://woocommerce.github.io/woocommerce-rest-api-docs/#order-properties).
 * @param status such as `processing`
 */
export function wooCommerceOrder({ id, phone, name }: OrderFacts, status: string, dates: OrderDates = {}) {
	const { created = new Date(), paid = created, completed = created, method = 'mobile_money' } = dates;
	const dated = (key: string, date: Date | null) => {
		// The clock of the shop is eleven hours ahead.
		const local = date && new Date(date.getTime() + 11 * 3_600_000);
		return { [key]: local && wooCommerceTime(local), [`${key}_gmt`]: date && wooCommerceTime(date) };
	};
	return {
		id,
		parent_id: 0,
		number: String(id),
		order_key: `wc_order_${id}`,
		created_via: 'checkout',
		version: '10.2.1',
		status,
		currency: 'GHS',
		...dated('date_created', created),
		...dated('date_modified', new Date()),
		discount_total: '0.00',
		discount_tax: '0.00',
		shipping_total: '20.00',
		shipping_tax: '0.00',
		cart_tax: '0.00',
		total: '320.00',
		total_tax: '0.00',
		prices_include_tax: false,
		customer_id: 0,
		customer_ip_address: '127.0.0.1',
		customer_note: '',
		billing: { ...address(name), email: 'customer@example.com', phone },
		shipping: { ...address(name), phone: '' },
		payment_method: method,
		payment_method_title: method === 'cod' ? 'Cash on delivery' : 'Mobile money',
		transaction_id: '',
		...dated('date_paid', paid),
		...dated('date_completed', status === 'completed' ? completed : null),
		cart_hash: '',
		meta_data: [],
		line_items: [
			{
				id: 1,
				name: 'Bag of rice, 25 kg',
				product_id: 31,
				variation_id: 0,
				quantity: 1,
				tax_class: '',
				subtotal: '300.00',
				subtotal_tax: '0.00',
				total: '300.00',
				total_tax: '0.00',
				taxes: [],
				meta_data: [],
				sku: 'RICE25',
				price: 300,
			},
		],
		tax_lines: [],
		shipping_lines: [],
		fee_lines: [],
		coupon_lines: [],
		refunds: [],
		currency_symbol: 'GH₵',
	};
}

/**
 * An order in the body of Shopify's webhooks (https://shopify.dev/docs/api/admin-rest/2024-07/resources/order).
 * @param change the fields that an event changes
 */
export const shopifyOrder = ({ id, phone, name }: OrderFacts, change: object = {}) => ({
	id: 5_000_000_000_000 + id,
	admin_graphql_api_id: `gid://shopify/Order/${5_000_000_000_000 + id}`,
	app_id: 580_111,
	cancel_reason: null,
	cancelled_at: null,
	confirmed: true,
	contact_email: 'customer@example.com',
	created_at: new Date().toISOString(),
	currency: 'GHS',
	current_total_price: '320.00',
	email: 'customer@example.com',
	financial_status: 'paid',
	fulfillment_status: null,
	name: `#${id}`,
	note: null,
	number: id - 1000,
	order_number: id,
	order_status_url: `https://kofishop.example/orders/${id}`,
	phone: null,
	processed_at: new Date().toISOString(),
	subtotal_price: '300.00',
	tags: '',
	test: false,
	total_price: '320.00',
	updated_at: new Date().toISOString(),
	billing_address: { ...address(name), phone },
	shipping_address: { ...address(name), phone },
	customer: {
		id: 7_000_000_000_001,
		email: 'customer@example.com',
		first_name: name,
		last_name: 'Mensah',
		phone: null,
		currency: 'GHS',
	},
	fulfillments: [],
	line_items: [
		{ id: 1, title: 'Bag of rice, 25 kg', quantity: 1, price: '300.00', sku: 'RICE25', vendor: 'Kofi Shop' },
	],
	refunds: [],
	shipping_lines: [],
	...change,
});
