import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { planBatch } from '../../sandbox/simulation/deliveryPlan';
import { openStore, type Store } from '../../sandbox/store/store';

const PHONE = '+233201234567';
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
let file = 0;
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a store with a trigger that breaks a change, as if the process were killed there. */
function openBreaking(trigger: string): Store {
	file += 1;
	const data = join(folder, `${file}.db`);
	const made = openStore(data);
	made.seed(0);
	made.packages.add({ name: 'p', credits: 3, created_at: 0 });
	made.close();
	const database = new DatabaseSync(data);
	database.exec(`CREATE TRIGGER breaks ${trigger} BEGIN SELECT RAISE(ABORT, 'broken off'); END`);
	database.close();
	return openStore(data);
}

function acceptBatch(store: Store, count: number) {
	for (let first = 0; first < count; first += 100) {
		const recipients = Array.from({ length: Math.min(100, count - first) }, () => PHONE);
		store.batches.receive('bulk_1', first, recipients);
	}
	return acceptBatchOf(store, 'bulk_1', count);
}

function acceptBatchOf(store: Store, id: string, total: number) {
	return store.batches.accept({
		id,
		sender_id: 'KOFISHOP',
		text: 'Hello',
		priority: 0,
		segments: 1,
		cost: 500,
		total,
		scheduled_at: null,
		created_at: 0,
	});
}

function acceptMessage(store: Store, segments: number) {
	return store.messages.accept({
		id: 'msg_1',
		channel: 'sms',
		recipient: PHONE,
		senderId: 'KOFISHOP',
		text: 'Hello',
		priority: false,
		segments,
		cost: segments * 500,
		createdAt: 0,
		transitions: [{ status: 'failed', dueAt: 1 }],
	});
}

function state(store: Store) {
	return {
		balance: store.wallet.read().balance,
		transactions: store.wallet.count(),
		credits: store.packages.list().map(({ credits_left }) => credits_left),
		messages: store.messages.list().length,
		batches: store.batches.list().length,
	};
}

const untouched = { balance: 400_000, transactions: 1, credits: [3], messages: 0, batches: 0 };

it.each(['AFTER INSERT ON wallet_transactions', 'AFTER INSERT ON batches', 'AFTER UPDATE ON packages'])(
	'leaves nothing of a bulk send that fails %s',
	(trigger) => {
		const store = openBreaking(trigger);
		expect(state(store)).toEqual(untouched);
		expect(() => acceptBatch(store, 10)).toThrow('broken off');
		expect(state(store)).toEqual(untouched);
		store.close();
	},
);

it.each(['AFTER INSERT ON wallet_transactions', 'AFTER INSERT ON messages'])(
	'leaves nothing of a send that fails %s',
	(trigger) => {
		const store = openBreaking(trigger);
		expect(() => acceptMessage(store, 4)).toThrow('broken off');
		expect(state(store)).toEqual(untouched);
		store.close();
	},
);

it.each(['AFTER UPDATE OF made ON batches WHEN NEW.made > 200', `AFTER INSERT ON messages WHEN NEW.id = 'msg_1_250'`])(
	'creates as many messages of a batch as it counts if it fails %s',
	(trigger) => {
		const store = openBreaking(trigger);
		expect(acceptBatch(store, 400)).toMatchObject({ accepted: true });
		expect(store.batches.makeNext(planBatch, 100)).toBe(true);
		expect(store.batches.makeNext(planBatch, 100)).toBe(true);
		expect(() => store.batches.makeNext(planBatch, 100)).toThrow('broken off');
		expect(store.batches.list()).toMatchObject([{ made: 200 }]);
		expect(state(store)).toMatchObject({ messages: 200, balance: 400_000 - 397 * 500 });
		store.close();
	},
);

it.each([
	`AFTER UPDATE ON messages WHEN NEW.status = 'failed'`,
	`AFTER INSERT ON wallet_transactions WHEN NEW.type = 'refund'`,
])('retries a status change that fails %s, and refunds it once', (trigger) => {
	const store = openBreaking(trigger);
	acceptMessage(store, 4);
	expect(() => store.messages.applyDue(10)).toThrow('broken off');
	expect(store.messages.find('msg_1')).toMatchObject({ status: 'submitted' });
	expect(state(store)).toMatchObject({ balance: 398_000, transactions: 2 });
	expect(store.messages.nextDueAt()).toBe(1);
	store.close();
});

it.each(['AFTER UPDATE ON top_ups', 'AFTER INSERT ON wallet_transactions'])(
	'leaves a top-up pending if its payment fails %s',
	(trigger) => {
		const store = openBreaking(trigger);
		store.topUps.add({ reference: 'top_1', amount: 500_000, fee: 0, return_url: null, created_at: 0 }, 100);
		expect(() => store.topUps.checkOut('top_1', { status: 'completed', method: 'card' }, 1)).toThrow('broken off');
		expect(store.topUps.find('top_1')).toMatchObject({ status: 'pending' });
		expect(state(store)).toMatchObject({ balance: 400_000, transactions: 1 });
		store.close();
	},
);

it('discards recipients received before a kill, and charges nothing for them', () => {
	const data = join(folder, 'received.db');
	const killed = openStore(data);
	killed.seed(0);
	killed.batches.receive('bulk_1', 0, [PHONE, PHONE]);
	killed.close();
	const store = openStore(data);
	expect(store.batches.makeNext(planBatch, 10)).toBe(false);
	expect(() => acceptBatchOf(store, 'bulk_1', 2)).toThrow('the recipients of bulk_1 no longer exist');
	expect(state(store)).toMatchObject({ balance: 400_000, transactions: 1, batches: 0 });
	store.batches.receive('bulk_1', 0, [PHONE, PHONE]);
	expect(acceptBatchOf(store, 'bulk_1', 2)).toMatchObject({ accepted: true });
	store.close();
	// The recipients of an accepted batch stay.
	const again = openStore(data);
	while (again.batches.makeNext(planBatch, 1));
	expect(state(again)).toMatchObject({ messages: 2, batches: 1 });
	again.close();
});

it('discards the recipients of a bulk send that is not accepted', () => {
	const store = openStore(':memory:');
	store.seed(0);
	store.batches.receive('bulk_1', 0, [PHONE]);
	store.batches.receive('bulk_2', 0, [PHONE]);
	store.batches.discard('bulk_1');
	expect(() => acceptBatchOf(store, 'bulk_1', 1)).toThrow('no longer exist');
	expect(acceptBatchOf(store, 'bulk_2', 1)).toMatchObject({ accepted: true });
	store.close();
});
