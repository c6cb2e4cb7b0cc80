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

/** A wallet transaction as the client gives it. */
export type Transaction = OutputOf<Contract['wallet']['listTransactions']>[number];

/** Reads a page of transactions. */
export type ListTransactions = (input: { limit: number; offset: number }) => Promise<Outcome<readonly Transaction[]>>;

/** Rows that one poll reads at most: some 500 calls, some 50 MB. */
const MOST = 50_000;

/** Rows that are searched for top-ups that were pending. */
const SEARCHED = 500;

/** Rows without IDs that have to be the known ones, one after the other, before the others are taken to be known too. */
const RUN = 10;

/** Rows that appear in a list that was empty: more of them are taken for a history that was hidden. */
const FIRST_ROWS = 100;

/** Clocks of the service and of n8n may be in different zones: 14 hours at most, in milliseconds. */
const ZONES_MS = 14 * 3_600_000;

/** What a look at the transactions brought. */
export type FetchedTransactions =
	| { readonly kind: 'read'; readonly read: NewestRows<Transaction> }
	/** More rows are new than one poll can read. */
	| { readonly kind: 'too_many' }
	/** The list begins with the oldest row and shows no other page, so that a new row can never be seen. */
	| { readonly kind: 'hidden' }
	/** Rows were added faster than they could be read, or the list changed meanwhile. */
	| { readonly kind: 'unsettled' }
	| { readonly kind: 'failed'; readonly error: ServiceError };

/**
 * Reads the newest transactions until known ones are met, and on to the given top-ups.
 * @param known what is remembered; undefined for the first look
 * @param wanted keys of the rows that have to be found as well
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
			most: known ? MOST : REMEMBERED,
			length: known?.length,
			order: known?.order,
			enough: (rows) => {
				if (!known) return rows.length >= REMEMBERED;
				if (known.keys.length === 0) return rows.length > FIRST_ROWS;
				const begin = find(rows);
				if (begin < 0) return false;
				// If the order is not known, new rows may be at the end of a short list. Equal rows need all that is known.
				const isOrdered = known.order !== 'unknown' || listOrder(rows.slice(0, SEARCHED)) !== 'unknown';
				return rows.length >= begin + SEARCHED || (isOrdered && findsAll(rows, wanted));
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
 * Makes a search for the known rows; it is asked with more and more rows of one list.
 * @returns what gives the index at which the known rows begin; -1 if the rows do not reach back to them
 */
function knownFinder(known: readonly string[]): (rows: readonly Transaction[]) => number {
	const all = new Set(known);
	const run = known.slice(0, RUN);
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

/** What is new, and what to remember from now on. */
export interface NewTransactions {
	/** The oldest first. */
	readonly rows: readonly Transaction[];
	readonly memory: TransactionMemory;
	/** Set if no row is new because there was nothing to compare with. */
	readonly beginning?: 'first' | 'none_known';
}

/**
 * Finds the new rows among those that were read. An old row is never taken for a new one: a row that is listed behind
 * all known ones is old, and if no row is known, all are taken for known from now on.
 * @param now in milliseconds of the Unix epoch
 */
export function findNewTransactions(
	read: NewestRows<Transaction>,
	known: TransactionMemory | undefined,
	now: number,
): NewTransactions {
	const { rows, order, length } = read;
	// An order that was not known before was taken to begin with the newest row.
	const turned = rows.length > 0 && (known?.order === 'oldest_first') !== (order === 'oldest_first');
	const keys = turned ? (known?.keys ?? []).toReversed() : (known?.keys ?? []);
	const compared = compare(rows, keys);
	const remember: TransactionMemory = {
		keys: [...compared.keys],
		newest: newestOf(rows, known?.newest),
		order: rows.length > 0 ? order : (known?.order ?? 'unknown'),
		length: length ?? known?.length,
	};
	const news = (fresh: readonly number[]): NewTransactions => ({
		rows: pick(rows, fresh).reverse(),
		memory: remember,
	});
	if (rows.length === 0) {
		const emptySince = keys.length > 0 ? undefined : (known?.emptySince ?? now);
		return { rows: [], memory: { ...remember, emptySince }, ...(!known && { beginning: 'first' }) };
	}
	if (!known) return { ...news([]), beginning: 'first' };
	if (keys.length === 0) {
		const hidden = rows.length > FIRST_ROWS || rows.some((row) => isBefore(row, known.emptySince));
		return hidden ? { ...news([]), beginning: 'none_known' } : news(compared.fresh);
	}
	if (compared.deepest < 0) {
		const newer = read.ended === 'one_page' && rows.every((row) => isNewer(row, known.newest));
		return newer ? news(compared.fresh) : { ...news([]), beginning: 'none_known' };
	}
	// If all of a short list was known and all of it was read, a row is new wherever it is listed, unless it is older.
	const whole = ['end', 'one_page'].includes(read.ended) && keys.length < REMEMBERED;
	const isFresh = (index: number) => index < compared.deepest || (whole && !isOlder(rows[index] ?? {}, known.newest));
	return news(compared.fresh.filter(isFresh));
}

function pick(rows: readonly Transaction[], indexes: readonly number[]): Transaction[] {
	return indexes.map((index) => rows[index]).filter((row) => row !== undefined);
}

function isBefore(row: Transaction, since: number | undefined): boolean {
	const at = momentOf(row);
	return at !== undefined && since !== undefined && at < since - ZONES_MS;
}
