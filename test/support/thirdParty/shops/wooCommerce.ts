import { Hono } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import type { Hosts } from '../proxy';
import { deliver, type Registered, signatureOf } from './webhooks';

/** A WooCommerce shop, as n8n's nodes use it (https://woocommerce.github.io/woocommerce-rest-api-docs/#webhooks). */
export interface WooCommerce {
	/** Data for n8n's credential. */
	readonly credential: { readonly url: string; readonly consumerKey: string; readonly consumerSecret: string };
	readonly hosts: Hosts;
	readonly webhooks: () => readonly Registered[];
	/** Sends an event to all webhooks of its topic, with a new delivery ID, as the shop does when an order changes. */
	readonly send: (topic: string, body: object) => Promise<void>;
}

const registration = z.object({ delivery_url: z.url(), topic: z.string(), secret: z.string().min(1) });

/** Opens a shop without webhooks. */
export function openWooCommerce(): WooCommerce {
	const host = 'shop.kofishop.example';
	const credential = { url: `https://${host}`, consumerKey: 'ck_test', consumerSecret: 'cs_test' };
	const webhooks = new Map<number, Registered & { readonly secret: string }>();
	let last = 0;

	const shown = ({ id, topic, address }: Registered) => ({
		id,
		name: `Webhook created on ${new Date().toDateString()}`,
		status: 'active',
		topic,
		resource: topic.split('.')[0],
		event: topic.split('.')[1],
		delivery_url: address,
	});

	const app = new Hono();
	const api = app.basePath('/wp-json/wc/v3');
	api.use(basicAuth({ username: credential.consumerKey, password: credential.consumerSecret }));
	api.get('/webhooks', (c) => c.json([...webhooks.values()].map(shown)));
	api.post('/webhooks', async (c) => {
		const { delivery_url: address, topic, secret } = registration.parse(await c.req.json());
		last += 1;
		const webhook = { id: last, topic, address, secret };
		webhooks.set(last, webhook);
		return c.json(shown(webhook), 201);
	});
	api.delete('/webhooks/:id', (c) => {
		const webhook = webhooks.get(Number(c.req.param('id')));
		if (!webhook) return c.json({ code: 'woocommerce_rest_shop_webhook_invalid_id', message: 'Invalid ID.' }, 404);
		webhooks.delete(webhook.id);
		return c.json(shown(webhook));
	});

	return {
		credential,
		hosts: { [host]: app },
		webhooks: () => [...webhooks.values()],
		async send(topic, event) {
			const body = JSON.stringify(event);
			for (const { id, address, secret } of [...webhooks.values()].filter((one) => one.topic === topic)) {
				const headers = {
					'content-type': 'application/json',
					'user-agent': 'WooCommerce/10.2.1 Hookshot (WordPress/6.8.2)',
					'x-wc-webhook-source': `${credential.url}/`,
					'x-wc-webhook-topic': topic,
					'x-wc-webhook-resource': topic.split('.')[0] ?? '',
					'x-wc-webhook-event': topic.split('.')[1] ?? '',
					'x-wc-webhook-signature': signatureOf(secret, body),
					'x-wc-webhook-id': String(id),
					'x-wc-webhook-delivery-id': randomUUID(),
				};
				await deliver(address, headers, body);
			}
		},
	};
}
