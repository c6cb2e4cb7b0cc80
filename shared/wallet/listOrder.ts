import { sameAmount } from './signedAmounts';
import { transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** The order of a list. Undocumented (docs/api.md#list-wallet-transactions). */
export type ListOrder = 'newest_first' | 'oldest_first' | 'unknown';

/**
 * Finds the order of a page of transactions: by their dates, else by IDs that are numbers, else by balances and amounts.
 * If dates and IDs contradict each other, balances decide.
 * @example listOrder([{ id: '9' }, { id: '10' }]) // 'oldest_first'
 */
export function listOrder(rows: readonly WalletRow[]): ListOrder {
	const [dates, ids] = [direction(rows, byDate), direction(rows, byId)];
	const agreed = dates === 0 || ids === 0 || Math.sign(dates) === Math.sign(ids);
	const upward = agreed ? dates || ids || direction(rows, byBalance) : direction(rows, byBalance);
	if (upward === 0) return 'unknown';
	return upward > 0 ? 'oldest_first' : 'newest_first';
}

/** Compares a row with the previous one in the list: above zero if it is the later of the two, 0 if not known. */
type Compare = (row: WalletRow, before: WalletRow) => number;

function direction(rows: readonly WalletRow[], compare: Compare): number {
	return rows.reduce((sum, row, index) => {
		const before = rows[index - 1];
		return before ? sum + Math.sign(compare(row, before)) : sum;
	}, 0);
}

/**
 * Moment of a transaction, in milliseconds since 1970. A date without a zone is read as UTC.
 * @returns undefined if the row has no readable date
 * @example momentOf({ created_at: '1970-01-01 00:00:01' }) // 1000
 */
export function momentOf({ created_at }: WalletRow): number | undefined {
	if (typeof created_at !== 'string') return undefined;
	// Unix time, in seconds or in milliseconds.
	if (/^\d{9,10}$/.test(created_at)) return Number(created_at) * 1000;
	if (/^\d{12,13}$/.test(created_at)) return Number(created_at);
	const zoneless = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,9})?)?$/.test(created_at);
	const moment = Date.parse(zoneless ? `${created_at.replace(' ', 'T')}Z` : created_at);
	return Number.isNaN(moment) ? undefined : moment;
}

function byDate(row: WalletRow, before: WalletRow): number {
	return (momentOf(row) ?? Number.NaN) - (momentOf(before) ?? Number.NaN) || 0;
}

function byId(row: WalletRow, before: WalletRow): number {
	return compareIds(row, before) ?? 0;
}

/**
 * Compares the IDs of two transactions, if they are numbers, or numbers after the same letters.
 * @returns above zero if the first is higher; undefined if they cannot be compared
 * @example compareIds({ id: 'txn_10' }, { id: 'txn_9' }) // 1
 */
export function compareIds(a: WalletRow, b: WalletRow): number | undefined {
	const [first, second] = [numbered(a.id), numbered(b.id)];
	if (!first || !second || first.letters !== second.letters) return undefined;
	return first.number === second.number ? 0 : first.number > second.number ? 1 : -1;
}

function numbered(id: string | null | undefined): { readonly letters: string; readonly number: bigint } | undefined {
	const [, letters, digits] = /^([A-Za-z]{0,20}[-_.:#]?)(\d{1,30})$/.exec(id ?? '') ?? [];
	return letters === undefined || digits === undefined ? undefined : { letters, number: BigInt(digits) };
}

function byBalance(row: WalletRow, before: WalletRow): number {
	if (typeof row.balance !== 'number' || typeof before.balance !== 'number') return 0;
	const moved = row.balance - before.balance;
	return Number(explains(row, moved)) - Number(explains(before, -moved));
}

/** Whether a transaction explains a change of the balance. */
function explains(row: WalletRow, moved: number): boolean {
	const { amount } = row;
	if (typeof amount !== 'number' || sameAmount(moved, 0)) return false;
	const kind = transactionKind(row);
	const spent = amount < 0 || kind === 'charge' || kind === 'fee';
	return sameAmount(moved, spent ? -Math.abs(amount) : amount);
}
