import type { NodeSettings, Row } from './n8nQueue';

/** A recipient of a campaign. */
export interface Person {
	readonly to: string;
	readonly message: string;
	readonly key: string;
}

/**
 * Creates recipients that no other campaign has.
 * @param campaign two digits of their numbers
 */
export function recipients(campaign: number, count: number): Person[] {
	return Array.from({ length: count }, (_, index) => ({
		to: `+23320${String(campaign).padStart(2, '0')}${String(index).padStart(5, '0')}`,
		message: `Campaign ${campaign}`,
		key: `campaign-${campaign}-${index}`,
	}));
}

/** SMS > Send, or another operation with the same fields, for the items of a campaign. */
export function sending(
	operation: 'send' | 'sendBulk',
	options: Readonly<Record<string, unknown>>,
	settings: Omit<NodeSettings, 'parameters'> = {},
): NodeSettings {
	return {
		...settings,
		parameters: {
			resource: 'sms',
			operation,
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.to }}',
			message: '={{ $json.message }}',
			options,
		},
	};
}

/** The option Send Once Key, from the item. */
export const withKey = { sendOnceKey: '={{ $json.key }}' };

/** Counts the messages to each number. */
export function countMessages(messages: readonly { readonly to: string }[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { to } of messages) counts.set(to, (counts.get(to) ?? 0) + 1);
	return counts;
}

/** Counts the rows of each outcome. */
export function countOutcomes(rows: readonly Row[] | undefined): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const row of rows ?? []) {
		const outcome = outcomeOf(row);
		counts[outcome] = (counts[outcome] ?? 0) + 1;
	}
	return counts;
}

/** The outcome of a row. The rows of an error output have it in their details. */
export function outcomeOf(row: Row): string {
	return String(row.outcome ?? (Object(row.details) as Row).outcome);
}
