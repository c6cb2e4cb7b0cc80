import { createHmac } from 'node:crypto';

/** A webhook that a program registered at a shop. */
export interface Registered {
	readonly id: number;
	/** The event, in the shop's own word. */
	readonly topic: string;
	/** The address that the shop calls. */
	readonly address: string;
}

/** The signature of WooCommerce and Shopify: HMAC-SHA256 over the bytes of the body, in Base64. */
export const signatureOf = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('base64');

/**
 * Calls the registered address.
 * @throws Error unless the response is a 2xx
 */
export async function deliver(address: string, headers: Readonly<Record<string, string>>, body: string): Promise<void> {
	const response = await fetch(address, { method: 'POST', headers: { ...headers }, body });
	if (!response.ok) throw new Error(`The webhook got ${response.status}: ${await response.text()}`);
}
