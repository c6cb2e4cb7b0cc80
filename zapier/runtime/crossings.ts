import type { Transaction } from './recentTransactions';

/** A moment at which the wallet fell below a threshold. */
export interface Crossing {
	/** The same at every poll, and another one for another threshold. */
	readonly id: string;
	/** Balance right after it, in currency units, where that is known. */
	readonly balance_after: number | null;
	readonly crossed_at: string | null;
	readonly transaction_id: string | null;
}

/** The balance at one moment, and the transaction that it belongs to. */
interface Point {
	readonly balance: number;
	readonly row: Transaction;
	/** Whether it is the balance before the row, after it, or now. */
	readonly at: 'before' | 'after' | 'now';
}

/**
 * Finds where a wallet fell below a threshold, by its history alone: nothing is remembered between polls. The balances
 * are those that the rows tell, or else computed backwards from the present one. Where a balance fell between two rows,
 * because not everything that is charged is listed, the row before stands for the moment.
 * @param rows newest first
 * @param balance at present, in currency units; undefined where it does not belong to these rows
 * @returns newest first
 */
export function findCrossings(
	rows: readonly Transaction[],
	balance: number | undefined,
	threshold: number,
): readonly Crossing[] {
	if (!tellsUsage(rows)) return sinceTopUp(rows, balance, threshold);
	return pairs(historyOf(rows, balance)).flatMap(([newer, older]) => {
		if (!(older.balance >= threshold && newer.balance < threshold)) return [];
		const listed = newer.at === 'after';
		return {
			id: `${listed ? '' : 'after:'}${listed ? newer.row.id : older.row.id}:${threshold}`,
			balance_after: newer.balance,
			crossed_at: (listed ? newer.row.created_at : undefined) ?? null,
			transaction_id: listed ? newer.row.id : null,
		};
	});
}

/** Whether the rows tell what was spent: by a balance each, or by a debit among them. */
function tellsUsage(rows: readonly Transaction[]): boolean {
	return rows.some((row) => typeof row.balance === 'number' || signed(row) < 0);
}

function historyOf(rows: readonly Transaction[], balance: number | undefined): Point[] {
	const points: Point[] = [];
	let known = balance ?? Number.NaN;
	for (const [index, row] of rows.entries()) {
		if (index === 0) points.push({ balance: known, row, at: 'now' });
		const after = row.balance ?? known;
		const before = rounded(after - signed(row));
		points.push({ balance: after, row, at: 'after' }, { balance: before, row, at: 'before' });
		known = before;
	}
	return points;
}

function pairs(points: readonly Point[]): Array<readonly [newer: Point, older: Point]> {
	return points.slice(1).flatMap((older, index) => {
		const newer = points[index];
		return newer ? [[newer, older] as const] : [];
	});
}

/** What is charged is in no row: one alert for each time that money was added, at the first poll that finds too little. */
function sinceTopUp(rows: readonly Transaction[], balance: number | undefined, threshold: number): Crossing[] {
	const topUp = rows.find(({ type }) => /top[\s_-]?up|deposit|(?<!re)fund/i.test(type ?? ''));
	if (balance === undefined || !(balance < threshold) || !topUp) return [];
	return [{ id: `after:${topUp.id}:${threshold}`, balance_after: balance, crossed_at: null, transaction_id: null }];
}

/** Amount of a row, below zero for what was spent; some services list it without a sign. */
function signed({ type, amount }: Transaction): number {
	const spent = /debit|charge|usage|spen[dt]|purchase/i.test(type ?? '');
	return spent ? -Math.abs(amount ?? Number.NaN) : (amount ?? Number.NaN);
}

// Sums of amounts such as 0.1 would miss a threshold by a hair.
function rounded(amount: number): number {
	return Math.round(amount * 10_000) / 10_000;
}
