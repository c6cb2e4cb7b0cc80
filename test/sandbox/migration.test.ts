import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { run } from '../support/testSandbox';

const secondSchema = join(__dirname, '../../sandbox/store/migrations/0002-whole-service.sql');
const schemaOf = (name: string) => readFileSync(join(__dirname, '../../sandbox/store/migrations', name), 'utf8');
const firstSchema = join(__dirname, '../../sandbox/store/migrations/0001-start.sql');

it('upgrades a file of version 1: balance, pending messages, sender IDs', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const data = join(folder, 'old.db');
	const old = new DatabaseSync(data);
	old.exec(readFileSync(firstSchema, 'utf8'));
	old.exec(`
		PRAGMA user_version = 1;
		INSERT INTO wallet VALUES (1, 'GHS', 399000);
		INSERT INTO wallet_transactions (type, amount, message_id, created_at)
			VALUES ('topup', 400000, NULL, 1), ('debit', -500, 'msg_a', 2), ('debit', -500, 'msg_b', 3);
		INSERT INTO sender_ids VALUES ('SECOND', 'approved', 1), ('FIRST', 'pending', 2);
		INSERT INTO messages (id, channel, recipient, sender_id, text, priority, segments, cost, status, created_at, sent_at)
			VALUES ('msg_a', 'sms', '+233201234567', 'SECOND', 'x', 0, 1, 500, 'sent', 2, 302),
				('msg_b', 'sms', '+233990000002', 'SECOND', 'y', 0, 1, 500, 'submitted', 3, NULL);
		INSERT INTO transitions (message_id, status, due_at)
			VALUES ('msg_a', 'delivered', 1002), ('msg_b', 'sent', 303), ('msg_b', 'failed', 1003);
		INSERT INTO settings VALUES ('requests_per_second', '7');
	`);
	old.close();
	try {
		await using sandbox = await run({ data });
		await sandbox.advance(0);
		expect(await sandbox.status('msg_a')).toMatchObject({ status: 'delivered' });
		expect(await sandbox.status('msg_b')).toMatchObject({ status: 'failed' });
		expect(await sandbox.wallet()).toMatchObject({
			balance: 39.95,
			transactions: [
				{ type: 'refund', amount: 0.05, balance: 39.95, message_id: 'msg_b' },
				{ type: 'debit', balance: 39.9 },
				{ type: 'debit', balance: 39.95 },
				{ type: 'topup', balance: 40 },
			],
		});
		expect((await sandbox.control('GET', 'sender-ids/all')).body).toMatchObject([
			{ name: 'SECOND' },
			{ name: 'FIRST' },
		]);
		expect((await sandbox.control('GET', 'settings')).body).toMatchObject({ requests_per_second: 7 });
		expect((await sandbox.control('GET', 'overview')).body).toMatchObject({
			messages: { delivered: 1, failed: 1 },
			channels: { sms: 2 },
		});
		expect((await sandbox.send({ sender_id: 'SECOND' })).status).toBe(200);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

it('upgrades a file of version 2: a half-finished bulk send, phone messages', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const data = join(folder, 'old.db');
	const old = new DatabaseSync(data);
	old.exec(readFileSync(firstSchema, 'utf8'));
	old.exec(readFileSync(secondSchema, 'utf8'));
	const to = Array.from({ length: 1234 }, (_none, index) => `+23320${String(index).padStart(7, '0')}`);
	old.exec(`
		PRAGMA user_version = 2;
		INSERT INTO wallet VALUES (1, 'GHS', 400000);
		INSERT INTO phone_texts (id, sender, recipient, text, url, status, http_status, problem, created_at)
			VALUES ('a', '${to[0]}', 'SECOND', 'x', 'http://127.0.0.1:1/', 'failed', 500, 'answered 500', 5);
	`);
	old
		.prepare(
			`INSERT INTO batches VALUES ('bulk_a', 'SECOND', 'Hi', 0, 1, 500, ?, ?, 600, '[]', NULL, 5),
				('bulk_b', 'SECOND', 'Hi', 0, 1, 500, '["+233200000000"]', 1, 1, '[]', NULL, 4)`,
		)
		.run(JSON.stringify(to), to.length);
	old.close();
	try {
		await using sandbox = await run({ data });
		await sandbox.advance(10_000);
		const messages = (await sandbox.control('GET', 'messages')).body as { message_id: string; to: string }[];
		expect(messages.map((message) => message.to).sort()).toEqual(to.slice(600));
		expect(messages.map(({ message_id }) => message_id)).toContain('msg_a_601');
		expect((await sandbox.control('GET', `phones/${to[0]}`)).body).toMatchObject({
			entries: [{ status: 'failed', delivery: { http_status: 500, problem: 'answered 500' } }],
		});
	} finally {
		rmSync(folder, { recursive: true });
	}
});

it('upgrades a file of version 3: callbacks with their attempts, and planned status changes', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const data = join(folder, 'old.db');
	const old = new DatabaseSync(data);
	for (const name of ['0001-start.sql', '0002-whole-service.sql', '0003-slices-and-posts.sql'])
		old.exec(schemaOf(name));
	old.exec(`
		PRAGMA user_version = 3;
		INSERT INTO wallet VALUES (1, 'GHS', 400000);
		INSERT INTO messages (id, channel, recipient, sender_id, text, priority, segments, cost, status, created_at)
			VALUES ('msg_a', 'sms', '+233201234567', 'SECOND', 'x', 0, 1, 500, 'submitted', 2);
		INSERT INTO transitions (message_id, status, due_at) VALUES ('msg_a', 'delivered', 1002), ('msg_a', 'sent', 302);
		INSERT INTO callbacks (event, fact, message_id, url, status, attempts, due_at, created_at)
			VALUES ('message.status', '{"at":1}', 'msg_a', 'http://127.0.0.1:1/', 'given_up', 1, NULL, 5);
		INSERT INTO callback_attempts (callback_id, url, content_type, body, started_at, duration)
			VALUES (1, 'http://127.0.0.1:1/', 'application/json', '{}', 5, 6);
	`);
	old.close();
	try {
		await using sandbox = await run({ data });
		await sandbox.advance(0);
		expect((await sandbox.control('GET', 'messages/msg_a')).body).toMatchObject({
			timeline: [{ status: 'sent' }, { status: 'delivered' }],
		});
		expect((await sandbox.control('GET', 'callbacks/1')).body).toMatchObject({
			status: 'given_up',
			attempts: [{ request: { body: '{}' }, milliseconds: 6 }],
		});
	} finally {
		rmSync(folder, { recursive: true });
	}
});
