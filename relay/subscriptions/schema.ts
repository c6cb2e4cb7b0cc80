import { z } from 'zod/v4';
import { EVENT_TYPES } from '../events/event';
import { filterSchema } from './filter';

/** Several events in one request. */
export const batchSchema = z.strictObject({
	max: z.int().min(1).max(500).describe('Most events in one request.'),
	wait_ms: z.int().min(0).max(60_000).describe('How long events are collected, in milliseconds.'),
});

/** See {@link batchSchema}. */
export type Batch = z.output<typeof batchSchema>;

const url = z.string().trim().min(1).max(2_000);
const label = z.string().trim().max(100);
const types = z.array(z.enum(EVENT_TYPES)).min(1);

/** Creates a subscription, or updates the one with the same identity. */
export const newSubscriptionSchema = z.strictObject({
	url,
	types,
	filter: filterSchema.optional(),
	reference: z
		.string()
		.min(1)
		.max(300)
		.optional()
		.describe('Identifies the subscription for its owner, such as `n8n/<instance>/<workflow>/<node>`.'),
	label: label.optional(),
	batch: batchSchema.nullish(),
	secret: z
		.string()
		.regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'enter whsec_ and 24 to 64 bytes in base64')
		.optional()
		.describe('Signs the deliveries (Standard Webhooks). Default: a random one.'),
});

/** See {@link newSubscriptionSchema}. */
export type NewSubscription = z.output<typeof newSubscriptionSchema>;

/** Changes a subscription. Absent fields stay. */
export const subscriptionChangesSchema = z.strictObject({
	state: z.enum(['active', 'paused']).optional().describe('`paused`: events are kept and not delivered.'),
	url: url.optional(),
	types: types.optional(),
	filter: filterSchema.optional(),
	label: label.nullish(),
	batch: batchSchema.nullish(),
});

/** See {@link subscriptionChangesSchema}. */
export type SubscriptionChanges = z.output<typeof subscriptionChangesSchema>;

/** One attempt to deliver an event. */
export const attemptSchema = z.object({
	at: z.string().describe('ISO 8601.'),
	ms: z.number().describe('Duration in milliseconds.'),
	status: z.number().nullable().describe("The response's status, or null if there was no response."),
	error: z.string().nullable().describe('Why it failed, or null if it did not.'),
});

/** See {@link attemptSchema}. */
export type Attempt = z.output<typeof attemptSchema>;

/** A subscription as the API returns it. */
export const subscriptionSchema = z.object({
	id: z.string(),
	url: z.string(),
	types: z.array(z.string()),
	filter: filterSchema,
	reference: z.string().nullable(),
	label: z.string().nullable(),
	batch: batchSchema.nullable(),
	kind: z.enum(['n8n', 'zapier', 'script', 'admin', 'service', 'callback']),
	state: z
		.enum(['active', 'paused', 'leaving', 'disabled'])
		.describe('`leaving`: deleted by n8n within the last ten minutes, and its events are kept.'),
	reason: z.string().nullable().describe('Why it is not active.'),
	created_at: z.string(),
	updated_at: z.string(),
	token: z.object({ id: z.string(), name: z.string() }).nullable(),
	health: z.object({
		pending: z.number().describe('Events that wait for delivery.'),
		failed: z.number().describe('Events that were given up after all retries. You can replay them.'),
		expired: z
			.number()
			.describe('Events that the relay removed at the end of the retention time while they were pending.'),
		oldest_pending_at: z.string().nullable().describe('Since when the oldest pending event waits.'),
		oldest_expires_at: z
			.string()
			.nullable()
			.describe('When the oldest pending event reaches the end of the retention time and is removed.'),
		failing_since: z.string().nullable().describe('When the receiver began to fail. Null: its last request succeeded.'),
		next_probe_at: z
			.string()
			.nullable()
			.describe(
				'When the relay tries a receiver again that failed five times in a row. All events wait for it. Null: they do not wait.',
			),
		last_success_at: z.string().nullable(),
		last_attempt: attemptSchema.nullable(),
	}),
	secret: z.string().optional().describe('Only in responses that create or update it.'),
});

/** See {@link subscriptionSchema}. */
export type Subscription = z.output<typeof subscriptionSchema>;
