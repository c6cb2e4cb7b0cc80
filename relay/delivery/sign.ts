import { createHmac } from 'node:crypto';

/**
 * Signs a request per Standard Webhooks (https://www.standardwebhooks.com).
 * @param secret `whsec_` and base64
 * @param timestamp in seconds since 1970
 * @returns the value of `webhook-signature`
 */
export function sign(secret: string, id: string, timestamp: number, body: string): string {
	const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
	return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
