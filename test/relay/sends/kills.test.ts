import { sendListSchema } from '../../../relay/sends/schema';
import { describeOnEachDatabase, useDatabase } from '../../support/relay/databases';
import { eventually } from '../../support/eventually';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { useSandbox } from '../../support/useSandbox';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService } from './service';

const { sandbox, control } = useSandbox();

const TIMEOUT_SECONDS = '2';

/** A call is unknown to others this long after its time, in milliseconds. */
const GRACE_MS = 10_000;

describeOnEachDatabase('a relay that is killed', (database) => {
	it('after the service got the call leaves an unknown send, which is never sent again', async () => {
		const service = await startService();
		service.respond = () => undefined;
		const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: TIMEOUT_SECONDS });
		const first = await database().startProcess({ env });
		const lost = sendThrough(first, sms(), { key: 'killed-1' });
		await service.waitFor(1);
		await first.kill();
		await expect(lost).rejects.toThrow();
		service.respond = (response) => accept(response);
		const second = await database().startProcess({ env });
		// On PostgreSQL another process could still make the call, until its time is over.
		const again = await eventually(
			'the send to be unknown',
			async () => {
				const response = await sendThrough(second, sms(), { key: 'killed-1' });
				if (response.status !== 409) return response;
				expect([database().kind, response.code]).toEqual(['postgres', 'idempotency_key_in_use']);
				return undefined;
			},
			2 * GRACE_MS,
		);
		expect([again.status, again.code, again.outcome]).toEqual([502, 'outcome_unknown', 'unknown']);
		expect(service.received.filter(({ url }) => url.endsWith('/sms/send'))).toHaveLength(1);
		const { data } = sendListSchema.parse(await (await second.api('GET', '/v1/sends?state=unknown')).json());
		expect(data.map(({ to, endpoint }) => [to, endpoint])).toEqual([['+233201234567', 'sms.send']]);
		await second.stop();
		await service.close();
	});

	it('remembers a send after it was killed or stopped', async () => {
		const env = gatewayEnv(sandbox.baseUrl);
		let relay = await database().startProcess({ env });
		const first = await sendThrough(relay, sms(), { key: 'restart-1' });
		await relay.kill();
		relay = await database().startProcess({ env });
		const second = await sendThrough(relay, sms(), { key: 'restart-1' });
		await relay.stop();
		relay = await database().startProcess({ env });
		const third = await sendThrough(relay, sms(), { key: 'restart-1' });
		expect([first.isReplay, second.isReplay, third.isReplay]).toEqual([false, true, true]);
		const { message_id } = JSON.parse(first.text) as { message_id: string };
		for (const { text } of [second, third]) expect(JSON.parse(text)).toMatchObject({ message_id });
		expect(await control.messages()).toHaveLength(1);
		await relay.stop();
	});
});

describe('two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');
	let relays: RelayProcess[];

	beforeAll(async () => {
		const env = gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '20' });
		relays = await Promise.all([database().startProcess({ env }), database().startProcess({ env })]);
	});

	const relayOf = (index: number) => relays[index % relays.length] ?? { url: '' };

	it('charge once if 100 callers send with one key at the same time', async () => {
		const responses = await Promise.all(
			Array.from({ length: 100 }, async (_, index) => await sendThrough(relayOf(index), sms(), { key: 'two-1' })),
		);
		expect(await control.messages()).toHaveLength(1);
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
		expect(responses.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
	});

	it('send each of 60 messages once if each is sent through both', async () => {
		const pairs = Array.from({ length: 60 }, (_, index) => [index, index]).flat();
		const responses = await Promise.all(
			pairs.map(
				async (pair, index) => await sendThrough(relayOf(index), sms(`Message ${pair}`), { key: `pair-${pair}` }),
			),
		);
		expect(responses.map(({ outcome }) => outcome)).toEqual(responses.map(() => 'accepted'));
		const texts = (await control.messages()).map(({ message }) => message);
		expect([texts.length, new Set(texts).size]).toEqual([60, 60]);
	});

	it('send to each recipient of overlapping lists once', async () => {
		const numbers = Array.from({ length: 12 }, (_, index) => `+2332011100${String(index).padStart(2, '0')}`);
		const responses = await Promise.all(
			Array.from({ length: 24 }, async (_, index) => {
				const to = numbers.filter((__, place) => (index + place) % 3 !== 0).toReversed();
				const body = { ...sms(), to, idempotency_keys: to.map((number) => `list-${number}`) };
				return await callThrough(relayOf(index), 'POST', '/sms/bulk', body);
			}),
		);
		expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
		expect((await control.messages()).map(({ to }) => to).sort()).toEqual(numbers);
	});

	it('see a call of the other one as unknown as soon as its time is over by the clock of the database', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'hang' });
		const caller = sendThrough(relayOf(0), sms(), { key: 'clock-1' });
		await eventually('the call to be in flight', async () => {
			const [row] = await database().query(`select id from relay.send where state = 'in_flight'`);
			return row;
		});
		// As if the database's clock had jumped ahead.
		await database().query(`update relay.send set until = clock_timestamp() where state = 'in_flight'`);
		const other = await sendThrough(relayOf(1), sms(), { key: 'clock-1' });
		expect([other.status, other.code]).toEqual([502, 'outcome_unknown']);
		expect((await caller).outcome).toBe('unknown');
		expect(await control.messages()).toHaveLength(0);
	});
});

describe('a rate limit of two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');

	it('is one for both', async () => {
		const env = gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_RATE: '10' });
		const relays = await Promise.all([database().startProcess({ env }), database().startProcess({ env })]);
		const [first, second] = relays;
		await sendThrough(first, sms('First'));
		const began = performance.now();
		await Promise.all(
			Array.from(
				{ length: 20 },
				async (_, index) => await sendThrough(index % 2 === 0 ? first : second, sms(`Later ${index}`)),
			),
		);
		// 20 slots of 100 ms, minus one for clocks that are a little apart.
		expect(performance.now() - began).toBeGreaterThan(1_900);
		expect(await control.messages()).toHaveLength(21);
	});
});
