import { toTimestamp } from '../http/timestamp';
import { toCurrency } from '../store/money';
import type { WalletTransaction } from '../store/wallet';

/** Converts a wallet transaction to the form of the API and the control routes. Amounts are in currency units. */
export function toTransaction(row: WalletTransaction) {
	const { id, type, amount, balance_after, message_id, reference, description, created_at } = row;
	return {
		id,
		type,
		amount: toCurrency(amount),
		balance: toCurrency(balance_after),
		message_id,
		reference,
		description,
		created_at: toTimestamp(created_at),
	};
}
