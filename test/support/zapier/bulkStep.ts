import { z } from 'zod/v4';

/** Sender ID and message of the tests' bulk sends. */
export const sender_id = 'KOFISHOP';
export const message = 'We are open on Boxing Day.';

/** Distinct mobile numbers of Ghana. */
export const numbers = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => `+23320${String(1_234_500 + index).padStart(7, '0')}`);

/** Inputs of Send Bulk SMS for one message to a list. */
export const toList = (to: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
	sender_id,
	message,
	recipients_from: 'list',
	to,
	...more,
});

/** Inputs of Send Bulk SMS for line items. */
export const toLines = (lines: unknown, more: Readonly<Record<string, unknown>> = {}) => ({
	sender_id,
	recipients_from: 'line_items',
	lines,
	...more,
});

/** Output of Send Bulk SMS. */
export const bulkOutput = z.looseObject({
	outcome: z.string(),
	total: z.number(),
	accepted: z.number(),
	rejected: z.number(),
	unknown: z.number(),
	not_attempted: z.number(),
	skipped: z.number(),
	requests: z.number(),
	unknown_numbers: z.array(z.string()),
	numbers_to_send_again: z.array(z.string()),
	lines_to_send_again: z.array(z.strictObject({ to: z.string(), message: z.string() })),
	rows_left_out: z.number(),
	already_sent: z.boolean(),
	results: z.array(
		z.looseObject({ to: z.string(), outcome: z.string(), reason: z.string().nullable(), line: z.number() }),
	),
});

/** A parsed {@link bulkOutput}. */
export type BulkOutput = z.output<typeof bulkOutput>;
