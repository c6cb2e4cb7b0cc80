import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../performance';
import type { Contact, Contacts } from './contacts';
import type { Inbox } from './inbox';
import { UNITS } from './money';
import type { SenderId, SenderIds } from './senderIds';
import type { Settings, SettingsValues } from './settings';
import type { Wallet } from './wallet';

/** The account of a new sandbox. */
export interface Account {
	/** ISO code, such as GHS. */
	readonly currency: string;
	/** In 1/10000 of the currency. */
	readonly balance: number;
	readonly senderIds: readonly Pick<SenderId, 'name' | 'status'>[];
	readonly contacts: readonly Pick<Contact, 'name' | 'phone' | 'fields'>[];
	/** Phone numbers in E.164. */
	readonly optOuts: readonly string[];
	/** Settings that differ from the default. */
	readonly settings: Partial<SettingsValues>;
}

/**
 * A balance of GHS 40.00, two approved sender IDs, a pending one and a rejected one, and three contacts to choose from.
 * Messages to them are delivered.
 */
export const defaultAccount: Account = {
	currency: 'GHS',
	balance: 40 * UNITS,
	senderIds: [
		{ name: 'KOFISHOP', status: 'approved' },
		{ name: 'AKWAABA', status: 'approved' },
		{ name: 'PENDINGCO', status: 'pending' },
		{ name: 'REFUSEDCO', status: 'rejected' },
	],
	contacts: [
		{ name: 'Ama Mensah', phone: '+233205550101', fields: {} },
		{ name: 'Kofi Boateng', phone: '+233245550102', fields: {} },
		{ name: 'Esi Owusu', phone: '+233275550103', fields: {} },
	],
	optOuts: [],
	settings: {},
};

/** Parts of the store that a new sandbox has records in. */
export interface SeededParts {
	readonly wallet: Wallet;
	readonly senderIds: SenderIds;
	readonly contacts: Contacts;
	readonly inbox: Inbox;
	readonly settings: Settings;
}

/**
 * Adds the account of a new sandbox, unless the store already has an account.
 * @param now milliseconds since 1970 UTC
 * @returns whether it was added
 */
export function seed(database: DatabaseSync, parts: SeededParts, account: Account, now: number): boolean {
	if (database.prepare('SELECT id FROM wallet').get()) return false;
	const { wallet, senderIds, contacts, inbox, settings } = parts;
	transaction(database, () => {
		database.prepare('INSERT INTO wallet (id, currency) VALUES (1, ?)').run(account.currency);
		// The settings come first, because a balance below their threshold is reported.
		settings.change(account.settings);
		if (account.balance > 0) {
			wallet.book({ type: 'topup', amount: account.balance, description: 'First top-up', created_at: now });
		}
		for (const { name, status } of account.senderIds) senderIds.add({ name, status, created_at: now });
		for (const contact of account.contacts) contacts.add({ ...contact, created_at: now });
		for (const number of account.optOuts) inbox.addOptOut(number, now);
	});
	return true;
}
