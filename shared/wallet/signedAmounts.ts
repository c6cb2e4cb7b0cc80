import { paymentStage } from './paymentStage';
import { mentionsTopUp, topUpStage, transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** Differences below this are errors of binary fractions. In currency units. */
const TOLERANCE = 0.000_05;

/** Whether two amounts are equal, within the precision of binary fractions. */
export function sameAmount(a: number, b: number): boolean {
	return Math.abs(a - b) < TOLERANCE;
}

/**
 * Finds the change of the balance by each transaction, in currency units: below zero for debits. Some services list amounts
 * without a sign. So the balances of neighboring rows decide first, then a minus sign, then the kind.
 * @param rows newest first
 * @returns undefined for each row whose change is not clear
 * @example signedAmounts([{ type: 'debit', amount: 1 }, { type: 'sms', amount: 1 }]) // [-1, undefined]
 */
export function signedAmounts(rows: readonly WalletRow[]): ReadonlyArray<number | undefined> {
	const signed = showsSigns(rows);
	return rows.map((row, index) => {
		const older = rows[index + 1]?.balance;
		const moved = typeof row.balance === 'number' && typeof older === 'number' ? row.balance - older : undefined;
		return byBalances(row, moved) ?? byItself(row, signed);
	});
}

function byBalances({ amount }: WalletRow, moved: number | undefined): number | undefined {
	if (moved === undefined) return undefined;
	if (sameAmount(moved, 0)) return 0;
	return typeof amount === 'number' && sameAmount(Math.abs(moved), Math.abs(amount)) ? moved : undefined;
}

function byItself(row: WalletRow, signed: boolean): number | undefined {
	const { amount } = row;
	if (typeof amount !== 'number' || amount === 0) return amount ?? undefined;
	// A pending or failed payment may or may not have changed the balance.
	if (!['none', 'completed'].includes(topUpStage(row)) || isUnsettled(row)) return undefined;
	if (amount < 0) return amount;
	const kind = transactionKind(row);
	if (kind === 'charge' || kind === 'fee') return -amount;
	if (kind === 'topup') return amount;
	if (kind === 'refund' && !mentionsTopUp(row)) return amount;
	return signed ? amount : undefined;
}

function isUnsettled({ status }: WalletRow): boolean {
	return typeof status === 'string' && ['pending', 'failed'].includes(paymentStage(status));
}

/** Whether a list shows debits with a minus sign. An amount without one is then a credit. */
function showsSigns(rows: readonly WalletRow[]): boolean {
	const spent = rows.filter((row) => ['charge', 'fee'].includes(transactionKind(row)) && (row.amount ?? 0) !== 0);
	return spent.length > 0 && spent.every(({ amount }) => (amount ?? 0) < 0);
}
