import {
	groupRecipients,
	type OutsideHoursFields,
	type PhoneOptions,
	type Recipient,
	type SkippedRecipient,
} from '../../shared';
import type { IdempotencyKeyOf } from './idempotencyKeys';
import { messageInput } from './inputs';

/** A message and its recipients. */
export interface MessageGroup {
	readonly message: string;
	readonly recipients: readonly Recipient[];
	readonly skipped: readonly SkippedRecipient[];
}

/** A line of a step's line items. */
export interface Line {
	readonly to: unknown;
	readonly message: string;
}

/**
 * Groups lines with the same message, to send them in one request.
 * @param excludedNumbers numbers in E.164
 */
export function readMessageGroups(
	lines: readonly Line[],
	options: PhoneOptions,
	excludedNumbers: ReadonlySet<string>,
): readonly MessageGroup[] {
	const given = lines.map(({ to, message }, source) => ({ text: message, numbers: { value: to, source } }));
	const groups = groupRecipients(given, (message) => message, options, excludedNumbers);
	return groups.map(({ text: message, ...read }) => ({ message, ...read }));
}

/** Skips all recipients outside the Sending Hours. */
export function skipAll(
	groups: readonly MessageGroup[],
	{ reason, message }: OutsideHoursFields,
): readonly MessageGroup[] {
	return groups.map(({ recipients, skipped, ...group }) => ({
		...group,
		recipients: [],
		skipped: [...skipped, ...recipients.map((one) => ({ ...one, reason, message }))],
	}));
}

/**
 * Reads the lines of line items. Zapier passes them as a list under the parent's key. If no line item field is mapped,
 * it passes the fields of the only line beside the step's other fields.
 * @param inputData of a step whose lines are `lines`, with the fields `line_to` and `line_message`
 */
export function readLines({ lines, line_to, line_message }: Readonly<Record<string, unknown>>): Line[] {
	if (Array.isArray(lines)) return lines.map(readLine);
	return [line_to, line_message].every((value) => value === undefined) ? [] : [readLine({ line_to, line_message })];
}

function readLine(line: unknown): Line {
	const fields: { line_to?: unknown; line_message?: unknown } = typeof line === 'object' && line !== null ? line : {};
	return { to: fields.line_to, message: messageInput(fields.line_message) };
}

/**
 * Makes an idempotency key for each recipient from its number. A number that gets several messages in one step has a key
 * for each, by their order, so that a changed message is rejected instead of sent as a new one.
 */
export async function recipientKeys(
	groups: readonly MessageGroup[],
	keyOf: IdempotencyKeyOf,
): Promise<ReadonlyMap<Recipient, string>> {
	const counts = new Map<string, number>();
	const keys = new Map<Recipient, string>();
	for (const recipient of groups.flatMap(({ recipients }) => recipients)) {
		const { to } = recipient;
		const count = (counts.get(to) ?? 0) + 1;
		counts.set(to, count);
		keys.set(recipient, await keyOf(to, count));
	}
	return keys;
}
