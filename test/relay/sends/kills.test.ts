import { sendListSchema } from '../../../relay/sends/schema';
import { describeOnEachDatabase, useDatabase } from '../../support/relay/databases';
import { eventually } from '../../support/eventually';
import type { Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService } from './service';

const { sandbox, control } = useSandbox();

const TIMEOUT_SECONDS = '2';

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
		const second = await database().start({ env });
		// On PostgreSQL another process could still make the call, until its time is over by the clock of the database.
		if (database().kind === 'postgres') {
			expect((await sendThrough(second, sms(), { key: 'killed-1' })).code).toBe('idempotency_key_in_use');
			await database().query(`update relay.send set until = clock_timestamp() where state = 'in_flight'`);
		}
		const again = await sendThrough(second, sms(), { key: 'killed-1' });
		expect([again.status, again.code, again.outcome]).toEqual([502, 'outcome_unknown', 'unknown']);
		expect(service.received.filter(({ url }) => url.endsWith('/sms/send'))).toHaveLength(1);
		const { data } = sendListSchema.parse(await (await second.api('GET', '/v1/sends?state=unknown')).json());
		expect(data.map(({ to, endpoint }) => [to, endpoint])).toEqual([['+233201234567', 'sms.send']]);
		await second.stop();
		await service.close();
	});

	it('remembers a send after it was killed or stopped', async () => {
		const env = gatewayEnv(sandbox.baseUrl);
		const relay = await database().startProcess({ env });
		const first = await sendThrough(relay, sms(), { key: 'restart-1' });
		await relay.kill();
		let next = await database().start({ env });
		const second = await sendThrough(next, sms(), { key: 'restart-1' });
		await next.stop();
		next = await database().start({ env });
		const third = await sendThrough(next, sms(), { key: 'restart-1' });
		expect([first.isReplay, second.isReplay, third.isReplay]).toEqual([false, true, true]);
		const { message_id } = JSON.parse(first.text) as { message_id: string };
		for (const { text } of [second, third]) expect(JSON.parse(text)).toMatchObject({ message_id });
		expect(await control.messages()).toHaveLength(1);
		await next.stop();
	});
});

describe('two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');
	let relays: Relay[];

	beforeAll(async () => {
		const env = gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '20' });
		relays = await Promise.all([database().start({ env }), database().start({ env })]);
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
});

describe('two relays on PostgreSQL whose service hangs', () => {
	const database = useDatabase('postgres');

	it('see a call of the other one as unknown as soon as its time is over by the clock of the database', async () => {
		const env = gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '4' });
		const [one, other] = [await database().start({ env }), await database().start({ env })];
		await control.fault({ endpoint: 'sms.send', kind: 'hang' });
		const caller = sendThrough(one, sms(), { key: 'clock-1' });
		await eventually('the call to be in flight', async () => {
			const [row] = await database().query(`select id from relay.send where state = 'in_flight'`);
			return row;
		});
		// As if the database's clock had jumped ahead.
		await database().query(`update relay.send set until = clock_timestamp() where state = 'in_flight'`);
		const again = await sendThrough(other, sms(), { key: 'clock-1' });
		expect([again.status, again.code]).toEqual([502, 'outcome_unknown']);
		expect((await caller).outcome).toBe('unknown');
		expect(await control.messages()).toHaveLength(0);
	});
});

describe('a rate limit of two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');

	it('is one for both', async () => {
		const env = gatewayEnv(sandbox.baseUrl, { RELAY_SERVICE_RATE: '10' });
		const relays = await Promise.all([database().start({ env }), database().start({ env })]);
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
