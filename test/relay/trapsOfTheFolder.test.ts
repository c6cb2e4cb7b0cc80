import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v4';
import { closedPort } from '../support/closedPort';
import { eventually } from '../support/eventually';
import type { FolderChecks } from '../support/relay/folderChecks';
import { INGEST_SECRET, relayFolder } from '../support/relay/relay';
import { startRelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';
import { receipt } from '../support/relay/requests';

const checks = z.object({
	lateStatements: z.array(z.string()),
	tableOfFailedTransaction: z.string(),
	preparedRuns: z.array(z.string()),
	runsAfterParsing: z.number(),
	preparedWritesOnDisk: z.number(),
	preparedTooLate: z.string(),
	startWithoutSync: z.string(),
	startAfterwards: z.string(),
}) satisfies z.ZodType<FolderChecks>;

describe('the embedded database', () => {
	let found: FolderChecks;

	beforeAll(async () => {
		const support = join(__dirname, '..', 'support', 'relay');
		const counting = ['--import', join(support, 'countSyncs.mjs')];
		const script = join(support, 'folderChecks.ts');
		const args = ['--disable-warning=ExperimentalWarning', ...counting, '--import', 'tsx', script];
		// A deadlock would last forever.
		const run = promisify(execFile)(process.execPath, [...args, temporaryFolder(), temporaryFolder()], {
			timeout: 100_000,
			env: { ...process.env, SYNC_COUNTER: join(temporaryFolder(), 'syncs') },
		});
		found = checks.parse(JSON.parse((await run).stdout));
	});

	it('gives no ended transaction to a timer that started inside', () => {
		expect(found.lateStatements).toEqual(['succeeded', 'succeeded']);
	});

	it('runs in a transaction whatever is asked for within it, as the queue engine does', () => {
		expect(found.tableOfFailedTransaction).toMatch(/relation "inside" does not exist/);
	});

	it('runs a prepared statement again after errors, a failed transaction and a new column of its table', () => {
		expect(found.preparedRuns).toEqual([
			'error 42P01',
			JSON.stringify([{ place: 1, words: `it's "one" \\ $1` }]),
			JSON.stringify([{ place: 2, words: 'rolled back' }]),
			'error 22P02',
			'error 25P02',
			JSON.stringify([{ place: 5, words: 'afterwards' }]),
			JSON.stringify([{ place: 1 }, { place: 5 }]),
		]);
	});

	it('parses a prepared statement again after a time, because its table may have grown since', () => {
		expect(found.runsAfterParsing).toBe(1);
	});

	it('has each prepared write on disk, also right after a write of the queue engine', () => {
		expect(found.preparedWritesOnDisk).toBe(10);
	});

	it('runs no prepared statement for a transaction that has ended', () => {
		expect(found.preparedTooLate).toBe('The transaction has ended');
	});

	it('does not start if commits do not reach the disk, says what to do, and leaves the folder free', () => {
		expect(found.startWithoutSync).toMatch(/does not write to disk.* npm ci, or use --database/);
		expect(found.startAfterwards).toBe('succeeded');
	});
});

it('a relay listens before its database is open, and requests wait for it', async () => {
	const folder = relayFolder();
	const port = await closedPort();
	let isReady = false;
	const starting = startRelayProcess({ folder, port }).then((relay) => {
		isReady = true;
		return relay;
	});
	await eventually('an open port', async () => {
		const socket = createConnection({ port, host: '127.0.0.1' });
		const opened = await once(socket, 'connect').then(
			() => true,
			() => undefined,
		);
		socket.destroy();
		return opened;
	});
	expect(isReady).toBe(false);
	const began = performance.now();
	const response = await fetch(`http://127.0.0.1:${port}/in/${INGEST_SECRET}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(receipt('before-ready', 'sent')),
	});
	// On a very busy machine, the database may need longer than a request waits.
	if (response.status === 503) {
		expect(performance.now() - began).toBeGreaterThan(9_900);
		expect(response.headers.get('retry-after')).toBe('5');
	} else expect([response.status, await response.json()]).toMatchObject([200, { duplicate: false }]);
	await (await starting).stop();
});
