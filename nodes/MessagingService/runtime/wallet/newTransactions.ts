import { z } from 'zod/v4';
import type { Contract, Outcome, OutputOf, ServiceError } from '../../../../shared';
import { fingerprint } from '../fingerprint';

/** A wallet transaction as the client gives it. */
export type Transaction = OutputOf<Contract['wallet']['listTransactions']>[number];

/** Reads a page of transactions, the newest first. */
export type ListTransactions = (input: { limit: number; offset: number }) => Promise<Outcome<readonly Transaction[]>>;

/** Rows that a call gives at most (service.md, Limits). */
const PAGE = 100;

/** Transactions that are remembered; more than stand on the page where reading ends. */
const REMEMBERED = 300;

/** Rows that one poll reads at most: 500 calls, some 50 MB. */
const MOST = 50_000;

const FAR_AWAY = 1_000_000;

/** What is remembered of the transactions between polls, in n8n's static data: keys of the newest, the newest first. */
export type TransactionState = readonly string[];

/** Reads what was remembered; nothing where it cannot be read. */
export function readTransactionState(stored: unknown): TransactionState | undefined {
	const { data } = z.array(z.string()).safeParse(stored);
	return data;
}

/** What a look at the transactions brought. */
export type Look =
	/** Not known before, the oldest first. */
	| { readonly kind: 'new'; readonly rows: readonly Transaction[] }
	/** Nothing to compare with: the first look, or none of the known ones is left. */
	| { readonly kind: 'beginning'; readonly rows: readonly Transaction[]; readonly known: boolean }
	| { readonly kind: 'too_many' }
	| { readonly kind: 'failed'; readonly error: ServiceError };

/**
 * Reads transactions until one is met that is known. Nothing is skipped while rows arrive: they come in front and move
 * the others back, so that some are only seen twice. The page on which reading ends is read whole, for rows that were
 * entered late.
 */
export async function lookForNew(list: ListTransactions, state: TransactionState | undefined): Promise<Look> {
	const known = new Set(state);
	const found = new Map<string, Transaction>();
	let newest: readonly Transaction[] | undefined;
	let before: string | undefined;
	for (let offset = 0; ; ) {
		const asked = await list({ limit: PAGE, offset });
		if (asked.outcome !== 'accepted') return { kind: 'failed', error: asked.error };
		const page = asked.output;
		newest ??= page;
		if (state === undefined) return { kind: 'beginning', rows: newest, known: false };
		if (page.length === 0) break;
		const content = contentOf(page);
		if (content === before) {
			// Either as many rows arrived as a page has, or the service pays no heed to the offset and shows no more.
			const far = await list({ limit: PAGE, offset: offset + FAR_AWAY });
			if (far.outcome !== 'accepted') return { kind: 'failed', error: far.error };
			if (contentOf(far.output) === content) return { kind: 'new', rows: [...found.values()].reverse() };
		}
		before = content;
		offset += page.length;
		for (const row of page) found.set(keyOf(row), row);
		const met = page.some((row) => known.has(keyOf(row)));
		if (met)
			return {
				kind: 'new',
				rows: [...found]
					.filter(([key]) => !known.has(key))
					.map(valueOf)
					.reverse(),
			};
		if (found.size > MOST) return { kind: 'too_many' };
	}
	if (known.size > 0) return { kind: 'beginning', rows: newest, known: true };
	return { kind: 'new', rows: [...found.values()].reverse() };
}

function contentOf(page: readonly Transaction[]): string {
	return fingerprint(...page.map(keyOf));
}

function valueOf([, row]: readonly [string, Transaction]): Transaction {
	return row;
}

/** Adds rows to what is remembered. @param rows the oldest first */
export function remember(state: TransactionState, rows: readonly Transaction[]): TransactionState {
	const keys = rows.map(keyOf).reverse();
	return [...new Set([...keys, ...state])].slice(0, REMEMBERED);
}

/** What makes a transaction that one: its id, or all of it where it has none. */
export function keyOf(row: Transaction): string {
	return typeof row.id === 'string' ? fingerprint('id', row.id) : fingerprint('row', JSON.stringify(row));
}
