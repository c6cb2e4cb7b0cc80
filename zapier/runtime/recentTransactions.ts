import { contract, type Client, type OutputOf } from '../../shared';
import { withEventIds } from './eventId';

/** A wallet transaction, with an id that is the same at every poll. */
export type Transaction = OutputOf<typeof contract.wallet.listTransactions>[number] & { readonly id: string };

/** Most rows and longest time, in milliseconds, that a poll spends on reading pages. */
const MOST_ROWS = 5_000;
const READING_MS = 15_000;

/**
 * Reads wallet transactions, newest first, until there is enough. Where rows carry no id of their own only the first
 * page is read: rows move to later pages as new ones arrive, and nothing would tell them apart from new ones.
 * @param enough whether what was read suffices; asked at every 100 rows, so that a poll sees whole pages
 */
export async function recentTransactions(
	client: Client,
	enough: (rows: readonly Transaction[]) => boolean,
): Promise<Transaction[]> {
	const rows: Array<Omit<Transaction, 'id'> & { readonly id?: string | null }> = [];
	const began = performance.now();
	for await (const { transaction, unique } of client.eachTransaction()) {
		rows.push(transaction);
		if (rows.length % 100 !== 0) continue;
		const over = rows.length >= MOST_ROWS || performance.now() - began > READING_MS;
		if (!unique || over || enough(withEventIds(rows))) break;
	}
	return withEventIds(rows);
}
