import { z } from 'zod/v4';
import { newSubscriptionSchema, subscriptionChangesSchema, subscriptionSchema } from '../subscriptions/schema';
import { sendListSchema, sendQuerySchema, sendSchema, settledSchema, settleSchema } from '../sends/schema';
import * as examples from './examples';
import {
	erasedSchema,
	eventDetailSchema,
	eventQuerySchema,
	eventSchema,
	meSchema,
	newTokenSchema,
	numberQuerySchema,
	receivedSchema,
	referenceQuerySchema,
	replayedSchema,
	replaySchema,
	statusQuerySchema,
	statusSchema,
	tokenSchema,
} from './schemas';

/** A response of a route. */
export interface RouteResponse {
	readonly description: string;
	readonly schema?: z.ZodType;
	readonly example?: unknown;
	/** Default: `application/json`, if there is a schema. */
	readonly type?: string;
}

/** A route of the HTTP API, as its description has it. */
export interface Route {
	readonly method: 'get' | 'post' | 'patch' | 'delete';
	/** With parameters such as `{id}`. */
	readonly path: string;
	readonly summary: string;
	/** The tokens that may call it. */
	readonly access: 'public' | 'token' | 'admin';
	readonly query?: z.ZodType;
	readonly body?: { readonly schema: z.ZodType; readonly example: unknown };
	/** Whether it takes any body of the service or a gateway. */
	readonly isIngest?: boolean;
	readonly responses: Readonly<Record<string, RouteResponse>>;
	/** Statuses of errors, beside those that all routes have. */
	readonly errors?: readonly number[];
}

const page = z.object({ data: z.array(eventSchema), has_more: z.boolean() });
const accepted = z.object({ accepted: z.literal(true) });
const withId = z.object({ id: z.string() });
const health = z.object({ status: z.string() });
const newToken = tokenSchema.extend({ token: z.string().describe('The token. It is not shown again.') });
const created = { description: 'Created', schema: subscriptionSchema, example: examples.subscription };
const updated = { ...created, description: 'Updated, because it existed' };
const ended = { description: 'Done, also if it does not exist' };
const stored = { description: 'The event is on disk', schema: receivedSchema, example: examples.received };
const unrecognized = { ...stored, description: 'The request is kept as unrecognized', example: examples.unrecognized };

const ingest = (path: string, summary: string): Route => ({
	method: 'post',
	path,
	summary,
	access: 'public',
	isIngest: true,
	responses: { 200: stored, 202: unrecognized },
	errors: [400, 404, 413, 415],
});

