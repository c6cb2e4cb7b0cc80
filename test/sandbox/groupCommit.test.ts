import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { openStore, type Store } from '../../sandbox/store/store';
import { run } from '../support/testSandbox';

const PHONE = '+233201234567';
const BREAKING = '+233209999999';
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a data file with an account and a schema that makes something fail. */
function makeFile(name: string, sql: string): string {
	const data = join(folder, `${name}.db`);
	const made = openStore(data);
	made.seed(0);
	made.close();
	const database = new DatabaseSync(data);
	database.exec(sql);
	database.close();
	return data;
}

/** Makes a commit fail if it contains a message to the breaking number. */
const COMMIT_BREAKS = `
	CREATE TABLE never (message INTEGER REFERENCES messages (row) DEFERRABLE INITIALLY DEFERRED) STRICT;
	CREATE TRIGGER breaks AFTER INSERT ON messages WHEN NEW.recipient = '${BREAKING}'
	BEGIN INSERT INTO never VALUES (-1); END`;

function accept(store: Store, id: string, recipient = PHONE) {
	return store.messages.accept({
		id,
		channel: 'sms',
		recipient,
		senderId: 'KOFISHOP',
		text: 'Hello',
		priority: false,
		segments: 1,
		cost: 500,
		createdAt: 0,
		transitions: [],
	});
}

function state(store: Store) {
	return {
		balance: store.wallet.read().balance,
		transactions: store.wallet.count(),
		messages: store.messages.list().map(({ id }) => id),
		counted: store.statistics.byStatus(),
	};
}

/** Values that the store returns from memory. */
function beside(store: Store) {
	return {
		balance: store.wallet.read().balance,
		credits: store.packages.list().map(({ credits_left }) => credits_left),
		counted: store.statistics.byStatus(),
		spent: store.statistics.spent(1, 0).reduce((sum, { total }) => sum + total, 0),
		isOptedOut: store.inbox.isOptedOut(PHONE),
		requests_per_second: store.settings.read().requests_per_second,
		senderId: store.senderIds.find('KOFISHOP')?.status,
	};
}

const untouched = { balance: 400_000, transactions: 1, messages: [], counted: {} };

it('commits the changes of several requests in one turn together, once', async () => {
	const data = join(folder, 'kept.db');
	const store = openStore(data);
	store.seed(0);
	const first = store.group.open();
	accept(store, 'msg_1');
	const second = store.group.open();
	accept(store, 'msg_2');
	expect(second).toBe(first);
	await first;
	store.close();
	const again = openStore(data);
	expect(state(again)).toEqual({
		balance: 399_000,
		transactions: 3,
		messages: ['msg_2', 'msg_1'],
		counted: { submitted: 2 },
	});
	again.close();
});

it('rolls back the group after a failed change, and rejects every waiter', async () => {
	const data = makeFile(
		'change',
		`CREATE TRIGGER breaks AFTER INSERT ON messages WHEN NEW.recipient = '${BREAKING}'
		 BEGIN SELECT RAISE(ABORT, 'broken off'); END`,
	);
	const store = openStore(data);
	const kept = store.group.open();
	accept(store, 'msg_1');
	expect(() => accept(store, 'msg_2', BREAKING)).toThrow('broken off');
	// A writer that joined the group and whose response will be an error.
	accept(store, 'msg_late');
	store.wallet.pay({ amount: 100, description: 'x', reference: 'late', created_at: 0 });
	await expect(kept).rejects.toThrow('broken off');
	await nextTurn();
	expect(state(store)).toEqual(untouched);
	// The next group works.
	const later = store.group.open();
	accept(store, 'msg_3');
	await later;
	expect(state(store)).toMatchObject({ messages: ['msg_3'], balance: 399_500 });
	store.close();
});

