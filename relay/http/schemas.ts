import { z } from 'zod/v4';
import { EVENT_TYPES } from '../events/event';
import { attemptSchema, subscriptionSchema } from '../subscriptions/schema';
import { filterSchema } from '../subscriptions/filter';

/** What a token is for. `admin` may do everything. */
export const tokenKindSchema = z.enum(['n8n', 'zapier', 'script', 'admin']);

/** See {@link tokenKindSchema}. */
export type TokenKind = z.output<typeof tokenKindSchema>;

/** Creates a token. */
export const newTokenSchema = z.strictObject({ name: z.string().trim().min(1).max(100), kind: tokenKindSchema });

/** See {@link newTokenSchema}. */
export type NewToken = z.output<typeof newTokenSchema>;

/** A token, without its value. */
export const tokenSchema = z.object({
	id: z.string(),
	name: z.string(),
	kind: tokenKindSchema,
	created_at: z.string(),
	last_used_at: z.string().nullable(),
});

/** See {@link tokenSchema}. */
export type Token = z.output<typeof tokenSchema>;

/** An event (see `RelayEvent`). */
export const eventSchema = z.object({
	id: z.string(),
	type: z.string(),
	timestamp: z.string(),
	sequence: z.number(),
	data: z.record(z.string(), z.unknown()),
});

/** How many deliveries of an event are in each state. */
export const deliveryCountsSchema = z.object({
	pending: z.number(),
	delivered: z.number(),
	failed: z.number(),
	canceled: z.number(),
});

/** See {@link deliveryCountsSchema}. */
export type DeliveryCounts = z.output<typeof deliveryCountsSchema>;

/** A list of events, newest first. */
export const eventListSchema = z.object({
	data: z.array(
		eventSchema.extend({
			/** Only if the query asks for it. */
			deliveries: deliveryCountsSchema.optional(),
		}),
	),
	has_more: z.boolean(),
});

/** See {@link eventListSchema}. */
export type EventList = z.output<typeof eventListSchema>;

/** A delivery of one event to one subscription. */
export const deliverySchema = z.object({
	id: z.string(),
	subscription: subscriptionSchema.pick({ id: true, label: true, url: true }),
	state: z.enum(['pending', 'delivered', 'failed', 'canceled']),
	attempts: z.number(),
	replays: z.number(),
	next_attempt_at: z.string().nullable(),
	settled_at: z.string().nullable(),
	tries: z.array(attemptSchema),
});

/** See {@link deliverySchema}. */
export type Delivery = z.output<typeof deliverySchema>;

/** An event with its request and its deliveries. */
export const eventDetailSchema = eventSchema.extend({
	late: z.boolean(),
	copies: z.number(),
	body: z.string(),
	content_type: z.string().nullable(),
	deliveries: z.array(deliverySchema),
});

/** See {@link eventDetailSchema}. */
export type EventDetail = z.output<typeof eventDetailSchema>;

const list = z
	.string()
	.transform((text) => text.split(',').map((entry) => entry.trim()))
	.pipe(z.array(z.string()));

/** The query of a list of events. Lists are separated by commas. */
export const eventQuerySchema = z.strictObject({
	type: list.pipe(z.array(z.enum([...EVENT_TYPES, 'relay.test']))).optional(),
	limit: z.coerce.number().int().min(1).max(100).default(50),
	before: z.string().optional().describe('An event ID. The list continues with the event before it.'),
	q: z.string().trim().max(200).optional().describe('Part of a number, a message ID or an event ID.'),
	statuses: list.pipe(filterSchema.shape.statuses.unwrap()).optional(),
	channels: list.pipe(filterSchema.shape.channels.unwrap()).optional(),
	keywords: list.pipe(filterSchema.shape.keywords.unwrap()).optional(),
	from: list.pipe(filterSchema.shape.from.unwrap()).optional(),
	to: list.pipe(filterSchema.shape.to.unwrap()).optional(),
	opt_outs: filterSchema.shape.opt_outs,
	/** `count`: each event has the number of its deliveries in each state. */
	deliveries: z.literal('count').optional(),
});

/** See {@link eventQuerySchema}. */
export type EventQuery = z.output<typeof eventQuerySchema>;

/** The failed deliveries of a subscription that start again. */
export const replayedSchema = z.object({
	replayed: z.number(),
	/** Whether more have failed. Repeat the request to start them. */
	has_more: z.boolean(),
});

