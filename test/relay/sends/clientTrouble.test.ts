import { useDatabase } from '../../support/relay/databases';
import { testClock, type TestClock } from '../../support/relay/clock';
import { eventually } from '../../support/eventually';
import type { Relay } from '../../support/relay/relay';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv } from '../../support/relay/gateway';
import { sendListSchema } from '../../../relay/sends/schema';
import { startHop, type Hop } from './hop';
import { expectHonest, inWords, relayedClient, sendSms } from './relayedClient';

const { sandbox, control } = useSandbox();

const SERVICE_SECONDS = '2';
const HOURS = 3 * 3_600_000;

/** Between relays and the sandbox. */
let service: Hop;
beforeAll(async () => {
	service = await startHop(sandbox.url);
});
beforeEach(() => service.reset());
afterAll(async () => await service[Symbol.asyncDispose]());

async function settle(relay: Relay, outcome: string): Promise<void> {
	const { data } = sendListSchema.parse(await (await relay.api('GET', '/v1/sends?state=unknown')).json());
	for (const { id } of data) await relay.api('POST', `/v1/sends/${id}/settle`, { outcome });
}

describe('a client of a slow relay', () => {
	const database = useDatabase('folder');
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start({ env: gatewayEnv(service.baseUrl) });
	});

	it('gets the outcome from a repeat if the first attempt took longer than its time', async () => {
		await using hop = await startHop(relay.url);
		service.plan('hold');
		const sending = sendSms(
			relayedClient(hop.baseUrl, sandbox.apiKey, { timeoutMs: 2_000, retry: { attempts: 20, baseMs: 1 } }),
		);
		await hop.called(2);
		await service.release();
		const outcome = await sending;
		expect(outcome).toMatchObject({ outcome: 'accepted', relay: { replayed: false, maybeSentNow: true } });
		expect(await expectHonest(outcome, control)).toBe(1);
	});

	it('does not know the outcome if all attempts took longer than their time, and learns it later', async () => {
		service.plan('hold');
		const client = relayedClient(`${relay.url}/api/v1/`, sandbox.apiKey, {
			timeoutMs: 2_000,
			retry: { attempts: 2, baseMs: 1 },
		});
		const outcome = await sendSms(client, { idempotencyKey: 'slow-1' });
		expect(inWords(outcome)).toBe('unknown UnknownOutcomeError');
		expect(await expectHonest(outcome, control)).toBe(0);
		await service.release();
		const patient = relayedClient(`${relay.url}/api/v1/`, sandbox.apiKey);
		const later = await sendSms(patient, { idempotencyKey: 'slow-1' });
		expect(inWords(later)).toBe('accepted before');
		expect(await expectHonest(later, control)).toBe(1);
		expect(service.calls()).toHaveLength(1);
	});
});

describe('a service that is slower than the time of the relay', () => {
	const database = useDatabase('folder');

	it('leaves an unknown outcome, which no repeat sends again', async () => {
		const relay = await database().start({
			env: gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: SERVICE_SECONDS }),
		});
		await using hop = await startHop(relay.url);
		const client = relayedClient(hop.baseUrl, sandbox.apiKey);
		service.plan('hold');
		const outcome = await sendSms(client, { idempotencyKey: 'late-1' });
		expect(outcome).toMatchObject({ outcome: 'unknown', error: { sent: 'unknown', status: 504 } });
		expect(await expectHonest(outcome, control)).toBe(0);
		// The relay knows no more after a repeat.
		expect(hop.calls()).toHaveLength(1);
		await service.release();
		const again = await sendSms(client, { idempotencyKey: 'late-1' });
		expect(again).toMatchObject({ outcome: 'unknown', error: { code: 'outcome_unknown' } });
		expect(await expectHonest(again, control)).toBe(1);
		await settle(relay, 'arrived');
		const settled = await sendSms(client, { idempotencyKey: 'late-1' });
		expect(settled).toMatchObject({ outcome: 'accepted', relay: { replayed: true, settledBy: 'person' } });
		expect(await control.messages()).toHaveLength(1);
		expect(service.calls()).toHaveLength(1);
	});
});

