import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod/v4';
import { type Changes, createChanges } from './changes';
import { createInbox, type Inbox } from './inbox';
import { createMessages, type Messages } from './messages';
import { openDatabase } from './open';
import { createPhoneTexts, type PhoneTexts } from './phoneTexts';
import { seed } from './seed';
import { createSenderIds, type SenderIds } from './senderIds';
import { createSettings, type Settings } from './settings';
import { transaction } from './transaction';
import { createWallet, type Wallet } from './wallet';

/** All that the sandbox remembers. */
export interface Store {
	readonly wallet: Wallet;
	readonly messages: Messages;
	readonly senderIds: SenderIds;
	readonly inbox: Inbox;
	readonly phoneTexts: PhoneTexts;
	readonly settings: Settings;
	readonly changes: Changes;
	/** Gives an empty store its first account. @param now milliseconds since 1970 UTC */
	seed(now: number): void;
	/** Forgets everything and seeds again. @param now milliseconds since 1970 UTC */
	reset(now: number): void;
	close(): void;
}

const tableRow = z.object({ name: z.string() });

/**
 * Opens the store, making or upgrading its tables.
 * @param data a file's path, made where missing, or `:memory:`
 * @throws DataFileError where the file cannot be used
 */
export function openStore(data: string): Store {
	const database = openDatabase(data);
	const changes = createChanges();
	const wallet = createWallet(database);
	const senderIds = createSenderIds(database);
	return {
		wallet,
		messages: createMessages(database, wallet, changes),
		senderIds,
		inbox: createInbox(database),
		phoneTexts: createPhoneTexts(database, changes),
		settings: createSettings(database),
		changes,
		seed: (now) => seed(database, wallet, senderIds, now),
		reset: (now) => {
			empty(database);
			seed(database, wallet, senderIds, now);
			changes.phone();
		},
		close: () => database.close(),
	};
}

function empty(database: DatabaseSync): void {
	const rows = database
		.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
		.all();
	const tables = z.array(tableRow).parse(rows);
	transaction(database, () => {
		// Tables refer to each other, and emptying them all at once never leaves a dangling reference.
		database.exec('PRAGMA defer_foreign_keys = ON');
		for (const { name } of tables) database.exec(`DELETE FROM "${name}"`);
	});
}
