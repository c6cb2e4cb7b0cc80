import { paymentStage } from './paymentStage';
import { mentionsTopUp, topUpStage, transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** Amounts come as binary fractions; this much is no difference. In currency units. */
const TOLERANCE = 0.000_05;

/** Whether two amounts are the same, as far as binary fractions can be. */
export function sameAmount(a: number, b: number): boolean {
	return Math.abs(a - b) < TOLERANCE;
}

/**
 * Gives what each transaction did to the balance, in currency units: below zero for money that left. Some services list
 * amounts without a sign. So the balances of neighboring rows decide first, then a minus sign, then the kind.
 * @param rows newest first
 * @returns undefined where nothing tells
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
	// Whether a payment that is pending or failed moved the balance is not known.
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

/** Whether a list gives money that left a minus sign; then an amount without one is money that came. */
function showsSigns(rows: readonly WalletRow[]): boolean {
	const spent = rows.filter((row) => ['charge', 'fee'].includes(transactionKind(row)) && (row.amount ?? 0) !== 0);
	return spent.length > 0 && spent.every(({ amount }) => (amount ?? 0) < 0);
}