/** See {@link replayedSchema}. */
export type Replayed = z.output<typeof replayedSchema>;

/** The state of one subscription of the relay's own. */
export const forwardSchema = z.object({
	subscription: z.string().describe('The ID of its subscription.'),
	label: z.string(),
	trouble: z
		.enum(['failing', 'paused', 'late', 'failed'])
		.nullable()
		.describe(
			'`failing`: its last request failed. `paused`: by hand. `late`: an event has been pending for ten minutes. `failed`: deliveries were given up.',
		),
	pending: z.number(),
	failed: z.number(),
	oldest_pending_at: z.string().nullable(),
	failing_since: z.string().nullable(),
	last_error: z.string().nullable(),
});

/** See {@link forwardSchema}. */
export type Forward = z.output<typeof forwardSchema>;

/** What the page shows first. */
export const statusSchema = z.object({
	version: z.string(),
	database: z.enum(['folder', 'postgres']),
	public_url: z.string(),
	ingest: z.object({ url: z.string(), sms_url: z.string(), whatsapp_url: z.string() }),
	last_events: z.record(z.string(), z.string().nullable()).describe('When the last event of each type arrived.'),
	events_24h: z.number(),
	unrecognized_messages_24h: z
		.number()
		.describe(
			'Unrecognized requests to the URLs for inbound messages, in the last 24 hours. A STOP may be among them.',
		),
	subscriptions: z.object({ active: z.number(), paused: z.number(), disabled: z.number() }),
	pending: z.number(),
	unknown_sends: z.number().describe('Sends that a person has to settle.'),
	retention_days: z.number(),
	forwarding: z.object({
		enabled: z.boolean().describe('Whether inbound SMS are forwarded to the service.'),
		pending: z.number(),
		failed: z.number(),
		failing_since: z.string().nullable(),
		last_error: z.string().nullable(),
	}),
	forwards: z.array(forwardSchema).describe('Everything that the relay itself forwards, by subscription.'),
});

/** See {@link statusSchema}. */
export type Status = z.output<typeof statusSchema>;

/** Where the caller of the status sees the relay. */
export const statusQuerySchema = z.strictObject({
	address: z
		.url({ protocol: /^https?$/, error: 'enter the address of the relay, such as https://relay.example.com' })
		.max(2_000)
		.optional()
		.describe('The address that you use. It makes the URLs of the response if RELAY_PUBLIC_URL is not set.'),
});

/** Finds the subscription with a reference. */
export const referenceQuerySchema = z.strictObject({
	reference: z.string().optional().describe('Only the subscription with this reference.'),
});

/** The number whose events are erased. */
export const numberQuerySchema = z.strictObject({
	number: z.string().trim().min(1).describe('A number in E.164, such as +233201234567.'),
});

/** The result of erasing a number. */
export const erasedSchema = z.object({
	deleted: z.number().describe('Events that were erased.'),
	sends: z.number().describe('Unknown sends that lost their recipient. Their keys stay in use.'),
});

/** See {@link erasedSchema}. */
export type Erased = z.output<typeof erasedSchema>;

/** Delivers an event once more. */
export const replaySchema = z.strictObject({ subscription: z.string().min(1).describe('The ID of a subscription.') });

/** Your token, and the version of the relay. */
export const meSchema = z.object({
	token: z.object({ id: z.string(), name: z.string(), kind: tokenKindSchema }),
	relay: z.object({ version: z.string() }),
	service_url: z.string().nullable().describe('Where inbound messages are forwarded to. Null: nowhere.'),
	last_event_at: z.string().nullable().describe('When the last event arrived, ISO 8601.'),
});

/** The response to an event at the ingest URL. */
export const receivedSchema = z.object({
	received: z.literal(true),
	id: z.string().nullable().describe('The ID of the event. Null for a receipt that repeats another one.'),
	duplicate: z.boolean().describe('Whether the event arrived before.'),
	recognized: z.literal(false).optional().describe('Only for requests that are not events of the service.'),
	message: z.string().optional().describe('Only for the same: what this means, and what to do.'),
});

/** An error of the API. */
export const errorSchema = z.object({
	error: z.object({
		code: z.string().describe('For programs.'),
		message: z.string().describe('What happened and what to do.'),
		field: z.string().optional().describe('The field at fault.'),
	}),
});
