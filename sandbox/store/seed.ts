import type { DatabaseSync } from 'node:sqlite';
import { UNITS } from './money';
import type { SenderIds } from './senderIds';
import { transaction } from './transaction';
import type { Wallet } from './wallet';

const CURRENCY = 'GHS';
const FIRST_TOP_UP = 40 * UNITS;

/**
 * Adds the account of a new sandbox: a balance of GHS 40.00, two approved sender IDs, a pending one and a rejected one.
 * Does nothing if the store already has an account.
 * @param now milliseconds since 1970 UTC
 */
export function seed(database: DatabaseSync, wallet: Wallet, senderIds: SenderIds, now: number): void {
	if (database.prepare('SELECT id FROM wallet').get()) return;
	transaction(database, () => {
		database.prepare('INSERT INTO wallet (id, currency) VALUES (1, ?)').run(CURRENCY);
		wallet.book({ type: 'topup', amount: FIRST_TOP_UP, description: 'First top-up', created_at: now });
		senderIds.add({ name: 'KOFISHOP', status: 'approved', created_at: now });
		senderIds.add({ name: 'AKWAABA', status: 'approved', created_at: now });
		senderIds.add({ name: 'PENDINGCO', status: 'pending', created_at: now });
		senderIds.add({ name: 'REFUSEDCO', status: 'rejected', created_at: now });
	});
}
