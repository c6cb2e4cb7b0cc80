import { z } from 'zod/v4';
import { compareIds, hasId, momentOf, transactionName, type WalletRow } from '../../../../shared';
import { fingerprint } from '../../memory/fingerprint';

/** Number of transactions to remember. */
export const REMEMBERED = 300;

const memory = z.object({
	/** Fingerprints of the newest transactions, newest first. Equal rows without IDs each have an entry. */
	keys: z.array(z.string()),
	/** The newest row so far. It shows whether a row is newer if no known row is in the list. */
	newest: z.object({ id: z.string().optional(), at: z.number().optional() }).optional(),
	/** When the list was found empty and no row was known, in milliseconds since 1970. */
	emptySince: z.number().optional(),
	/** The order of the list, if it is known. */
	order: z.enum(['newest_first', 'oldest_first', 'unknown']).catch('unknown'),
	/** Number of rows of the list, if it starts with the oldest. */
	length: z.number().optional(),
});

/** The memory of transactions between polls, in n8n's static data. */
export type TransactionMemory = z.output<typeof memory>;

/** Reads the stored memory; undefined if it cannot be read. */
export function readTransactionMemory(stored: unknown): TransactionMemory | undefined {
	return memory.safeParse(stored).data;
}

/** A cache, because a poll needs the same key several times. */
const keys = new WeakMap<WalletRow, string>();

/** The key of a transaction: a fingerprint of its ID, or of its fields if it has none. */
export function keyOf(row: WalletRow): string {
	const made = keys.get(row) ?? fingerprint(transactionName(row));
	keys.set(row, made);
	return made;
}

/** A list, compared with the memory. */
export interface Comparison {
	/** Indexes of the new rows, in the order of the list. */
	readonly fresh: readonly number[];
	/** Index of the last known row; -1 if no row is known. */
	readonly deepest: number;
	/** The keys to remember from now on. */
	readonly keys: readonly string[];
}

/**
 * Compares a list with the memory. Both have the same order, so equal rows without IDs can be counted: the longest
 * common subsequence is the known part. Known rows that the list lacks keep their places in the memory, because a list
 * that lost rows may show them again.
 * @param rows newest first
 */
export function compare(rows: readonly WalletRow[], known: readonly string[]): Comparison {
	const listed = rows.map(keyOf);
	const all = new Set(known);
	const pairs = pairsOf(listed, known);
	const moved = movedRows(listed, known, pairs);
	const isKnown = listed.map((key, index) => pairs.has(index) || (hasId(rows[index] ?? {}) && all.has(key)));
	const fresh = [...listed.keys()].filter((index) => !isKnown[index] && !moved.has(index));
	const isFresh = new Set(fresh);
	const merged: string[] = [];
	let next = 0;
	for (const [index, key] of listed.entries()) {
		const place = pairs.get(index);
		if (place === undefined) {
			if (isFresh.has(index)) merged.push(key);
			continue;
		}
		merged.push(...known.slice(next, place + 1));
		next = place + 1;
	}
	merged.push(...known.slice(next));
	return { fresh, deepest: isKnown.lastIndexOf(true), keys: merged.slice(0, REMEMBERED) };
}

/** Entries of the memory by entries of a list, both as indexes. */
type Pairs = ReadonlyMap<number, number>;

/**
 * Pairs the rows of a list with the known ones. A poll does not read all of a long list. The longest common subsequence may
 * then leave out a known row, and pair equal rows that are not the same instead.
 */
function pairsOf(listed: readonly string[], known: readonly string[]): Pairs {
	const common = commonPairs(listed, known);
	const moved = movedRows(listed, known, common);
	if (moved.size === 0) return common;
	return shiftedPairs(listed, known, Math.max(...moved.values()) + 1) ?? common;
}

/**
 * Finds rows without a pair that equal a known row without one, before the last known row with one. Such a row would be
 * missing at one place and new at another. It was returned before, so it never counts as new.
 */
function movedRows(listed: readonly string[], known: readonly string[], pairs: Pairs): Pairs {
	const paired = new Set(pairs.values());
	const missing = new Map<string, number[]>();
	for (const [place, key] of known.slice(0, Math.max(0, ...paired)).entries()) {
		if (!paired.has(place)) missing.set(key, [...(missing.get(key) ?? []), place]);
	}
	const moved = new Map<number, number>();
	for (const [index, key] of listed.entries()) {
		const place = pairs.has(index) ? undefined : missing.get(key)?.shift();
		if (place !== undefined) moved.set(index, place);
	}
	return moved;
}

/**
 * Pairs a list that begins with new rows and continues exactly as the memory does.
 * @param least the smallest number of pairs
 * @returns undefined if the list differs in any other way
 */
function shiftedPairs(listed: readonly string[], known: readonly string[], least: number): Pairs | undefined {
	for (let fresh = 0; fresh + least <= listed.length; fresh += 1) {
		const old = listed.slice(fresh, fresh + known.length);
		if (old.every((key, place) => known[place] === key)) return new Map(old.map((_, place) => [fresh + place, place]));
	}
	return undefined;
}

/**
 * Pairs equal entries of two lists in a longest common subsequence, from an index in the first to an index in the
 * second. It pairs from the start, because the second list may end first. Of equal rows, those beyond that end stay
 * unpaired.
 */
function commonPairs(first: readonly string[], second: readonly string[]): Pairs {
	const width = second.length + 1;
	// Lengths for the remaining entries of both lists.
	const longest = new Uint16Array((first.length + 1) * width);
	const at = (row: number, column: number) => longest[row * width + column] ?? 0;
	for (let row = first.length - 1; row >= 0; row -= 1) {
		for (let column = second.length - 1; column >= 0; column -= 1) {
			longest[row * width + column] =
				first[row] === second[column]
					? at(row + 1, column + 1) + 1
					: Math.max(at(row + 1, column), at(row, column + 1));
		}
	}
	const pairs = new Map<number, number>();
	for (let row = 0, column = 0; row < first.length && column < second.length;) {
		if (first[row] === second[column]) pairs.set(row++, column++);
		else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
		else column += 1;
	}
	return pairs;
}

/** Returns the newest row so far. */
export function newestOf(rows: readonly WalletRow[], before: TransactionMemory['newest']): TransactionMemory['newest'] {
	const [first] = rows;
	if (!first || (before && isOlder(first, before))) return before;
	return { id: hasId(first) ? first.id : undefined, at: momentOf(first) };
}

/** Whether a row is evidently newer than the newest row so far. */
export function isNewer(row: WalletRow, newest: TransactionMemory['newest']): boolean {
	return compareWith(row, newest) > 0;
}

/** Whether a row is evidently older than the newest row so far. */
export function isOlder(row: WalletRow, newest: TransactionMemory['newest']): boolean {
	return compareWith(row, newest) < 0;
}

function compareWith(row: WalletRow, newest: TransactionMemory['newest']): number {
	if (!newest) return 0;
	const at = momentOf(row);
	if (at !== undefined && newest.at !== undefined && at !== newest.at) return at - newest.at;
	return compareIds(row, { id: newest.id }) ?? 0;
}
