import { MAX_TRANSACTIONS, type listTransactions } from '../contract/wallet';
import type { InputOf, OutputOf } from '../contract/endpoint';

type Transaction = OutputOf<typeof listTransactions>[number];

/** A wallet transaction, read page by page. */
export interface ListedTransaction {
	readonly transaction: Transaction;
	/**
	 * Whether it is certain that this row was not given before. Rows that carry an id are given once; without one, a
	 * row that arrives while pages are read moves others to the next page, where they are given again.
	 */
	readonly unique: boolean;
}

/** Reads one page. */
type ListPage = (input: InputOf<typeof listTransactions>) => Promise<OutputOf<typeof listTransactions>>;

const FAR_AWAY = 1_000_000;

/** Ids that are remembered; rows move by as many places as new ones arrive between two pages, which is far less. */
const REMEMBERED = 10_000;

/**
 * Reads all wallet transactions, newest first, in pages of 100. Nothing is skipped while rows arrive: they come in
 * front and move the others back. Of those that arrive meanwhile some may be given.
 * @param list reads one page
 */
export async function* eachTransaction(list: ListPage): AsyncGenerator<ListedTransaction, void, undefined> {
	const seen = new Set<string>();
	let before = '';
	for (let offset = 0; ; ) {
		const page = await list({ limit: MAX_TRANSACTIONS, offset });
		// A short page is not the end: the service may give fewer rows than it is asked for.
		if (page.length === 0) return;
		const content = JSON.stringify(page);
		if (content === before && (await ignoresOffset(list, offset, content))) return;
		before = content;
		offset += page.length;
		for (const transaction of page) {
			const { id } = transaction;
			if (typeof id !== 'string') yield { transaction, unique: false };
			else if (!seen.has(id)) {
				remember(seen, id);
				yield { transaction, unique: true };
			}
		}
	}
}

/** The same page twice: either as many rows arrived as a page has, or the service pays no heed to the offset. */
async function ignoresOffset(list: ListPage, offset: number, content: string): Promise<boolean> {
	const far = await list({ limit: MAX_TRANSACTIONS, offset: offset + FAR_AWAY });
	return JSON.stringify(far) === content;
}

function remember(seen: Set<string>, id: string): void {
	seen.add(id);
	const [oldest] = seen;
	if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
}
