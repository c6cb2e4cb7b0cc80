import { balanceHistory, readNewest, type Outcome } from '../../../../shared';
import type { ListTransactions, Transaction } from './newTransactions';
import { keyOf } from './transactionMemory';

/** Number of rows to search for the mark. */
const SEARCHED = 5000;

/** What the transactions show since the balance was last seen low. */
export interface SinceMark {
	/** Key of the newest transaction: the next mark. */
	readonly newest: string | undefined;
	/** The highest balance since the mark, in currency units; undefined if no transaction shows one. */
	readonly highest: number | undefined;
}

/**
 * Finds the highest balance since a mark. It detects a recovery that no poll saw, between two polls or before a restart
 * of n8n that lost the state of a poll without items.
 * @param mark key of the newest transaction when the balance was last seen low
 * @returns undefined if the transactions cannot be read
 */
export async function sinceMark(list: ListTransactions, mark: string | undefined): Promise<SinceMark | undefined> {
	const indexOf = (rows: readonly Transaction[]) => rows.findIndex((row) => keyOf(row) === mark);
	const { rows, ended } = await readNewest<Transaction>(async (page) => outputOf(await list(page)), {
		most: SEARCHED,
		enough: (read) => mark === undefined || indexOf(read) >= 0,
	});
	if (ended === 'failed') return undefined;
	const [first] = rows;
	const newest = first && keyOf(first);
	const balances = balanceHistory(rows.slice(0, Math.max(0, indexOf(rows))), undefined).map(({ balance }) => balance);
	return { newest, highest: balances.length > 0 ? Math.max(...balances) : undefined };
}

function outputOf<Output>(requested: Outcome<Output>): Output | undefined {
	return requested.outcome === 'accepted' ? requested.output : undefined;
}