/** All routes, except the page of the relay. */
export const ROUTES: readonly Route[] = [
	ingest('/in/{secret}', 'Receive an event'),
	ingest('/in/{secret}/sms', 'Receive an event, with messages as SMS'),
	ingest('/in/{secret}/whatsapp', 'Receive an event, with messages as WhatsApp messages'),
	{
		method: 'get',
		path: '/v1/me',
		summary: 'Your token, and the version of the relay',
		access: 'token',
		responses: { 200: { description: 'The token and the relay', schema: meSchema, example: examples.me } },
	},
	{
		method: 'get',
		path: '/v1/subscriptions',
		summary: 'List your subscriptions, or all with an admin token',
		access: 'token',
		query: referenceQuerySchema,
		responses: {
			200: {
				description: 'The subscriptions',
				schema: z.object({ data: z.array(subscriptionSchema) }),
				example: { data: [examples.subscription] },
			},
		},
		errors: [422],
	},
	{
		method: 'post',
		path: '/v1/subscriptions',
		summary: 'Create a subscription, or update the one with the same reference or content',
		access: 'token',
		body: { schema: newSubscriptionSchema, example: examples.newSubscription },
		responses: { 200: updated, 201: created },
		errors: [409, 413, 415, 422],
	},
	{
		method: 'get',
		path: '/v1/subscriptions/{id}',
		summary: 'Read a subscription with its health',
		access: 'token',
		responses: { 200: { ...created, description: 'The subscription' } },
		errors: [404],
	},
	{
		method: 'patch',
		path: '/v1/subscriptions/{id}',
		summary: 'Change, pause or activate a subscription',
		access: 'token',
		body: { schema: subscriptionChangesSchema, example: { state: 'paused' } },
		responses: { 200: { ...created, description: 'The subscription' } },
		errors: [404, 409, 413, 415, 422],
	},
	{
		method: 'delete',
		path: '/v1/subscriptions/{id}',
		summary: 'Delete a subscription',
		access: 'token',
		responses: { 204: ended },
		errors: [422],
	},
	{
		method: 'post',
		path: '/v1/subscriptions/{id}/test',
		summary: 'Deliver a test event to a subscription',
		access: 'token',
		responses: { 202: { description: 'The test event', schema: withId, example: { id: examples.event.id } } },
		errors: [404],
	},
	{
		method: 'get',
		path: '/v1/events',
		summary: 'List events, newest first',
		access: 'token',
		query: eventQuerySchema,
		responses: {
			200: { description: 'The events', schema: page, example: { data: [examples.event], has_more: false } },
		},
		errors: [422],
	},
	{
		method: 'delete',
		path: '/v1/events',
		summary: 'Erase all events from or to a number, and the number in unknown sends',
		access: 'admin',
		query: numberQuerySchema,
		responses: {
			200: {
				description: 'How many were erased',
				schema: erasedSchema,
				example: { deleted: 2, sends: 1 },
			},
		},
		errors: [422],
	},
	{
		method: 'get',
		path: '/v1/events/{id}',
		summary: 'Read an event with its request and the deliveries to your subscriptions',
		access: 'token',
		responses: { 200: { description: 'The event', schema: eventDetailSchema, example: examples.eventDetail } },
		errors: [404],
	},
	{
		method: 'post',
		path: '/v1/events/{id}/replay',
		summary: 'Deliver an event to one subscription once more',
		access: 'admin',
		body: { schema: replaySchema, example: { subscription: examples.subscription.id } },
		responses: { 202: { description: 'It will be delivered', schema: accepted, example: { accepted: true } } },
		errors: [404, 413, 415, 422],
	},
	{
		method: 'post',
		path: '/v1/subscriptions/{id}/replay-failed',
		summary: 'Deliver the failed events of a subscription once more',
		access: 'admin',
		responses: {
			202: {
				description: 'They will be delivered',
				schema: replayedSchema,
				example: { replayed: 12, has_more: false },
			},
		},
		errors: [404],
	},
	{
		method: 'post',
		path: '/v1/deliveries/{id}/retry',
		summary: 'Attempt a pending or failed delivery to your subscription once more',
		access: 'token',
		responses: { 202: { description: 'It will be attempted', schema: accepted, example: { accepted: true } } },
		errors: [403, 404],
	},
	{
		method: 'get',
		path: '/v1/sends',
		summary: 'List sends with an idempotency key, newest first',
		access: 'admin',
		query: sendQuerySchema,
		responses: {
			200: {
				description: 'The sends',
				schema: sendListSchema,
				example: { data: [examples.send], has_more: false },
			},
		},
		errors: [422],
	},
	{
		method: 'get',
		path: '/v1/sends/{id}',
		summary: 'Read a send',
		access: 'admin',
		responses: { 200: { description: 'The send', schema: sendSchema, example: examples.send } },
		errors: [404],
	},
	{
		method: 'post',
		path: '/v1/sends/{id}/settle',
		summary: 'Settle a send whose outcome is unknown',
		access: 'admin',
		body: { schema: settleSchema, example: { outcome: 'arrived' } },
		responses: {
			200: {
				description: 'It is settled',
				schema: settledSchema,
				example: { id: examples.send.id, outcome: 'arrived' },
			},
		},
		errors: [404, 409, 413, 415, 422],
	},
	{
		method: 'get',
		path: '/v1/status',
		summary: 'Read what the page of the relay shows first',
		access: 'admin',
		query: statusQuerySchema,
		errors: [422],
		responses: { 200: { description: 'The status', schema: statusSchema, example: examples.status } },
	},
	{
		method: 'get',
		path: '/v1/stream',
		summary: 'Watch which lists change, as server-sent events',
		access: 'admin',
		responses: { 200: { description: 'The events', schema: z.string(), type: 'text/event-stream' } },
	},
	{
		method: 'get',
		path: '/v1/tokens',
		summary: 'List the tokens, without their values',
		access: 'admin',
		responses: {
			200: {
				description: 'The tokens',
				schema: z.object({ data: z.array(tokenSchema) }),
				example: { data: [examples.token] },
			},
		},
	},
	{
		method: 'post',
		path: '/v1/tokens',
		summary: 'Create a token',
		access: 'admin',
		body: { schema: newTokenSchema, example: { name: 'Zapier of Ama', kind: 'zapier' } },
		responses: {
			201: { description: 'The token', schema: newToken, example: { ...examples.token, token: 'rly_...' } },
		},
		errors: [413, 415, 422],
	},
	{
		method: 'delete',
		path: '/v1/tokens/{id}',
		summary: 'Revoke a token, and end its subscriptions',
		access: 'admin',
		responses: { 204: { description: 'Revoked' } },
		errors: [404, 422],
	},
	{
		method: 'get',
		path: '/metrics',
		summary: 'Read metrics as Prometheus text',
		access: 'token',
		responses: { 200: { description: 'The metrics', schema: z.string(), type: 'text/plain' } },
	},
	{
		method: 'get',
		path: '/healthz',
		summary: 'Whether the process runs',
		access: 'public',
		responses: { 200: { description: 'It runs', schema: health, example: { status: 'ok' } } },
	},
	{
		method: 'get',
		path: '/readyz',
		summary: 'Whether the database responds',
		access: 'public',
		responses: {
			200: { description: 'It responds', schema: health, example: { status: 'ready' } },
			503: { description: 'It does not respond', schema: health, example: { status: 'not ready' } },
		},
	},
	{
		method: 'get',
		path: '/openapi.json',
		summary: 'This description',
		access: 'public',
		responses: { 200: { description: 'OpenAPI 3.1', schema: z.record(z.string(), z.unknown()) } },
	},
];
