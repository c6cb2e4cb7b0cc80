import { topUpStage, transactionKind } from './transactionKind';
import type { WalletRow } from './walletRow';

/** A type of transaction that a user can choose in a trigger. A `reversal` is rare, so no list offers it. */
export type TransactionChoice = 'topup' | 'debit' | 'refund' | 'adjustment' | 'reversal';

/**
 * The choice that a transaction belongs to, whatever the service names its type. A top-up belongs to one only after it
 * completed.
 * @param amount signed, in currency units; see {@link signedAmounts}
 * @returns undefined if it belongs to none
 * @example transactionChoice({ type: 'sms', amount: -0.05 }, -0.05) // 'debit'
 */
export function transactionChoice(row: WalletRow, amount: number | undefined): TransactionChoice | undefined {
	const kind = transactionKind(row);
	switch (kind) {
		case 'topup':
			return topUpStage(row) === 'completed' ? 'topup' : undefined;
		case 'charge':
		case 'fee':
			return 'debit';
		case 'unknown':
			return (amount ?? 0) < 0 ? 'debit' : undefined;
		default:
			return kind;
	}
}
