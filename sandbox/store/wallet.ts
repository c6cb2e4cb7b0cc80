import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';

/** What the wallet holds; `balance` in 1/10000 of the currency. */
export interface WalletState {
	readonly currency: string;
	readonly balance: number;
}

const walletRow = z.object({ currency: z.string(), balance: z.number() });

const transactionRow = z.object({
	id: z.number(),
	type: z.enum(['topup', 'debit', 'refund']),
	amount: z.number(),
	message_id: z.string().nullable(),
	created_at: z.number(),
});

/** One change of the wallet; `amount` in 1/10000 of the currency, below zero for a debit; `created_at` in milliseconds. */
export type WalletTransaction = z.output<typeof transactionRow>;

/** The prepaid wallet (service.md, What the service does: Billing). */
export interface Wallet {
	read(): WalletState;
	/** All changes, newest first. */
	transactions(): WalletTransaction[];
	/**
	 * Adds a change and moves the balance by its amount. The caller holds a transaction around it.
	 * @throws Error where the balance would fall below zero, or a message would be charged or refunded twice
	 */
	book(change: Omit<WalletTransaction, 'id'>): void;
}

/** Makes the wallet's part of a store. */
export function createWallet(database: DatabaseSync): Wallet {
	const select = database.prepare('SELECT currency, balance FROM wallet WHERE id = 1');
	const list = database.prepare('SELECT * FROM wallet_transactions ORDER BY id DESC');
	const insert = database.prepare(
		'INSERT INTO wallet_transactions (type, amount, message_id, created_at) VALUES (?, ?, ?, ?)',
	);
	const move = database.prepare('UPDATE wallet SET balance = balance + ? WHERE id = 1');
	return {
		read: () => walletRow.parse(select.get()),
		transactions: () => z.array(transactionRow).parse(list.all()),
		book: ({ type, amount, message_id, created_at }) => {
			insert.run(type, amount, message_id, created_at);
			move.run(amount);
		},
	};
}
