import { MAX_TRANSACTIONS, type wallet } from '../contract/wallet';
import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { findList, isObject } from '../contract/find';
import type { HttpResponse } from '../transport';
import { parseJson } from '../reading/json';
import type { CallOptions } from './connection';
import { IncompleteListError, type ServiceError } from './errors';
import { nextPage, type Query } from './nextPage';
import type { Outcome } from './outcome';

type Transaction = OutputOf<typeof wallet.listTransactions>[number];

/** A wallet transaction, read page by page. */
export interface ListedTransaction {
	readonly transaction: Transaction;
	/**
	 * Whether this row was certainly not given before. Rows with an ID are given once. Without IDs, a row that arrives
	 * during the reading moves others to the next page, where they are given again.
	 */
	readonly unique: boolean;
}

/** Reads one page. */
type ListPage = (input: InputOf<typeof wallet.listTransactions>) => Promise<OutputOf<typeof wallet.listTransactions>>;

const FAR_AWAY = 1_000_000;

/** Number of remembered IDs: far more than the rows that can arrive between two pages. */
const REMEMBERED = 10_000;

/**
 * Reads all wallet transactions (docs/api.md#list-wallet-transactions), newest first, in pages of 100. Nothing is
 * skipped while rows arrive, because they are added in front. Some of the new rows may be given.
 * @param list reads one page
 */
export async function* eachTransaction(list: ListPage): AsyncGenerator<ListedTransaction, void, undefined> {
	const seen = new Set<string>();
	let before = '';
	for (let offset = 0; ;) {
		const page = await list({ limit: MAX_TRANSACTIONS, offset });
		// A short page is not the end: the service may return fewer rows than the limit.
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

/** Two equal pages in a row: either a whole page of rows arrived, or the service ignores the offset. */
async function ignoresOffset(list: ListPage, offset: number, content: string): Promise<boolean> {
	const far = await list({ limit: MAX_TRANSACTIONS, offset: offset + FAR_AWAY });
	return JSON.stringify(far) === content;
}

function remember(seen: Set<string>, id: string): void {
	seen.add(id);
	const [oldest] = seen;
	if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest);
}

/**
 * The rows of all pages of a list.
 * @example if (listing.incomplete) console.warn(listing.incomplete.message);
 */
export interface Listing<Row> {
	readonly rows: readonly Row[];
	/** Why rows are missing, if a further page could not be read. Undefined if all or enough rows were read. */
	readonly incomplete?: ServiceError;
}

/**
 * How far a list is read.
 * @example await client.readAll(contract.contact.list, { enough: (rows) => rows.length >= 100, timeLimitMs: 10_000 });
 */
export interface ReadAllOptions<Row> extends CallOptions {
	/** Whether the rows so far are enough. Called after each page except the last, with the rows that it added. */
	readonly enough?: (rows: readonly Row[], added: readonly Row[]) => boolean;
	/** Time limit for all pages together, in milliseconds. Default: no limit. */
	readonly timeLimitMs?: number;
}

/** Maximum number of pages read of one list. */
const MOST_PAGES = 1_000;

/** One page as the client reads it. `response` is missing if there was none. */
export interface Page<Row> {
	readonly outcome: Outcome<readonly Row[]>;
	readonly response?: HttpResponse;
}

/**
 * Reads a list page by page, as long as the service indicates a next page; see {@link nextPage}. A row that moves to the
 * next page because others arrive is given once. Reading stops at a page that is empty or has no new rows.
 * @param endpoint the list
 * @param url address of the list
 * @param readPage reads one page by its query, within the given number of milliseconds
 * @param now current time, in milliseconds from any start
 * @returns a failed outcome if the first page fails; if a later page fails, the rows before it and the reason
 */
export async function readAll<Row>(
	{ id }: Endpoint,
	url: string,
	readPage: (query: Query, timeLeftMs: number) => Promise<Page<Row>>,
	now: () => number,
	{ enough, timeLimitMs = Number.POSITIVE_INFINITY }: ReadAllOptions<Row>,
): Promise<Outcome<Listing<Row>>> {
	const rows: Row[] = [];
	const known = new Set<string>();
	const ends = now() + timeLimitMs;
	const stop = (incomplete?: ServiceError) => ({ outcome: 'accepted', output: { rows, incomplete } }) as const;
	let listed = 0;
	let query: Query = {};
	for (let pages = 1; ; pages++) {
		const { outcome, response } = await readPage(query, ends - now());
		if (outcome.outcome !== 'accepted') return pages === 1 ? outcome : stop(outcome.error);
		const fresh = outcome.output.filter((row) => !known.has(keyOf(row)));
		for (const row of fresh) known.add(keyOf(row));
		rows.push(...fresh);

		const body = parseJson(response?.body)?.value;
		const pageRows = findList(body)?.length ?? 0;
		listed += pageRows;
		const next = nextPage({ body, linkHeader: response?.headers.link, url, pages, rows: listed, pageRows });
		if (!next || enough?.(rows, fresh)) return stop();
		if (pageRows === 0) return stop(next.sure ? notAll(id, UNREADABLE, UNREADABLE_HINT) : undefined);
		if (fresh.length === 0) return stop(notAll(id, UNREADABLE, UNREADABLE_HINT));
		if (pages >= MOST_PAGES) return stop(notAll(id, 'it has more than 1,000 pages', MANY_HINT));
		if (ends - now() < 1) {
			const seconds = Math.round(timeLimitMs / 1000);
			return stop(notAll(id, `it has more pages than can be read in ${seconds} seconds`, MANY_HINT));
		}
		query = next.query;
	}
}

/** The identity of a row: its ID, or all of it if it has none. */
function keyOf(row: unknown): string {
	return isObject(row) && typeof row.id === 'string' ? `id ${row.id}` : JSON.stringify(row);
}

const UNREADABLE = 'there are more rows, but the next page cannot be read';
const UNREADABLE_HINT = 'Rows on further pages are missing. Ask the service how the pages of this list are read.';
const MANY_HINT = 'Rows on further pages are missing. Ask the service for longer pages.';

const NAMES: Readonly<Record<string, string>> = { 'contact.list': 'contacts', 'senderId.list': 'sender IDs' };

function notAll(endpoint: string, why: string, hint: string): IncompleteListError {
	return new IncompleteListError(`The list of ${NAMES[endpoint] ?? 'rows'} is not complete: ${why}`, {
		endpoint,
		sent: 'no',
		hint,
	});
}
