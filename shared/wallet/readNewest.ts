import { MAX_TRANSACTIONS } from '../contract/wallet';
import { listOrder, type ListOrder } from './listOrder';
import { joinPage, samePage } from './joinPages';
import { hasId, type WalletRow } from './walletRow';

/** Reads one page. Returns undefined if the call failed; the caller keeps the reason. */
export type ReadPage<Row extends WalletRow> = (input: {
	readonly limit: number;
	readonly offset: number;
}) => Promise<readonly Row[] | undefined>;

/** How the newest transactions are read. */
export interface ReadOptions<Row extends WalletRow> {
	/** Number of rows after which reading ends. Pages are always complete. */
	readonly most: number;
	/** Whether the rows are enough. Called after each page, or after each set of pages that are read in parallel. */
	readonly enough: (rows: readonly Row[]) => boolean;
	/** Whether another page may be requested. */
	readonly goOn?: () => boolean;
	/** Number of pages requested in parallel. Default: 1. */
	readonly parallel?: number;
	/** For a list that begins with the oldest row: its length the last time, to find its end sooner. */
	readonly length?: number;
	/** Order of the list the last time, used if the first page does not show it. */
	readonly order?: ListOrder;
}

/** Why reading ended. */
export type ReadingEnd =
	/** The list has no more rows. */
	| 'end'
	/** The caller has enough, or `most` rows were read. */
	| 'enough'
	| 'most'
	/** `goOn` returned false, a call failed, or rows were added faster than they could be read. There are more rows. */
	| 'stopped'
	| 'failed'
	| 'gap'
	/** The service ignores the offset, so only one page of the list can be read. */
	| 'one_page';

/**
 * The newest transactions of a list.
 * @example const { rows, ended }: NewestRows<WalletRow> = await readNewest(list, options);
 */
export interface NewestRows<Row extends WalletRow> {
	/** Always newest first. */
	readonly rows: readonly Row[];
	readonly order: ListOrder;
	readonly ended: ReadingEnd;
	/** Length of the list; only for a list that begins with the oldest row. */
	readonly length?: number;
}

/** An offset far beyond the end of any list. A service that returns rows there ignores the offset. */
const FAR_AWAY = 1_000_000;

/** Number of rows that two pages share, to notice rows that arrive in between. */
const OVERLAP = 5;

/** Number of pages in a row without new rows before reading gives up. */
const PATIENCE = 20;

/**
 * Reads the newest transactions (docs/api.md#list-wallet-transactions), in pages of 100. Detects whether the list begins
 * with the newest or the oldest row; if the order is not clear, it assumes the newest. Nothing is skipped or given twice
 * while rows are added.
 * @param list reads one page
 * @example await readNewest(list, { most: 500, enough: (rows) => rows.length >= 200 }) // { rows, order, ended: 'enough' }
 */
export async function readNewest<Row extends WalletRow>(
	list: ReadPage<Row>,
	options: ReadOptions<Row>,
): Promise<NewestRows<Row>> {
	const first = await list({ limit: MAX_TRANSACTIONS, offset: 0 });
	if (!first) return { rows: [], order: 'unknown', ended: 'failed' };
	if (first.length === 0) return { rows: [], order: 'unknown', ended: 'end' };
	const shown = listOrder(first);
	const order = shown === 'unknown' ? (options.order ?? 'unknown') : shown;
	return order === 'oldest_first'
		? { order, ...(await readFromTheEnd(list, first, options)) }
		: { order, ...(await readFromTheStart(list, first, options)) };
}

type Read<Row extends WalletRow> = Omit<NewestRows<Row>, 'order'>;

async function readFromTheStart<Row extends WalletRow>(
	list: ReadPage<Row>,
	first: readonly Row[],
	{ most, enough, goOn = () => true, parallel = 1 }: ReadOptions<Row>,
): Promise<Read<Row>> {
	const overlap = Math.min(OVERLAP, first.length >> 2);
	const step = first.length - overlap;
	const pages: Array<readonly Row[]> = [];
	const rows = [...first];
	let last = first;
	let arrived = 0;
	const finish = async (ended: ReadingEnd): Promise<Read<Row>> => {
		if (pages.length === 0 || rows.every(hasId)) return { rows, ended };
		// Rows without IDs may be counted twice if others arrived in between. The first page shows whether any did.
		const again = await list({ limit: MAX_TRANSACTIONS, offset: 0 });
		if (!again) return { rows: first, ended: 'failed' };
		return { rows: samePage(again, first) ? rows : joinCarefully(first, pages, overlap), ended };
	};
	for (let idle = 0; idle < PATIENCE;) {
		if (enough(rows)) return await finish('enough');
		if (rows.length >= most) return await finish('most');
		if (!goOn()) return await finish('stopped');
		const before = rows.length;
		const begin = before + arrived - overlap;
		// Most lists end on the first or second page.
		const count = pages.length === 0 ? 1 : Math.max(1, Math.min(parallel, Math.ceil((most - before) / step)));
		const offsets = Array.from({ length: count }, (_, index) => begin + index * step);
		const requested = await Promise.all(offsets.map((offset) => list({ limit: MAX_TRANSACTIONS, offset })));
		for (const [index, page] of requested.entries()) {
			if (!page) return await finish('failed');
			if (page.length === 0) return await finish('end');
			if (samePage(page, last) && (await ignoresOffset(list, begin, page))) return await finish('one_page');
			const joined = joinPage(rows, page, overlap, 'likely');
			if (!joined) {
				// Pages requested in parallel may not meet. The next set begins where this one ended.
				if (index > 0) break;
				const known = arrived;
				arrived = (await arrivals(list, rows)) ?? known;
				if (arrived <= known) return await finish('gap');
				break;
			}
			// This is the end of the list, although new rows have moved it back.
			if (joined.added.length === 0 && page.length < first.length) return await finish('end');
			pages.push(page);
			for (const row of joined.added) rows.push(row);
			last = page;
			arrived += joined.arrived;
		}
		idle = rows.length > before ? 0 : idle + 1;
	}
	return await finish('gap');
}

