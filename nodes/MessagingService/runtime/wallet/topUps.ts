import { z } from 'zod/v4';
import { topUpStage, type WalletRow } from '../../../../shared';
import { keyOf } from './transactionMemory';

/** Top-ups that are waited for at the same time; older ones are given up. */
const WAITED_FOR = 20;

/** References of completed top-ups that are remembered. */
const COMPLETED = 100;

const memory = z.object({
	/** Top-ups that were seen pending, the oldest first, each by the key of its row. */
	waiting: z.array(z.object({ key: z.string(), reference: z.string().optional() })),
	/** References of those that were given as completed, the oldest first. */
	completed: z.array(z.string()),
});

/** What is remembered of top-ups between polls, in n8n's static data. */
export type TopUpMemory = z.output<typeof memory>;

/** A top-up that was seen pending. */
export type WaitingTopUp = TopUpMemory['waiting'][number];

/** Reads what was remembered. */
export function readTopUpMemory(stored: unknown): TopUpMemory {
	return memory.safeParse(stored).data ?? { waiting: [], completed: [] };
}

/** The reference to ask for a top-up by, if the record has one. */
export function referenceOf(row: WalletRow): string | undefined {
	const { data } = z.union([z.string().min(1), z.number().transform(String)]).safeParse(row.reference);
	return data;
}

/** The top-ups among some rows that are to be waited for: what their status says may still change. */
export function pendingAmong(rows: readonly WalletRow[]): WaitingTopUp[] {
	return rows
		.filter((row) => ['pending', 'unknown'].includes(topUpStage(row)))
		.map((row) => ({ key: keyOf(row), reference: referenceOf(row) }));
}

/**
 * Adds top-ups to those that are waited for, and takes away those that ended.
 * @param completed references of the top-ups that were given as completed
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
		waiting: waiting.slice(-WAITED_FOR),
		completed: [...new Set([...before.completed, ...completed])].slice(-COMPLETED),
	};
}
