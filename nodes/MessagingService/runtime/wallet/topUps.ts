import { z } from 'zod/v4';
import type { Transaction } from './newTransactions';

const PENDING = /pending|process|initiat|await/i;
const ENDED = /fail|cancel|expire|declin|abandon|revers/i;

/** Top-ups that are waited for at the same time; older ones are given up. */
const WAITED_FOR = 20;

/** References of top-ups that were seen pending, the oldest first. */
export type PendingTopUps = readonly string[];

/** Reads what was remembered. */
export function readPendingTopUps(stored: unknown): PendingTopUps {
	const { data = [] } = z.array(z.string()).safeParse(stored);
	return data;
}

/** How a transaction stands as a top-up; the interface shows neither its types nor a status. */
export type TopUpStage = 'none' | 'pending' | 'completed' | 'ended';

/** Tells how a transaction stands as a top-up. A record without a status is money that has come. */
export function topUpStage(row: Transaction): TopUpStage {
	const type = row.type ?? '';
	if (!/top[\W_]*up|deposit|recharge|funding/i.test(type)) return 'none';
	const { status } = row;
	return typeof status === 'string' ? stageOf(status) : 'completed';
}

/** Tells how a top-up stands by its status. */
export function stageOf(status: string): Exclude<TopUpStage, 'none'> {
	if (PENDING.test(status)) return 'pending';
	return ENDED.test(status) ? 'ended' : 'completed';
}

/** The reference to ask for a top-up by, where the record has one. */
export function referenceOf(row: Transaction): string | undefined {
	const { data } = z.union([z.string().min(1), z.number().transform(String)]).safeParse(row.reference);
	return data;
}

/** Adds top-ups to those that are waited for, and takes away those that need it no more. */
export function waitFor(before: PendingTopUps, more: readonly string[], done: readonly string[]): PendingTopUps {
	const waiting = [...new Set([...before, ...more])].filter((reference) => !done.includes(reference));
	return waiting.slice(-WAITED_FOR);
}
