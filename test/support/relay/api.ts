import { z } from 'zod/v4';
import { eventDetailSchema, eventSchema } from '../../../relay/http/schemas';
import { subscriptionSchema, type Subscription } from '../../../relay/subscriptions/schema';
import { eventually } from '../eventually';
import type { Relay } from './relay';

type Api = Pick<Relay, 'api'>;

const accepted = z.object({ received: z.literal(true), id: z.string().nullable(), duplicate: z.boolean() });
const listed = z.object({ data: z.array(eventSchema), has_more: z.boolean() });
const created = subscriptionSchema.required({ secret: true });

/** An event of the API. */
export type ApiEvent = z.output<typeof eventSchema>;

/** Posts an event that the relay must accept. */
export async function accept(
	relay: Pick<Relay, 'post'>,
	body: string | object,
	options?: Parameters<Relay['post']>[1],
): Promise<z.output<typeof accepted>> {
	const response = await relay.post(body, options);
	const text = await response.text();
	if (!response.ok) throw new Error(`The relay responded ${response.status}: ${text}`);
	return accepted.parse(JSON.parse(text));
}

/**
 * Posts a body that the relay must keep as an unrecognized request.
 * @returns the ID of its event
 */
export async function acceptUnrecognized(relay: Pick<Relay, 'post'>, body: string, type: string): Promise<string> {
	const response = await relay.post(body, { type });
	expect(response.status).toBe(202);
	return z.object({ id: z.string(), recognized: z.literal(false) }).parse(await response.json()).id;
}

/** Lists events, newest first. */
export async function listEvents(relay: Api, query = ''): Promise<ApiEvent[]> {
	return listed.parse(await (await relay.api('GET', `/v1/events${query}`)).json()).data;
}

/** Reads an event with its deliveries. */
export async function readEvent(relay: Api, id: string): Promise<z.output<typeof eventDetailSchema>> {
	return eventDetailSchema.parse(await (await relay.api('GET', `/v1/events/${id}`)).json());
}

/** Waits until the deliveries of an event are as wanted. */
export async function eventWhere(
	relay: Api,
	id: string,
	isWanted: (event: z.output<typeof eventDetailSchema>) => boolean,
	withinMs?: number,
): Promise<z.output<typeof eventDetailSchema>> {
	return await eventually(
		`the event ${id} to be as wanted`,
		async () => {
			const event = await readEvent(relay, id);
			return isWanted(event) ? event : undefined;
		},
		withinMs,
	);
}

/** Creates a subscription that the relay must accept, for all types unless they are given. */
export async function subscribe(
	relay: Api,
	input: object,
	token?: string,
): Promise<Subscription & { readonly secret: string }> {
	const types = ['sms.inbound', 'whatsapp.inbound', 'message.status', 'wallet.low_balance'];
	const response = await relay.api('POST', '/v1/subscriptions', { types, ...input }, token);
	const text = await response.text();
	if (!response.ok) throw new Error(`The relay responded ${response.status}: ${text}`);
	return created.parse(JSON.parse(text));
}

/** Reads a subscription; undefined if it does not exist. */
export async function readSubscription(relay: Api, id: string): Promise<Subscription | undefined> {
	const response = await relay.api('GET', `/v1/subscriptions/${id}`);
	return response.status === 404 ? undefined : subscriptionSchema.parse(await response.json());
}

/** Creates a token of a kind. */
export async function createToken(relay: Api, kind: 'n8n' | 'zapier' | 'script' | 'admin'): Promise<string> {
	const response = await relay.api('POST', '/v1/tokens', { name: `Token of Kofi (${kind})`, kind });
	return z.object({ token: z.string() }).parse(await response.json()).token;
}
