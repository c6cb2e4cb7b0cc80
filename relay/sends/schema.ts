import { z } from 'zod/v4';
import { MOST_ENTRIES } from './bulkInput';
import { IDEMPOTENCY_KEY } from './idempotencyKey';

/** A send with an idempotency key. */
export const sendSchema = z.object({
	id: z.string(),
	state: z.enum(['in_flight', 'accepted', 'unknown']),
	mode: z.enum(['live', 'sandbox']),
	endpoint: z.string().describe('As the contract names it, such as sms.send.'),
	to: z.string().nullable().describe('The recipients. Null once the outcome is known, or if they were erased.'),
	to_end: z.string().nullable().describe('The last digits of the recipient.'),
	erased: z.boolean().describe('Whether a recipient was erased on request.'),
	message_id: z.string().nullable(),
	status: z.number().nullable().describe('Status of the response of the service. Null: there was none.'),
	settled_by: z.enum(['service', 'person']).nullable(),
	created_at: z.string(),
	settled_at: z.string().nullable(),
});

/** See {@link sendSchema}. */
export type Send = z.output<typeof sendSchema>;

/** A list of sends, newest first. */
export const sendListSchema = z.object({ data: z.array(sendSchema), has_more: z.boolean() });

/** See {@link sendListSchema}. */
export type SendList = z.output<typeof sendListSchema>;

/** The query of a list of sends. */
export const sendQuerySchema = z.strictObject({
	state: sendSchema.shape.state.optional(),
	limit: z.coerce.number().int().min(1).max(100).default(50),
	before: z.string().optional().describe('A send ID. The list continues with the send before it.'),
});

/** See {@link sendQuerySchema}. */
export type SendQuery = z.output<typeof sendQuerySchema>;

/** A person says what happened to an unknown send. */
export const settleSchema = z.strictObject({
	outcome: z
		.enum(['arrived', 'send_again'])
		.describe('After arrived, the key stays in use. After send_again, it is free.'),
});

/** See {@link settleSchema}. */
export type Settle = z.output<typeof settleSchema>;

/** The result of settling a send. */
export const settledSchema = z.object({ id: z.string(), outcome: settleSchema.shape.outcome });

/** The field of a bulk send that the relay reads. The service does not see it. */
export const idempotencyKeysSchema = z
	.array(z.string().regex(IDEMPOTENCY_KEY))
	.max(MOST_ENTRIES)
	.describe('A key for each entry of to, all different. The relay leaves out recipients whose key is taken.');

/** The field that the relay adds to the response of a bulk send with keys. */
export const addedSchema = z.object({
	skipped: z
		.array(
			z.object({
				to: z.string(),
				outcome: z.enum(['accepted', 'unknown']).describe('Outcome of the earlier send.'),
				message_id: z.string().nullable(),
				status: z.string().nullable().describe('Status in the response to the earlier send.'),
				batch_id: z.string().nullable(),
			}),
		)
		.describe('Recipients that were left out.'),
});
