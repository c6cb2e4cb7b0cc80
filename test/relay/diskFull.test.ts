import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../relay/database/database';
import { openPostgres } from '../../relay/database/postgres';
import { eventually } from '../support/eventually';
import { subscribe } from '../support/relay/api';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { SHORT_LIVED, startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { receipt } from '../support/relay/requests';
import { mountSmallDisk, type SmallDisk } from '../support/relay/smallDisk';

const MEGABYTE = 1_000_000;
const FULL = /The disk is full, and the embedded database cannot continue\. Free space, then start the relay again/;

/** Posts events of about 14 kB, and remembers those that the relay acknowledged. */
function eventsFor(prefix: string) {
	const acknowledged: string[] = [];
	let count = 0;
	return {
		acknowledged,
		/** @returns the status; 0 if the relay ended */
		post: async (relay: RelayProcess): Promise<number> => {
			count += 1;
			const note = randomBytes(10_000).toString('base64');
			const response = await relay.post(receipt(`${prefix}-${count}`, 'sent', { note })).catch(() => undefined);
			if (!response) return 0;
			const text = await response.text();
			if (response.ok) acknowledged.push((JSON.parse(text) as { id: string }).id);
			else expect(response.headers.get('retry-after')).toBe('5');
			return response.status;
		},
	};
}

/** Posts until the relay rejects each event. Before that, pages that the database has or frees have room for some. */
async function rejectsAll(post: () => Promise<number>): Promise<void> {
	let rejected = 0;
	await eventually(
		'50 times 503 in a row',
		async () => {
			rejected = (await post()) === 503 ? rejected + 1 : 0;
			return rejected === 50 ? true : undefined;
		},
		60_000,
	);
}

async function allArrived(receiver: Receiver, ids: readonly string[]): Promise<void> {
	await eventually(
		'all acknowledged events',
		() => {
			const got = new Set(receiver.events().map(({ id }) => id));
			return ids.every((id) => got.has(id)) ? true : undefined;
		},
		60_000,
	);
}

describe('a disk that is full (folder)', () => {
	let disk: SmallDisk | undefined;
	let receiver: Receiver;
	beforeEach(async () => {
		disk = mountSmallDisk(150);
		receiver = await startReceiver();
	});
	afterEach(async () => {
		await receiver.close();
		disk?.unmount();
	});

	it('responds 503 while data cannot grow, loses no acknowledged event, and continues when there is space again', async () => {
		if (!disk) {
			sayWhySkipped();
			return;
		}
		const relay = await startRelayProcess({ folder: join(disk.folder, 'relay') });
		await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		const { post, acknowledged } = eventsFor('data');
		expect(await post(relay)).toBe(200);
		disk.fill();
		await rejectsAll(() => post(relay));
		disk.free();
		await eventually('the next acknowledged event', async () => ((await post(relay)) === 200 ? true : undefined));
		for (let count = 0; count < 20; count += 1) expect(await post(relay)).toBe(200);
		await allArrived(receiver, acknowledged);
		await relay.stop();
	}, 240_000);

	it('ends with a clear message if the log of the database cannot grow, and keeps all rows', () => {
		if (!disk) {
			sayWhySkipped();
			return;
		}
		const program = join(__dirname, '..', 'support', 'relay', 'fillLog.ts');
		const folder = join(disk.folder, 'relay');
		const run = (action: string) =>
			spawnSync(process.execPath, [...SHORT_LIVED, '--import', 'tsx', program, folder, action], {
				encoding: 'utf8',
				timeout: 120_000,
			});
		expect(run('count').status).toBe(0);
		// The data fits into this, and another file of the log does not.
		disk.fill(15 * MEGABYTE);
		const { status, stdout, stderr } = run('write');
		expect(stderr).toMatch(FULL);
		expect(status).toBe(1);
		disk.free();
		const written = Number(stdout.trim().split('\n').at(-1));
		expect(written).toBeGreaterThan(0);
		// The next row may be on disk, although the process ended before it printed it.
		expect([written, written + 1]).toContain(Number(run('count').stdout.trim()));
	}, 300_000);
});

describe('a disk that is full (postgres)', () => {
	let disk: SmallDisk | undefined;
	let server: Database;
	let url = '';
	beforeAll(async () => {
		disk = mountSmallDisk(80);
		if (!disk) return;
		const admin = process.env.RELAY_TEST_POSTGRES ?? '';
		server = openPostgres(admin);
		const folder = join(disk.folder, 'postgres');
		mkdirSync(folder);
		// PostgreSQL wants a folder of its own user.
		const [row] = await server.query<{ data_directory: string }>('show data_directory');
		const { uid, gid } = statSync(row?.data_directory ?? '');
		chownSync(folder, uid, gid);
		await server.query(`create tablespace small_disk location '${folder}'`);
		await server.query('create database relay_small_disk tablespace small_disk');
		url = new URL('/relay_small_disk', admin).href;
	});
	afterAll(async () => {
		if (!disk) return;
		await server.query('drop database if exists relay_small_disk with (force)');
		await server.query('drop tablespace if exists small_disk');
		await server.close();
		disk.unmount();
	});

	it('responds 503 meanwhile, loses no acknowledged event, and continues when there is space again', async () => {
		if (!disk) {
			sayWhySkipped();
			return;
		}
		const receiver = await startReceiver();
		const relay = await startRelayProcess({ database: url });
		await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		const { post, acknowledged } = eventsFor('server');
		expect(await post(relay)).toBe(200);
		disk.fill();
		await rejectsAll(() => post(relay));
		disk.free();
		await eventually('the next acknowledged event', async () => ((await post(relay)) === 200 ? true : undefined));
		for (let count = 0; count < 20; count += 1) expect(await post(relay)).toBe(200);
		await allArrived(receiver, acknowledged);
		await relay.stop();
		await receiver.close();
	}, 240_000);
});

function sayWhySkipped(): void {
	process.stdout.write('Skipped: this user may not mount a small disk. Run as root, or with sudo without a password\n');
}
