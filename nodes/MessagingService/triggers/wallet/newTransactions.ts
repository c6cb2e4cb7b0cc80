import {
	hasId,
	listOrder,
	momentOf,
	readNewest,
	type Contract,
	type NewestRows,
	type Outcome,
	type OutputOf,
	type ServiceError,
} from '../../../../shared';
import { compare, isNewer, isOlder, keyOf, newestOf, REMEMBERED, type TransactionMemory } from './transactionMemory';

/** A wallet transaction, as the client returns it. */
export type Transaction = OutputOf<Contract['wallet']['listTransactions']>[number];

/** Reads a page of transactions. */
export type ListTransactions = (input: { limit: number; offset: number }) => Promise<Outcome<readonly Transaction[]>>;

/** Maximum number of rows in one poll: about 500 calls and 50 MB. */
const MAX_ROWS = 50_000;

/** Number of rows to search for pending top-ups. */
const SEARCHED_ROWS = 500;

/** Number of consecutive known rows without IDs after which all older rows count as known. */
const KNOWN_RUN = 10;

/** If more rows than this appear in a list that was empty, they count as a hidden history, unless their dates are later. */
const FIRST_ROWS = 100;

/** Largest difference between the time zones of the service and of n8n: 14 hours, in milliseconds. */
const ZONES_MS = 14 * 3_600_000;

/** The result of reading the transactions. */
export type FetchedTransactions =
	| { readonly kind: 'read'; readonly read: NewestRows<Transaction> }
	/** More rows are new than one poll can read. */
	| { readonly kind: 'too_many' }
	/** The list starts with the oldest row and has only one page, so new rows can never be seen. */
	| { readonly kind: 'hidden' }
	/** Rows were added faster than they could be read, or the list changed during the poll. */
	| { readonly kind: 'unsettled' }
	| { readonly kind: 'failed'; readonly error: ServiceError };

/**
 * Reads the newest transactions back to known ones, and further back to the given top-ups.
 * @param known the stored memory; undefined in the first poll
 * @param wanted keys of other rows to find
 */
export async function fetchTransactions(
	list: ListTransactions,
	known: TransactionMemory | undefined,
	wanted: readonly string[],
): Promise<FetchedTransactions> {
	let error: ServiceError | undefined;
	const find = knownFinder(known?.keys ?? []);
	const read = await readNewest<Transaction>(
		async (page) => {
			const requested = await list(page);
			if (requested.outcome === 'accepted') return requested.output;
			error = requested.error;
			return undefined;
		},
		{
			most: known ? MAX_ROWS : REMEMBERED,
			length: known?.length,
			order: known?.order,
			enough: (rows) => {
				if (!known) return rows.length >= REMEMBERED;
				if (known.keys.length === 0) return rows.length > FIRST_ROWS && !areAllSince(rows, known.emptySince);
				const begin = find(rows);
				if (begin < 0) return false;
				// If the order is not known, new rows may be at the end of a short list. Equal rows need all known rows.
				const isOrdered = known.order !== 'unknown' || listOrder(rows.slice(0, SEARCHED_ROWS)) !== 'unknown';
				return rows.length >= begin + SEARCHED_ROWS || (isOrdered && findsAll(rows, wanted));
			},
		},
	);
	const { rows, order, ended } = read;
	if (error) return { kind: 'failed', error };
	if (ended === 'one_page' && order === 'oldest_first' && rows.length >= FIRST_ROWS) return { kind: 'hidden' };
	if (known && ['gap', 'most'].includes(ended) && find(rows) < 0) {
		return { kind: ended === 'most' ? 'too_many' : 'unsettled' };
	}
	return { kind: 'read', read };
}

/**
 * Makes a search for the known rows. Call it with a growing part of one list.
 * @returns a function that returns the index of the first known row; -1 if the rows do not reach back to it
 */
