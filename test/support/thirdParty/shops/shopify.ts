import { Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import type { Hosts } from '../proxy';
import { deliver, type Registered, signatureOf } from './webhooks';

/** A Shopify shop, as n8n's nodes use it (https://shopify.dev/docs/api/admin-rest/latest/resources/webhook). */
export interface Shopify {
	/** Data for n8n's credential with an access token. */
	readonly credential: { readonly shopSubdomain: string; readonly accessToken: string; readonly appSecretKey: string };
	readonly hosts: Hosts;
	readonly webhooks: () => readonly Registered[];
	/** Puts an order into the shop, without an event. */
	readonly addOrder: (order: ListedOrder) => void;
	/** Fails the next requests for a list of orders, as an overloaded shop does. */
	readonly rejectLists: (times: number) => void;
	/** Sends an event to all webhooks of its topic, with a new webhook ID, as the shop does when an order changes. */
	readonly send: (topic: string, body: object) => Promise<void>;
}

/** The fields of an order that the shop's list filters by. */
export interface ListedOrder {
	readonly id: number;
	/** The checkout from which the order came. */
	readonly checkout_token: string | null;
	readonly created_at: string;
}

const VERSION = '2024-07';
const registration = z.object({
	webhook: z.object({ topic: z.string(), address: z.url(), format: z.literal('json') }),
});

/** Opens a shop without webhooks. */
export function openShopify(): Shopify {
	const credential = { shopSubdomain: 'kofishop', accessToken: 'shpat_test', appSecretKey: 'shpss_test' };
	const domain = `${credential.shopSubdomain}.myshopify.com`;
	const webhooks = new Map<number, Registered>();
	const orders: ListedOrder[] = [];
	let last = 901_431_826;
	let rejections = 0;

	const shown = (webhook: Registered) => ({ ...webhook, format: 'json', api_version: VERSION });

	const app = new Hono();
	app.use(async (c, next) => {
		if (c.req.header('x-shopify-access-token') === credential.accessToken) {
			await next();
			return undefined;
		}
		return c.json({ errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' }, 401);
	});
	// The paths as n8n's trigger writes them: with two slashes, and without the ending for the list.
	app.get(`/admin/api/${VERSION}//webhooks`, (c) => {
		const topic = c.req.query('topic');
		const found = [...webhooks.values()].filter((webhook) => topic === undefined || webhook.topic === topic);
		return c.json({ webhooks: found.map(shown) });
	});
	app.post(`/admin/api/${VERSION}//webhooks.json`, async (c) => {
		const { topic, address } = registration.parse(await c.req.json()).webhook;
		last += 1;
		webhooks.set(last, { id: last, topic, address });
		return c.json({ webhook: shown({ id: last, topic, address }) }, 201);
	});
	app.delete(`/admin/api/${VERSION}//webhooks/:file`, (c) => {
		const known = webhooks.delete(Number(c.req.param('file').replace('.json', '')));
		return known ? c.json({}) : c.json({ errors: 'Not Found' }, 404);
	});
	// The list shows open orders unless it is asked for any, 50 unless it is asked for up to 250, newest first.
	app.get(`/admin/api/${VERSION}//orders.json`, (c) => {
		if (rejections > 0) {
			rejections -= 1;
			return c.json({ errors: 'Exceeded 2 calls per second for api client.' }, 429);
		}
		const { created_at_min: from = '1970-01-01', fields = '', limit = '50', status } = c.req.query();
		if (status !== 'any') throw new Error(`The stand-in has no list of orders with the status ${status}`);
		const found = orders.filter((order) => Date.parse(order.created_at) >= Date.parse(from));
		const asked = fields.split(',');
		const listed = found.toReversed().slice(0, Number(limit));
		return c.json({
			orders: listed.map((order) => Object.fromEntries(Object.entries(order).filter(([key]) => asked.includes(key)))),
		});
	});

	return {
		credential,
		rejectLists: (times) => {
			rejections = times;
		},
		addOrder: (order) => void orders.push(order),
		hosts: { [domain]: app },
		webhooks: () => [...webhooks.values()],
		async send(topic, event) {
			const body = JSON.stringify(event);
			for (const { address } of [...webhooks.values()].filter((one) => one.topic === topic)) {
				const headers = {
					'content-type': 'application/json',
					'x-shopify-topic': topic,
					'x-shopify-hmac-sha256': signatureOf(credential.appSecretKey, body),
					'x-shopify-shop-domain': domain,
					'x-shopify-api-version': VERSION,
					'x-shopify-webhook-id': randomUUID(),
					'x-shopify-event-id': randomUUID(),
					'x-shopify-triggered-at': new Date().toISOString(),
				};
				await deliver(address, headers, body);
			}
		},
	};
}