it.each<[string, string, (store: Store) => void]>([
	['a transaction', 'batch_slices', (store) => store.batches.receive('bulk_1', 0, [PHONE])],
	['a change of the group', `messages WHEN NEW.recipient = '${BREAKING}'`, (store) => accept(store, 'msg_2', BREAKING)],
])('charges nothing if SQLite itself rolls back in %s, as on a full disk', async (name, where, fill) => {
	const breaks = `CREATE TRIGGER breaks AFTER INSERT ON ${where} BEGIN SELECT RAISE(ROLLBACK, 'disk is full'); END`;
	const data = makeFile(name, breaks);
	const store = openStore(data);
	const kept = store.group.open();
	accept(store, 'msg_1');
	expect(() => fill(store)).toThrow('disk is full');
	void store.group.open();
	accept(store, 'msg_3');
	await expect(kept).rejects.toThrow();
	await nextTurn();
	store.close();
	const again = openStore(data);
	expect(state(again)).toEqual(untouched);
	again.close();
});

it('rolls back a transaction within the group on its own', async () => {
	const store = openStore(':memory:');
	store.seed(0);
	const kept = store.group.open();
	accept(store, 'msg_1');
	expect(() =>
		store.transaction(() => {
			store.wallet.book({ type: 'adjustment', amount: 100, description: 'x', created_at: 0 });
			throw new Error('changed my mind');
		}),
	).toThrow('changed my mind');
	await kept;
	expect(state(store)).toMatchObject({ messages: ['msg_1'], balance: 399_500, transactions: 2 });
	store.close();
});

it('rolls back in-memory caches with a transaction, and nothing else', async () => {
	const store = openStore(':memory:');
	store.seed(0);
	store.packages.add({ name: 'p', credits: 3, created_at: 0 });
	const kept = store.group.open();
	accept(store, 'msg_1');
	store.inbox.addOptOut(PHONE, 0);
	expect(() =>
		store.transaction(() => {
			accept(store, 'msg_2');
			store.wallet.charge({ amount: 700, description: 'x', created_at: 0 });
			store.inbox.removeOptOut(PHONE);
			store.settings.change({ requests_per_second: 1 });
			store.senderIds.decide('KOFISHOP', 'rejected');
			expect(beside(store)).toEqual({
				balance: 399_300,
				credits: [1],
				counted: { submitted: 2 },
				spent: 700,
				isOptedOut: false,
				requests_per_second: 1,
				senderId: 'rejected',
			});
			throw new Error('changed my mind');
		}),
	).toThrow('changed my mind');
	expect(() =>
		store.transaction(() => {
			accept(store, 'msg_3');
			throw new Error('changed my mind again');
		}),
	).toThrow('changed my mind again');
	await kept;
	expect(beside(store)).toEqual({
		balance: 400_000,
		credits: [2],
		counted: { submitted: 1 },
		spent: 0,
		isOptedOut: true,
		requests_per_second: 100,
		senderId: 'approved',
	});
	store.close();
});

it('includes all changes of the turn in a snapshot taken within it', async () => {
	const store = openStore(':memory:');
	store.seed(0);
	const kept = store.group.open();
	accept(store, 'msg_1');
	const snapshot = store.snapshot();
	await kept;
	const before = state(store);
	store.restore(snapshot);
	expect(state(store)).toEqual(before);
	expect(before).toMatchObject({ balance: 399_500, messages: ['msg_1'], counted: { submitted: 1 } });
	store.close();
});

it('leaves nothing of a failed commit, and no response that says otherwise', async () => {
	const failed = jest.spyOn(console, 'error').mockImplementation(() => {});
	const data = makeFile('commit', COMMIT_BREAKS);
	{
		await using sandbox = await run({ data });
		const responses = await Promise.all([sandbox.send({ to: BREAKING }), sandbox.send({ to: BREAKING })]);
		expect(responses.map(({ status }) => status)).toEqual([500, 500]);
		expect(await sandbox.wallet()).toMatchObject({ balance: 40, transactions: [{ type: 'topup' }] });
		expect(failed).toHaveBeenCalled();
		failed.mockRestore();
		expect((await sandbox.send()).status).toBe(200);
		expect(await sandbox.wallet()).toMatchObject({ balance: 39.95 });
	}
	const store = openStore(data);
	expect(state(store)).toMatchObject({ balance: 399_500, transactions: 2, counted: { submitted: 1 } });
	store.close();
});