function knownFinder(known: readonly string[]): (rows: readonly Transaction[]) => number {
	const all = new Set(known);
	const run = known.slice(0, KNOWN_RUN);
	let searched = 0;
	return (rows) => {
		const isKnown = (row: Transaction) => all.has(keyOf(row));
		while (searched < rows.length && !isKnown(rows[searched] ?? {})) searched += 1;
		const found = rows.slice(searched);
		if (found.some((row) => hasId(row) && isKnown(row))) return searched;
		const begin = found.findIndex((_, index) => run.every((key, next) => keyOf(found[index + next] ?? {}) === key));
		if (begin >= 0) return searched + begin;
		return found.length >= REMEMBERED ? searched : -1;
	};
}

function findsAll(rows: readonly Transaction[], wanted: readonly string[]): boolean {
	const keys = new Set(rows.map(keyOf));
	return wanted.every((key) => keys.has(key));
}

/** The new transactions, and the memory for the next poll. */
export interface NewTransactions {
	/** The oldest first. */
	readonly rows: readonly Transaction[];
	readonly memory: TransactionMemory;
	/** Set if no row counts as new because there was no memory to compare with. */
	readonly beginning?: 'first' | 'none_known';
}

/**
 * Finds the new rows. An old row never counts as new. A row behind all known rows is old. If no row is known, all rows
 * count as known from now on.
 * @param now in milliseconds since 1970
 */
export function findNewTransactions(
	read: NewestRows<Transaction>,
	known: TransactionMemory | undefined,
	now: number,
): NewTransactions {
	const { rows, order, length } = read;
	// While the order was unknown, the memory assumed that the newest row comes first.
	const reversed = rows.length > 0 && (known?.order === 'oldest_first') !== (order === 'oldest_first');
	const keys = reversed ? (known?.keys ?? []).toReversed() : (known?.keys ?? []);
	const compared = compare(rows, keys);
	const remember: TransactionMemory = {
		keys: [...compared.keys],
		newest: newestOf(rows, known?.newest),
		order: rows.length > 0 ? order : (known?.order ?? 'unknown'),
		length: length ?? known?.length,
	};
	const resultWith = (fresh: readonly number[]): NewTransactions => ({
		rows: pick(rows, fresh).reverse(),
		memory: remember,
	});
	if (rows.length === 0) {
		const emptySince = keys.length > 0 ? undefined : (known?.emptySince ?? now);
		return { rows: [], memory: { ...remember, emptySince }, ...(!known && { beginning: 'first' }) };
	}
	if (!known) return { ...resultWith([]), beginning: 'first' };
	if (keys.length === 0) {
		return isHidden(read, known.emptySince)
			? { ...resultWith([]), beginning: 'none_known' }
			: resultWith(compared.fresh);
	}
	if (compared.deepest < 0) {
		const newer = read.ended === 'one_page' && rows.every((row) => isNewer(row, known.newest));
		return newer ? resultWith(compared.fresh) : { ...resultWith([]), beginning: 'none_known' };
	}
	// If a short list was completely known and completely read, a row at any place is new, unless it is older.
	const whole = ['end', 'one_page'].includes(read.ended) && keys.length < REMEMBERED;
	const isFresh = (index: number) => index < compared.deepest || (whole && !isOlder(rows[index] ?? {}, known.newest));
	return resultWith(compared.fresh.filter(isFresh));
}

function pick(rows: readonly Transaction[], indexes: readonly number[]): Transaction[] {
	return indexes.map((index) => rows[index]).filter((row) => row !== undefined);
}

/** Whether the rows of a list that was empty are a history that it did not show, instead of new rows. */
function isHidden({ rows, ended }: NewestRows<Transaction>, since: number | undefined): boolean {
	if (rows.length <= FIRST_ROWS) return rows.some((row) => isBefore(row, since));
	// So many rows are new only if the dates of all rows prove it.
	return ended !== 'end' || !areAllSince(rows, since);
}

/** Whether all rows have dates after the list was found empty. Dates may be in whole seconds. */
function areAllSince(rows: readonly Transaction[], since: number | undefined): boolean {
	return since !== undefined && rows.every((row) => (momentOf(row) ?? Number.NEGATIVE_INFINITY) >= since - 1000);
}

function isBefore(row: Transaction, since: number | undefined): boolean {
	const at = momentOf(row);
	return at !== undefined && since !== undefined && at < since - ZONES_MS;
}
