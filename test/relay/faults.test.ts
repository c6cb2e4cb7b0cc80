import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { accept, eventWhere, listEvents, subscribe } from '../support/relay/api';
import { allowConnections } from '../support/relay/allowConnections';
import { builtRelay } from '../support/relay/builtRelay';
import { useDatabase } from '../support/relay/databases';
import { postgresProcess } from '../support/relay/postgresProcess';
import { QUICK } from '../support/relay/quick';
import { startReceiver, type ReceiverResponse } from '../support/relay/receiver';
import { startSilentProxy } from '../support/relay/silentProxy';
import { relayFolder, startRelay } from '../support/relay/relay';
import { startRelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';
import { receipt } from '../support/relay/requests';

describe('a PostgreSQL that ends and starts again', () => {
	const database = useDatabase('postgres', { mayKill: true });

	it('responds 503 while it is away, loses no acknowledged event, and delivers again afterwards', async () => {
		// Nothing announces the jobs that were in flight.
		const settings = { ...QUICK, waits: { ...QUICK.waits, jobs: 1_000 } };
		const relay = await database().start({ settings });
		const receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url });
		const acknowledged: string[] = [];
		const statuses: number[] = [];
		async function post(): Promise<number> {
			const response = await relay.post(receipt(`restart-${statuses.length}`, 'sent'));
			const text = await response.text();
			statuses.push(response.status);
			if (response.ok) acknowledged.push((JSON.parse(text) as { id: string }).id);
			else expect(response.headers.get('retry-after')).toBe('5');
			return response.status;
		}
		for (let index = 0; index < 20; index += 1) await post();
		process.kill(await postgresProcess(database().url ?? ''), 'SIGQUIT');
		await eventually('a 503', async () => ((await post()) === 503 ? true : undefined));
		await eventually('the next acknowledged event', async () => ((await post()) === 200 ? true : undefined), 60_000);
		for (let index = 0; index < 20; index += 1) await post();
		expect(new Set(statuses)).toEqual(new Set([200, 503]));
		// An event may be stored although its response was 503, so there may be more.
		await eventually(
			'all acknowledged events',
			() => {
				const delivered = new Set(receiver.events().map(({ id }) => id));
				return acknowledged.every((id) => delivered.has(id)) ? true : undefined;
			},
			90_000,
		);
		await receiver.close();
	}, 240_000);
});

describe('a PostgreSQL that is away while a receiver responds', () => {
	const database = useDatabase('postgres');

	it('delivers the event once', async () => {
		const relay = await database().startProcess();
		const receiver = await startReceiver();
		const url = database().url ?? '';
		const release: Array<(response: ReceiverResponse) => void> = [];
		receiver.respond = async () => await new Promise((resolve) => release.push(resolve));
		await subscribe(relay, { url: receiver.url });
		const { id } = await accept(relay, receipt('answered-while-away', 'sent'));
		await eventually('the request', () => (receiver.requests.length > 0 ? true : undefined));
		await allowConnections(url, false);
		for (const respond of release) respond(200);
		await eventually('a failed write', () =>
			relay.output().some((line) => line.includes('could not be written')) ? true : undefined,
		);
		await allowConnections(url, true);
		await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect(receiver.requests).toHaveLength(1);
		await receiver.close();
	});
});

describe('a PostgreSQL whose host is gone without a word', () => {
	const database = useDatabase('postgres');

	it('responds 503, and accepts and delivers again when the host is back', async () => {
		const proxy = await startSilentProxy(database().url ?? '');
		const settings = { ...QUICK, waits: { ...QUICK.waits, statement: 3_000 } };
		const relay = await startRelay({ database: proxy.url, folder: database().folder, settings });
		const receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url });
		const before = await accept(relay, receipt('before-the-silence', 'sent'));
		await eventually('the first delivery', () => (receiver.requests.length > 0 ? true : undefined));
		proxy.silence();
		expect((await relay.post(receipt('in-the-silence', 'sent'))).status).toBe(503);
		proxy.recover();
		// Other connections may notice the silence only now.
		const after = await eventually('the next acknowledged event', async () => {
			const response = await relay.post(receipt('after-the-silence', 'sent'));
			return response.ok ? ((await response.json()) as { id: string }) : undefined;
		});
		await eventually(
			'the delivery of the next event',
			() => (receiver.events().some(({ id }) => id === after.id) ? true : undefined),
			60_000,
		);
		expect(receiver.events().filter(({ id }) => id === before.id)).toHaveLength(1);
		await receiver.close();
		await proxy.close();
		await relay.stop();
	});
});

describe('a start that cannot succeed', () => {
	const folder = relayFolder();
	const postgres = useDatabase('postgres');

	it('rejects a second process on the same folder, and the first one continues', async () => {
		const first = await startRelayProcess({ folder });
		await expect(startRelayProcess({ folder })).rejects.toThrow(/ended with 2: .*Another process uses the folder/s);
		await accept(first, receipt('still-here', 'sent'));
		await first.kill();
	});

	it('starts on the folder of a killed process, with its events', async () => {
		const next = await startRelayProcess({ folder });
		expect(await listEvents(next, '?q=still-here')).toHaveLength(1);
		await next.stop();
	});

	it.each(['folder', 'postgres'])('rejects another encryption key and says what to do (%s)', async (kind) => {
		const options = kind === 'folder' ? { folder } : { folder: postgres().folder, database: postgres().url ?? '' };
		if (kind === 'postgres') await (await startRelayProcess(options)).stop();
		const env = { RELAY_KEY: 'another-key-for-tests-only-00000000002' };
		await expect(startRelayProcess({ ...options, env })).rejects.toThrow(
			/ended with 2: The encryption key is not the one .* Set RELAY_KEY to that key/s,
		);
	});

	it('opens a folder whose first start was killed', async () => {
		const killed = temporaryFolder();
		const args = [builtRelay().program, '--port', '0', '--folder', killed];
		const child = spawn(process.execPath, args, { stdio: 'ignore' });
		await eventually('the database to be made', () => (existsSync(join(killed, 'pgdata.new')) ? true : undefined));
		await sleep(Math.random() * 500);
		const exited = once(child, 'exit');
		child.kill('SIGKILL');
		await exited;
		const relay = await startRelayProcess({ folder: killed });
		await accept(relay, receipt('after-first-start', 'sent'));
		await relay.stop();
	});
});
