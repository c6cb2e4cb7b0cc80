import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../performance';
import type { Contacts } from './contacts';
import { UNITS } from './money';
import type { SenderIds } from './senderIds';
import type { Wallet } from './wallet';

const CURRENCY = 'GHS';
const FIRST_TOP_UP = 40 * UNITS;

/** Contacts to choose from. Messages to them are delivered. */
const CONTACTS = [
	['Ama Mensah', '+233205550101'],
	['Kofi Boateng', '+233245550102'],
	['Esi Owusu', '+233275550103'],
] as const;

/** Parts of the store that a new sandbox has records in. */
export interface SeededParts {
	readonly wallet: Wallet;
	readonly senderIds: SenderIds;
	readonly contacts: Contacts;
}

/**
 * Adds the account of a new sandbox: a balance of GHS 40.00, two approved sender IDs, a pending one and a rejected one,
 * and three contacts.
 * Does nothing if the store already has an account.
 * @param now milliseconds since 1970 UTC
 */
export function seed(database: DatabaseSync, { wallet, senderIds, contacts }: SeededParts, now: number): void {
	if (database.prepare('SELECT id FROM wallet').get()) return;
	transaction(database, () => {
		database.prepare('INSERT INTO wallet (id, currency) VALUES (1, ?)').run(CURRENCY);
		wallet.book({ type: 'topup', amount: FIRST_TOP_UP, description: 'First top-up', created_at: now });
		senderIds.add({ name: 'KOFISHOP', status: 'approved', created_at: now });
		senderIds.add({ name: 'AKWAABA', status: 'approved', created_at: now });
		senderIds.add({ name: 'PENDINGCO', status: 'pending', created_at: now });
		senderIds.add({ name: 'REFUSEDCO', status: 'rejected', created_at: now });
		for (const [name, phone] of CONTACTS) contacts.add({ name, phone, fields: {}, created_at: now });
	});
}