function joinCarefully<Row extends WalletRow>(
	first: readonly Row[],
	pages: ReadonlyArray<readonly Row[]>,
	overlap: number,
): Row[] {
	const rows = [...first];
	for (const page of pages) {
		const joined = joinPage(rows, page, overlap, 'careful');
		if (!joined) break;
		for (const row of joined.added) rows.push(row);
	}
	return rows;
}

/** Whether a service returns the same page for any offset. */
async function ignoresOffset<Row extends WalletRow>(
	list: ReadPage<Row>,
	offset: number,
	page: readonly Row[],
): Promise<boolean> {
	const far = await list({ limit: MAX_TRANSACTIONS, offset: offset + FAR_AWAY });
	return far !== undefined && samePage(far, page);
}

/** Number of rows before those that were read; undefined if it cannot be found. */
async function arrivals<Row extends WalletRow>(list: ReadPage<Row>, rows: readonly Row[]): Promise<number | undefined> {
	const now = await list({ limit: MAX_TRANSACTIONS, offset: 0 });
	const head = rows.slice(0, OVERLAP);
	const found = now?.findIndex((_, index) => samePage(now.slice(index, index + head.length), head)) ?? -1;
	return found < 0 ? undefined : found;
}

/** A list that begins with the oldest row grows only at its end, so pages keep their positions. */
async function readFromTheEnd<Row extends WalletRow>(
	list: ReadPage<Row>,
	first: readonly Row[],
	{ most, enough, goOn = () => true, parallel = 1, length: hint = 0 }: ReadOptions<Row>,
): Promise<Read<Row>> {
	const size = first.length;
	const end = await findEnd(list, first, hint, goOn);
	if ('ended' in end) return { rows: end.ended === 'one_page' ? first.toReversed() : [], ended: end.ended };
	const { length } = end;
	const rows = end.page.toReversed();
	for (let start = end.offset; start > 0;) {
		if (enough(rows)) return { rows, ended: 'enough', length };
		if (rows.length >= most) return { rows, ended: 'most', length };
		if (!goOn()) return { rows, ended: 'stopped', length };
		const count = Math.min(parallel, Math.ceil((most - rows.length) / size));
		const ends = Array.from({ length: Math.max(1, count) }, (_, index) => start - index * size).filter((at) => at > 0);
		const requested = await Promise.all(
			ends.map(async (until) => {
				const offset = Math.max(0, until - size);
				return await list({ limit: until - offset, offset });
			}),
		);
		for (const page of requested) {
			if (!page) return { rows, ended: 'failed', length };
			const wanted = Math.min(size, start);
			// A page that is shorter than requested leaves a gap.
			if (page.length < wanted) return { rows, ended: 'gap', length };
			for (const row of page.slice(0, wanted).toReversed()) rows.push(row);
			start -= wanted;
		}
	}
	return { rows, ended: 'end', length };
}

/** The last page of a list, and the length of the list. */
interface ListEnd<Row extends WalletRow> {
	readonly page: readonly Row[];
	readonly offset: number;
	readonly length: number;
}

async function findEnd<Row extends WalletRow>(
	list: ReadPage<Row>,
	first: readonly Row[],
	hint: number,
	goOn: () => boolean,
): Promise<ListEnd<Row> | { readonly ended: 'failed' | 'stopped' | 'one_page' }> {
	let last = { page: first, offset: 0, length: first.length };
	let empty = Number.POSITIVE_INFINITY;
	let stride = first.length;
	let next = Math.max(first.length, hint - first.length);
	while (last.length < empty) {
		if (!goOn()) return { ended: 'stopped' };
		const page = await list({ limit: MAX_TRANSACTIONS, offset: next });
		if (!page) return { ended: 'failed' };
		if (page.length === 0) empty = next;
		else if (samePage(page, first) && (await ignoresOffset(list, next, page))) return { ended: 'one_page' };
		else last = { page, offset: next, length: next + page.length };
		if (page.length > 0 && page.length < first.length) next = last.length;
		else if (empty === Number.POSITIVE_INFINITY) {
			next = last.offset === 0 || next === hint - first.length ? last.length : last.length + stride;
			stride *= 2;
		} else next = last.length + Math.floor((empty - last.length) / 2);
	}
	return last;
}
