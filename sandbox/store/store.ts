import { createGroupCommit, type GroupCommit, forgetCaches, transaction } from '../performance';
import { type Batches, createBatches } from './batches';
import { type Callbacks, createCallbacks } from './callbacks';
import { changeKinds, type Changes, createChanges } from './changes';
import { type Contacts, createContacts } from './contacts';
import { createInbox, type Inbox } from './inbox';
import { createKeys, type Keys } from './keys';
import { createMessageRows } from './messageRows';
import { createMessages, type Messages } from './messages';
import { openDatabase } from './open';
import { createOutbox } from './outbox';
import { createPackages, type Packages } from './packages';
import { createPhoneTexts, type PhoneTexts } from './phoneTexts';
import { type Account, defaultAccount, seed } from './seed';
import { createSenderIds, type SenderIds } from './senderIds';
import { createSettings, type Settings } from './settings';
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot';
import { createStatistics, type Statistics } from './statistics';
import { createTopUps, type TopUps } from './topUps';
import { createVerifications, type Verifications } from './verifications';
import { createWallet, type Wallet } from './wallet';

/** The whole state of the sandbox. */
export interface Store {
	readonly wallet: Wallet;
	readonly packages: Packages;
	readonly topUps: TopUps;
	readonly messages: Messages;
	readonly batches: Batches;
	readonly verifications: Verifications;
	readonly senderIds: SenderIds;
	readonly contacts: Contacts;
	readonly inbox: Inbox;
	readonly phoneTexts: PhoneTexts;
	readonly keys: Keys;
	readonly callbacks: Callbacks;
	readonly statistics: Statistics;
	readonly settings: Settings;
	readonly changes: Changes;
	readonly group: GroupCommit;
	/** Runs changes as one transaction. If the work throws, all are rolled back. */
	transaction<Result>(work: () => Result): Result;
	/** Adds the first account to an empty store. @param now milliseconds since 1970 UTC @returns whether it was empty */
	seed(now: number): boolean;
	/** Deletes everything and seeds again. @param now milliseconds since 1970 UTC */
	reset(now: number): void;
	/** Copies the whole state. */
	snapshot(): Snapshot;
	/** Restores a snapshot. */
	restore(snapshot: Snapshot): void;
	close(): void;
}

/**
 * Opens the store, and creates or upgrades its tables.
 * @param data file path, created if missing, or `:memory:`
 * @param account the first account of an empty store
 * @throws DataFileError if the file cannot be used
 */
export function openStore(data: string, account: Account = defaultAccount): Store {
	const database = openDatabase(data);
	const changes = createChanges();
	const settings = createSettings(database, changes);
	const callbacks = createCallbacks(database, changes);
	const outbox = createOutbox(callbacks, settings);
	const statistics = createStatistics(database);
	const wallet = createWallet(database, { changes, statistics }, (state, now) => outbox.balance(state, now));
	const packages = createPackages(database, changes);
	const rows = createMessageRows(database);
	const senderIds = createSenderIds(database, changes);
	const contacts = createContacts(database, changes);
	const keys = createKeys(database, changes);
	const inbox = createInbox(database, changes);
	const seeded = { wallet, senderIds, contacts, inbox, settings };
	const group = createGroupCommit(database);
	const batches = createBatches(database, { rows, statistics, wallet, packages, changes });
	batches.discard();

	function refill(snapshot?: Snapshot): void {
		restoreSnapshot(database, snapshot);
		forgetCaches(database);
	}

	function emitAll(): void {
		changes.phone();
		changes.emit(...changeKinds);
		changes.due();
	}

	return {
		wallet,
		packages,
		topUps: createTopUps(database, wallet, changes),
		messages: createMessages(database, { group, rows, statistics, wallet, packages, outbox, changes }),
		batches,
		verifications: createVerifications(database),
		senderIds,
		contacts,
		inbox,
		phoneTexts: createPhoneTexts(database, changes),
		keys,
		callbacks,
		statistics,
		settings,
		changes,
		group,
		transaction: (work) => transaction(database, work),
		seed: (now) => seed(database, seeded, account, now),
		reset: (now) => {
			refill();
			seed(database, seeded, account, now);
			emitAll();
		},
		snapshot: () => takeSnapshot(database),
		restore: (snapshot) => {
			refill(snapshot);
			emitAll();
		},
		close: () => {
			group.flush();
			database.close();
		},
	};
}
