import { join } from 'node:path';
import { z } from 'zod/v4';
import { startSandbox } from '../../sandbox/server';
import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, readSubscription } from '../support/relay/api';
import { testClock } from '../support/relay/clock';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound } from '../support/relay/requests';
import { letTimePass } from '../support/relay/timePasses';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A little longer than the longest pause of a receiver that is away. */
const STEP = 5 * MINUTE + 1_000;

/** The opt-out is forwarded within this time after the service is back. */
const FORWARDED_WITHIN = 10 * MINUTE;

const optOuts = z.array(z.looseObject({ number: z.string() }));
const forwarded = z.object({ Message: z.string() });
const wordsOf = (text: string) => forwarded.parse(JSON.parse(text)).Message;

describeOnEachDatabase('an opt-out after the start of the same sender', (database) => {
	let relay: Relay;
	let service: Receiver;

	beforeAll(async () => {
		service = await startReceiver();
		relay = await database().start({ env: { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href } });
	});
	afterAll(async () => await service.close());

	const words = () => service.requests.map(({ text }) => wordsOf(text));

	it('does not wait for a START that the service rejects, and cancels it', async () => {
		service.respond = ({ text }) => (wordsOf(text) === 'START' ? 422 : 200);
		const start = await accept(relay, inbound({ message: 'START' }));
		await eventWhere(relay, start.id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 3, 60_000);
		const stop = await accept(relay, inbound({ message: 'STOP' }));
		// The next attempt of START would come after two minutes.
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered', 20_000);
		expect((await readEvent(relay, start.id ?? '')).deliveries[0]?.state).toBe('canceled');
		expect(words().at(-1)).toBe('STOP');
	}, 120_000);

	it('is followed by a later START, which waits for it', async () => {
		service.respond = ({ text }) => (wordsOf(text) === 'STOP' ? 422 : 200);
		const from = '+233206660022';
		const before = service.requests.length;
		const stop = await accept(relay, inbound({ from, message: 'STOP' }));
		await eventWhere(relay, stop.id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		const start = await accept(relay, inbound({ from, message: 'START' }));
		service.respond = () => 200;
		await eventWhere(relay, start.id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered', 60_000);
		expect(words().slice(before)).toEqual(['STOP', 'STOP', 'START']);
	}, 90_000);
});

describe('an opt-out after a START whose request is in flight in another process (postgres)', () => {
	const database = useDatabase('postgres');

	it('leaves after the end of that request', async () => {
		const service = await startReceiver();
		const words = () => service.requests.map(({ text }) => wordsOf(text));
		const env = { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href };
		const relay = await database().start({ env });
		await database().start({ env, role: 'worker' });
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

describeOnEachDatabase('an opt-out while the service is away for an hour', (database) => {
	it('is forwarded within ten minutes after its return, also after a START, and a send is then rejected', async () => {
		const options = { data: join(database().folder, 'sandbox.sqlite') };
		let sandbox = await startSandbox(options);
		const clock = testClock();
		const relay = await database().startProcess({ env: { ...clock.env, RELAY_SERVICE_URL: sandbox.baseUrl } });
		const pass = async (ms: number) => await letTimePass(database(), clock, relay, ms);
		// A connection that the relay keeps open may close at the moment of a request, because its timers go ahead.
		const ask = async <Answer>(what: string, request: () => Promise<Answer | undefined>) =>
			await eventually(what, async () => await request().catch(() => undefined), MINUTE);
		const readHealth = async () =>
			await ask('the health', async () => (await readSubscription(relay, 'sub_service'))?.health);
		const attemptsOf = async (id: string) =>
			await ask('the event', async () => (await readEvent(relay, id)).deliveries[0]?.attempts);
		const from = '+233206660031';

		await sandbox.stop();
		for (let n = 0; n < 5; n += 1) await accept(relay, inbound());
		await ask('the first pause', async () => (await readHealth()).next_probe_at ?? undefined);
		await accept(relay, inbound({ from, message: 'START' }));
		const stop = (await accept(relay, inbound({ from, message: 'STOP' }))).id ?? '';
		for (let passed = 0; passed < HOUR; passed += STEP) {
			const before = await attemptsOf(stop);
			await pass(STEP);
			await ask('the probe', async () => ((await attemptsOf(stop)) > before ? true : undefined));
			await ask('the next pause', async () =>
				Date.parse((await readHealth()).next_probe_at ?? '') > clock.now() ? true : undefined,
			);
		}
		expect((await readHealth()).failed).toBe(0);

		sandbox = await startSandbox({ ...options, port: Number(new URL(sandbox.url).port) });
		const isOptedOut = async () =>
			optOuts
				.parse(await (await fetch(`${sandbox.url}/_sandbox/opt-outs`)).json())
				.some(({ number }) => number === from);
		for (let passed = 0; passed < FORWARDED_WITHIN && !(await isOptedOut()); passed += MINUTE) {
			await pass(MINUTE);
			// Lets the relay work: it answers after the requests that were due.
			await readHealth();
		}
		await eventually('the opt-out', async () => ((await isOptedOut()) ? true : undefined));
		const response = await fetch(`${sandbox.baseUrl.replace(/\/$/, '')}/sms/send`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-api-key': sandbox.apiKey },
			body: JSON.stringify({ to: from, sender_id: 'KOFISHOP', message: 'Hello' }),
		});
		expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('opt')]);
		await sandbox.stop();
	}, 300_000);
});
