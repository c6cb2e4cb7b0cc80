import { signedAmounts } from './signedAmounts';
import { topUpStage, transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** A moment at which the wallet fell below a threshold. */
export interface Crossing {
	/** The same whenever it is found, and another one for another threshold. */
	readonly id: string;
	/** Balance right after it, in currency units. */
	readonly balance_after: number;
	readonly crossed_at: string | null;
	readonly transaction_id: string | null;
}

/** The balance at one moment, in currency units, and the transaction that it belongs to. */
export interface BalancePoint<Row extends WalletRow = WalletRow> {
	readonly balance: number;
	readonly row: Row;
	/** Whether it is the balance before the row, after it, or now. */
	readonly at: 'before' | 'after' | 'now';
	/** Whether the row itself has this balance; else it is computed from another one. */
	readonly listed: boolean;
}

/** A transaction with a name. */
type NamedRow = WalletRow & { readonly id: string };

/**
 * Finds where a wallet fell below a threshold, by its transactions alone. Where a balance fell between two rows, because
 * not everything that is charged is listed, the row before stands for the moment. A fall that may not have happened is
 * left out, such as one that depends on an amount without a sign.
 * @param rows newest first, with IDs that stay the same
 * @param balance at present, in currency units; undefined where it does not belong to these rows
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
 * Gives the balances that a wallet had: those that the rows have, or else computed backwards from the present one. A
 * balance that is not certain is left out.
 * @param rows newest first
 * @param balance at present, in currency units; undefined where it does not belong to these rows
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
 * Whether the moment of a fall is certain: the two balances belong to one row or to neighbors, or else the newer one is
 * the row's own, so that no later poll gives the fall to another row.
 */
function follows(newer: BalancePoint<NamedRow>, older: BalancePoint<NamedRow>, rows: readonly NamedRow[]): boolean {
	return newer.listed || newer.row === older.row || rows[rows.indexOf(newer.row) + 1] === older.row;
}

/** Whether the rows show what was spent: by a balance each, or by money that left. Fees alone may be those of top-ups. */
function listsUsage(rows: readonly WalletRow[]): boolean {
	const amounts = signedAmounts(rows);
	return rows.some(
		(row, index) => typeof row.balance === 'number' || ((amounts[index] ?? 0) < 0 && transactionKind(row) !== 'fee'),
	);
}

/** What is charged is in no row: one alert for each time that money was added, at the first poll that finds too little. */
function sinceTopUp(rows: readonly NamedRow[], balance: number | undefined, threshold: number): Crossing[] {
	const topUp = rows.find((row) => topUpStage(row) === 'completed');
	if (balance === undefined || !(balance < threshold) || !topUp) return [];
	return [{ id: `after:${topUp.id}:${threshold}`, balance_after: balance, crossed_at: null, transaction_id: null }];
}

// Sums of amounts such as 0.1 would miss a threshold by a hair.
function rounded(amount: number): number {
	return Math.round(amount * 10_000) / 10_000;
}
