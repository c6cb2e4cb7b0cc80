import { signedAmounts } from './signedAmounts';
import { topUpStage, transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** A moment at which the balance fell below a threshold. */
export interface Crossing {
	/** Stable for each crossing and threshold. */
	readonly id: string;
	/** Balance right after the crossing, in currency units. */
	readonly balance_after: number;
	readonly crossed_at: string | null;
	readonly transaction_id: string | null;
}

/** The balance at one moment, in currency units, and its transaction. */
export interface BalancePoint<Row extends WalletRow = WalletRow> {
	readonly balance: number;
	readonly row: Row;
	/** Whether this is the balance before the row, after it, or now. */
	readonly at: 'before' | 'after' | 'now';
	/** Whether the row lists this balance. If false, it is computed from another one. */
	readonly listed: boolean;
}

/** A transaction with a name. */
type NamedRow = WalletRow & { readonly id: string };

/**
 * Finds the moments when the balance fell below a threshold, from transactions only. If the balance fell between two rows,
 * because the list does not contain every charge, the older row marks the moment. A doubtful crossing is left out, such as
 * one that depends on an amount without a sign.
 * @param rows newest first, with stable IDs
 * @param balance current balance, in currency units; undefined if it does not match these rows
 * @param threshold in currency units
 * @returns newest first
 * @example findCrossings([{ id: '2', type: 'debit', amount: -9, balance: 8 }], 8, 10) // [{ id: '2:10', balance_after: 8, ... }]
 */
export function findCrossings(rows: readonly NamedRow[], balance: number | undefined, threshold: number): Crossing[] {
	if (!listsUsage(rows)) return sinceTopUp(rows, balance, threshold);
	const points = balanceHistory(rows, balance);
	return points.flatMap((newer, index) => {
		const older = points[index + 1];
		if (!older || !(older.balance >= threshold && newer.balance < threshold) || !follows(newer, older, rows)) return [];
		const listed = newer.at === 'after';
		return {
			id: `${listed ? newer.row.id : `after:${older.row.id}`}:${threshold}`,
			balance_after: newer.balance,
			crossed_at: (listed ? newer.row.created_at : undefined) ?? null,
			transaction_id: listed ? newer.row.id : null,
		};
	});
}

/**
 * Lists the past balances of a wallet: those of the rows, or else computed backwards from the current one. An uncertain
 * balance is left out.
 * @param rows newest first
 * @param balance current balance, in currency units; undefined if it does not match these rows
 * @returns newest first
 * @example balanceHistory([{ amount: -9, balance: 8 }], 8).map(({ balance }) => balance) // [8, 8, 17]
 */
export function balanceHistory<Row extends WalletRow>(
	rows: readonly Row[],
	balance: number | undefined,
): ReadonlyArray<BalancePoint<Row>> {
	const amounts = signedAmounts(rows);
	const points: Array<BalancePoint<Row>> = [];
	const add = (value: number | undefined, row: Row, at: BalancePoint['at'], listed: boolean) => {
		if (value !== undefined) points.push({ balance: value, row, at, listed });
	};
	let known = balance;
	for (const [index, row] of rows.entries()) {
		if (index === 0) add(known, row, 'now', true);
		const listed = typeof row.balance === 'number';
		const after = row.balance ?? known;
		const amount = amounts[index];
		known = after === undefined || amount === undefined ? undefined : rounded(after - amount);
		add(after, row, 'after', listed);
		add(known, row, 'before', false);
	}
	return points;
}

/**
 * Whether the moment of a crossing is certain: the two balances belong to one row or to neighbors, or the newer one is
 * listed, so that no later poll assigns the crossing to another row.
 */
function follows(newer: BalancePoint<NamedRow>, older: BalancePoint<NamedRow>, rows: readonly NamedRow[]): boolean {
	return newer.listed || newer.row === older.row || rows[rows.indexOf(newer.row) + 1] === older.row;
}

/** Whether the rows show usage: by balances or by debits. Fees alone are not enough, because top-ups may have fees. */
function listsUsage(rows: readonly WalletRow[]): boolean {
	const amounts = signedAmounts(rows);
	return rows.some(
		(row, index) => typeof row.balance === 'number' || ((amounts[index] ?? 0) < 0 && transactionKind(row) !== 'fee'),
	);
}

/** For lists without charges: one crossing for each top-up, at the first poll that finds a low balance. */
function sinceTopUp(rows: readonly NamedRow[], balance: number | undefined, threshold: number): Crossing[] {
	const topUp = rows.find((row) => topUpStage(row) === 'completed');
	if (balance === undefined || !(balance < threshold) || !topUp) return [];
	return [{ id: `after:${topUp.id}:${threshold}`, balance_after: balance, crossed_at: null, transaction_id: null }];
}

// Sums of amounts such as 0.1 would miss a threshold by a tiny error.
function rounded(amount: number): number {
	return Math.round(amount * 10_000) / 10_000;
}
