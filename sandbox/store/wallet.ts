import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { cached, transaction } from '../performance';
import type { Changes } from './changes';
import { anyOf, contains, createSelection, given, startsWith } from './search';
import type { Statistics } from './statistics';

/** State of the wallet. `balance` is in 1/10000 of the currency. */
export interface WalletState {
	readonly currency: string;
	readonly balance: number;
}

const walletRow = z.object({ currency: z.string(), balance: z.number() });

const transactionRow = z.object({
	id: z.number(),
	type: z.enum(['topup', 'debit', 'refund', 'adjustment']),
	amount: z.number(),
	balance_after: z.number(),
	message_id: z.string().nullable(),
	reference: z.string().nullable(),
	description: z.string(),
	created_at: z.number(),
});
const transactionRows = z.array(transactionRow);

/**
 * A wallet transaction. Amounts are in 1/10000 of the currency, `amount` is negative for a debit. `reference` is the
 * batch or top-up. `created_at` is in milliseconds since 1970 UTC.
 */
export type WalletTransaction = z.output<typeof transactionRow>;

/** A wallet transaction to add. */
export type WalletChange = Pick<WalletTransaction, 'type' | 'amount' | 'description' | 'created_at'> &
	Partial<Pick<WalletTransaction, 'message_id' | 'reference'>>;

/** Result of a charge. Amounts are in 1/10000 of the currency. */
export type Payment =
	| { readonly accepted: true; readonly balance: number }
	| { readonly accepted: false; readonly currency: string; readonly available: number };

/** Which transactions to return. */
export interface TransactionFilter {
	readonly type?: string | undefined;
	/** Part of the description, or the beginning of the ID of a message or top-up. Ignores case. */
	readonly search?: string | undefined;
}

/** The prepaid wallet (docs/api.md#billing). */
export interface Wallet {
	read(): WalletState;
	/** A page of transactions, newest first. */
	page(limit: number, offset: number, filter?: TransactionFilter): WalletTransaction[];
	/** Number of transactions. */
	count(filter?: TransactionFilter): number;
	/**
	 * Adds a transaction and changes the balance by its amount. The caller holds a transaction.
	 * @returns the new balance
	 * @throws Error if the balance would become negative, or something would be charged or refunded twice
	 */
	book(change: WalletChange): number;
	/** Adds a charge if the balance is sufficient. `amount` is positive. The caller holds a transaction. */
	charge(charge: Omit<WalletChange, 'type'>): Payment;
	/** Charges for something other than a message. `amount` is positive. One transaction. */
	pay(charge: Pick<WalletTransaction, 'amount' | 'description' | 'created_at'> & { reference: string }): Payment;
	/** Adjusts the balance by hand. One transaction. @returns undefined if the balance would become negative */
	adjust(amount: number, description: string, now: number): number | undefined;
}

/**
 * Creates the wallet part of the store.
 * @param booked called with the state after each change, within its transaction
 */
export function createWallet(
	database: DatabaseSync,
	{ changes, statistics }: { changes: Changes; statistics: Statistics },
	booked: (state: WalletState, now: number) => void,
): Wallet {
	const select = database.prepare(
		`SELECT currency,
			coalesce((SELECT balance_after FROM wallet_transactions ORDER BY id DESC LIMIT 1), 0) AS balance
		 FROM wallet WHERE id = 1`,
	);
	const selection = createSelection(database, 'wallet_transactions', 'id');
	const insert = database.prepare(
		`INSERT INTO wallet_transactions (type, amount, balance_after, message_id, reference, description, created_at)
		 VALUES (?, ?, ?, ?, ?, ?, ?)`,
	);
	// Every send reads it.
	const state = cached(database, () => walletRow.parse(select.get()));

	function charge({ amount, ...fields }: Omit<WalletChange, 'type'>): Payment {
		const { currency, balance } = state.get();
		if (balance < amount) return { accepted: false, currency, available: balance };
		return { accepted: true, balance: book({ ...fields, type: 'debit', amount: -amount }) };
	}

	function book(change: WalletChange): number {
		const { type, amount, message_id = null, reference = null, description, created_at } = change;
		const { currency, balance: before } = state.get();
		const after = { currency, balance: before + amount };
		insert.run(type, amount, after.balance, message_id, reference, description, created_at);
		state.set(after);
		if (type === 'debit' || type === 'refund') statistics.spend(-amount, created_at);
		booked(after, created_at);
		return after.balance;
	}

	return {
		read: () => state.get(),
		page: (limit, offset, filter = {}) => transactionRows.parse(selection.list(toConditions(filter), limit, offset)),
		count: (filter = {}) => selection.count(toConditions(filter)),
		book,
		charge,
		pay: (paid) => {
			const payment = transaction(database, () => charge(paid));
			changes.emit('wallet');
			changes.due();
			return payment;
		},
		adjust: (amount, description, now) => {
			const balance = transaction(database, () =>
				state.get().balance + amount < 0
					? undefined
					: book({ type: 'adjustment', amount, description, created_at: now }),
			);
			changes.emit('wallet');
			changes.due();
			return balance;
		},
	};
}

function toConditions({ type, search }: TransactionFilter) {
	return [
		given('type = ?', type),
		search === undefined
			? undefined
			: anyOf([contains('description', search), startsWith('message_id', search), startsWith('reference', search)]),
	];
}
