import { MAX_TRANSACTIONS, type listTransactions } from '../contract/wallet';
import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import { findList, isObject } from '../contract/find';
import type { HttpResponse } from '../transport';
import { parseJson } from './response';
import type { CallOptions } from './call';
import { IncompleteListError, type ServiceError } from './errors';
import { nextPage, type Query } from './nextPage';
import type { Outcome } from './outcome';

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

/** A list that was read over all its pages. */
export interface Listing<Row> {
	readonly rows: readonly Row[];
	/** Why rows are missing: a further page could not be read. Undefined if all were read, or enough. */
	readonly incomplete?: ServiceError;
}

/** How far a list is read. */
export interface ReadAllOptions<Row> extends CallOptions {
	/** Whether the rows so far suffice; asked after each page that others follow, with the rows that it added. */
	readonly enough?: (rows: readonly Row[], added: readonly Row[]) => boolean;
	/** Longest time for all pages together, in milliseconds; unlimited unless given. */
	readonly timeLimitMs?: number;
}

/** Most pages that are read of one list. */
const MOST_PAGES = 1_000;

/** One page as the client reads it; `response` is missing if none came. */
export interface Page<Row> {
	readonly outcome: Outcome<readonly Row[]>;
	readonly response?: HttpResponse;
}

/**
 * Reads a list page by page, as far as the service says that there is more; see `followingPage`. A row that moves to the
 * next page while others arrive is given once. Reading stops at a page that is empty or gives nothing new.
 * @param endpoint the list
 * @param url address of the list
 * @param readPage reads one page by its query, within that many milliseconds
 * @param now the present, in milliseconds from any beginning
 * @returns the failure of the first page as an outcome; of a further page, what was read before and why it is not all
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

/** What makes a row that one: its ID, or all of it if it has none. */
function keyOf(row: unknown): string {
	return isObject(row) && typeof row.id === 'string' ? `id ${row.id}` : JSON.stringify(row);
}

const UNREADABLE = 'the service says that there is more, but the next page cannot be read';
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