describe('a client of a relay that is started again', () => {
	const database = useDatabase('folder');
	const env = () => gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: SERVICE_SECONDS });
	/** The time that a relay needs to start on a busy machine. */
	const patient = {
		timeoutMs: 30_000,
		retry: { attempts: 1_000, baseMs: 50, longestWaitMs: 200, budgetMs: 90_000 },
	};

	it('sends the next message, and gets the earlier one with its key', async () => {
		const first = await database().start({ env: env() });
		const client = relayedClient(`${first.url}/api/v1/`, sandbox.apiKey, patient);
		expect(inWords(await sendSms(client, { idempotencyKey: 'again-1' }))).toBe('accepted');
		await first.stop();
		const sending = sendSms(client, { idempotencyKey: 'again-1' });
		const second = await database().start({ env: env(), port: Number(new URL(first.url).port) });
		const outcome = await sending;
		expect(inWords(outcome)).toBe('accepted before');
		expect(await expectHonest(outcome, control)).toBe(1);
		// The connections of the client are those of the first process.
		expect(inWords(await sendSms(client, { idempotencyKey: 'again-2' }))).toBe('accepted');
		expect(await control.messages()).toHaveLength(2);
		await second.stop();
	});

	it('does not know the outcome of a call that a killed relay had forwarded, and never sends it again', async () => {
		const first = await database().startProcess({ env: env() });
		await using hop = await startHop(first.url);
		service.plan('hold');
		const client = relayedClient(hop.baseUrl, sandbox.apiKey, patient);
		const sending = sendSms(client, { idempotencyKey: 'killed-1' });
		await service.called(1);
		await first.kill();
		await service.release();
		const second = await database().start({ env: env() });
		hop.target = second.url;
		const outcome = await sending;
		expect(outcome).toMatchObject({ outcome: 'unknown', error: { code: 'outcome_unknown' } });
		expect(await expectHonest(outcome, control)).toBe(1);
		const again = await sendSms(client, { idempotencyKey: 'killed-1' });
		expect(again).toMatchObject({ outcome: 'unknown', error: { code: 'outcome_unknown' } });
		expect(service.calls()).toHaveLength(1);
		await second.stop();
	});
});

describe('a clock that is set while a call is in flight', () => {
	const database = useDatabase('folder');
	let clock: TestClock;
	let relay: RelayProcess;

	beforeAll(async () => {
		clock = testClock();
		relay = await database().startProcess({ env: { ...gatewayEnv(service.baseUrl), ...clock.env } });
	});
	afterEach(() => jest.restoreAllMocks());

	it.each([
		['ahead', HOURS],
		['back', -HOURS],
	])('does not make the client send it twice: the clock of the client is set %s', async (_name, ms) => {
		await using hop = await startHop(relay.url);
		service.plan('hold');
		hop.plan('cut after', 'cut after');
		const sending = sendSms(relayedClient(hop.baseUrl, sandbox.apiKey));
		await service.called(1);
		const now = Date.now.bind(Date);
		jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
		await service.release();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('accepted');
		expect(await expectHonest(outcome, control)).toBe(1);
		expect(hop.calls()).toHaveLength(3);
	});

	it.each([
		['ahead', HOURS],
		['back', -HOURS],
	])('does not make the relay send it twice: its clock is set %s', async (name, ms) => {
		await using hop = await startHop(relay.url);
		const client = relayedClient(hop.baseUrl, sandbox.apiKey);
		const idempotencyKey = `clock-${name}`;
		service.plan('hold');
		const sending = sendSms(client, { idempotencyKey });
		await service.called(1);
		await clock.move(relay, ms);
		const repeating = sendSms(client, { idempotencyKey });
		await hop.called(2);
		await service.release();
		const outcome = await sending;
		expect(inWords(outcome)).toBe('accepted');
		expect(await expectHonest(outcome, control)).toBe(1);
		// A call that seems to be hours old may be unknown to others until it ends.
		expect(['accepted before', 'unknown UnknownOutcomeError']).toContain(inWords(await repeating));
		const later = await eventually('the outcome to be known', async () => {
			const known = await sendSms(client, { idempotencyKey });
			return known.outcome === 'unknown' ? undefined : known;
		});
		expect(inWords(later)).toBe('accepted before');
		expect(service.calls()).toHaveLength(1);
		await clock.move(relay, -ms);
	});
});
