import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, readSubscription } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound } from '../support/relay/requests';

const forwarded = z.object({ Message: z.string() });
const wordsOf = (text: string) => forwarded.parse(JSON.parse(text)).Message;

describe('an opt-out after the start of the same sender', () => {
	const database = useDatabase('folder');
	let relay: Relay;
	let service: Receiver;

	beforeAll(async () => {
		service = await startReceiver();
		const env = { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href };
		// After three attempts, a START waits for longer than a test.
		const retry = { ...QUICK.retry, schedule: [0.2, 0.3, 600] };
		relay = await database().start({ env, settings: { ...QUICK, retry } });
	});
	afterAll(async () => await service.close());

	const words = () => service.requests.map(({ text }) => wordsOf(text));

	it('does not wait for a START that the service rejects, and cancels it', async () => {
		service.respond = ({ text }) => (wordsOf(text) === 'START' ? 422 : 200);
		const start = await accept(relay, inbound({ message: 'START' }));
		await eventWhere(relay, start.id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 3);
		const stop = await accept(relay, inbound({ message: 'STOP' }));
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect((await readEvent(relay, start.id ?? '')).deliveries[0]?.state).toBe('canceled');
		expect(words().at(-1)).toBe('STOP');
	});

	it('is followed by a later START, which waits for it', async () => {
		service.respond = ({ text }) => (wordsOf(text) === 'STOP' ? 422 : 200);
		const from = '+233206660022';
		const before = service.requests.length;
		const stop = await accept(relay, inbound({ from, message: 'STOP' }));
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		const start = await accept(relay, inbound({ from, message: 'START' }));
		service.respond = () => 200;
		await eventWhere(relay, start.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect(words().slice(before)).toEqual(['STOP', 'STOP', 'START']);
	});
});

describe('an opt-out after a START whose request is in flight in another process (postgres)', () => {
	const database = useDatabase('postgres');

	it('leaves after the end of that request', async () => {
		const service = await startReceiver();
		const words = () => service.requests.map(({ text }) => wordsOf(text));
		const env = { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href };
		const relay = await database().start({ env, settings: QUICK });
		await database().start({ env, role: 'worker', settings: QUICK });
		let release: (status: number) => void = () => undefined;
		service.respond = async ({ text }) =>
			wordsOf(text) === 'START' ? await new Promise<number>((resolve) => (release = resolve)) : 200;
		const start = await accept(relay, inbound({ message: 'START' }));
		await eventually('the START', () => (service.requests.length === 1 ? true : undefined));
		const stop = await accept(relay, inbound({ message: 'STOP' }));
		// It was fetched, found the request in flight and waits.
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => typeof deliveries[0]?.next_attempt_at === 'string');
		expect(words()).toEqual(['START']);
		release(200);
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered', 20_000);
		expect(words()).toEqual(['START', 'STOP']);
		expect((await readEvent(relay, start.id ?? '')).deliveries[0]?.state).toBe('canceled');
		await service.close();
	}, 60_000);
});

describe('an opt-out while the service is away', () => {
	const database = useDatabase('folder');

	it('is forwarded after its return, also after a START, and a send is then rejected', async () => {
		const options = { data: join(database().folder, 'sandbox.sqlite') };
		let sandbox = await startSandbox(options);
		const relay = await database().start({ env: { RELAY_SERVICE_URL: sandbox.baseUrl }, settings: QUICK });
		const readHealth = async () => (await readSubscription(relay, 'sub_service'))?.health;
		const from = '+233206660031';

		await sandbox.stop();
		for (let n = 0; n < 5; n += 1) await accept(relay, inbound());
		await eventually('the first pause', async () => (await readHealth())?.next_probe_at ?? undefined);
		const start = await accept(relay, inbound({ from, message: 'START' }));
		const stop = await accept(relay, inbound({ from, message: 'STOP' }));
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => (deliveries[0]?.attempts ?? 0) >= 2);
		expect((await readHealth())?.failed).toBe(0);

		sandbox = await startSandbox({ ...options, port: Number(new URL(sandbox.url).port) });
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect((await readEvent(relay, start.id ?? '')).deliveries[0]?.state).toBe('canceled');
		const response = await fetch(`${sandbox.baseUrl.replace(/\/$/, '')}/sms/send`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-api-key': sandbox.apiKey },
			body: JSON.stringify({ to: from, sender_id: 'KOFISHOP', message: 'Hello' }),
		});
		expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('opt')]);
		await relay.stop();
		await sandbox.stop();
	});
});
