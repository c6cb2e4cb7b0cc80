import { z } from 'zod/v4';
import { topUpStage, type WalletRow } from '../../../../shared';
import { keyOf } from './transactionMemory';

/** Maximum number of pending top-ups to watch. Older ones are dropped. */
const MAX_PENDING = 20;

/** Number of references of completed top-ups to keep. */
const MAX_COMPLETED = 100;

const memory = z.object({
	/** Top-ups that were pending, the oldest first, each with the key of its row. */
	waiting: z.array(z.object({ key: z.string(), reference: z.string().optional() })),
	/** References of top-ups that were returned as completed, the oldest first. */
	completed: z.array(z.string()),
});

/** The state of top-ups between polls, in n8n's static data. */
export type TopUpMemory = z.output<typeof memory>;

/** A pending top-up. */
export type WaitingTopUp = TopUpMemory['waiting'][number];

/** Reads the stored state. */
export function readTopUpMemory(stored: unknown): TopUpMemory {
	return memory.safeParse(stored).data ?? { waiting: [], completed: [] };
}

/** The reference of a top-up, if the row has one. */
export function referenceOf(row: WalletRow): string | undefined {
	const { data } = z.union([z.string().min(1), z.number().transform(String)]).safeParse(row.reference);
	return data;
}

/** Finds the top-ups whose status may still change. */
export function pendingAmong(rows: readonly WalletRow[]): WaitingTopUp[] {
	return rows
		.filter((row) => ['pending', 'unknown'].includes(topUpStage(row)))
		.map((row) => ({ key: keyOf(row), reference: referenceOf(row) }));
}

/**
 * Adds pending top-ups to the state and removes those that ended.
 * @param completed references of the top-ups that were returned as completed
 */
export function trackTopUps(
	before: TopUpMemory,
	more: readonly WaitingTopUp[],
	ended: (waiting: WaitingTopUp) => boolean,
	completed: readonly string[],
): TopUpMemory {
	const known = new Set(before.waiting.map(({ key }) => key));
	const waiting = [...before.waiting, ...more.filter(({ key }) => !known.has(key))].filter((topUp) => !ended(topUp));
	return {
		waiting: waiting.slice(-MAX_PENDING),
		completed: [...new Set([...before.completed, ...completed])].slice(-MAX_COMPLETED),
	};
}
