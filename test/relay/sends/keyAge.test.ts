import type { ServerResponse } from 'node:http';
import { openPostgres } from '../../../relay/database/postgres';
import { sendListSchema } from '../../../relay/sends/schema';
import { eventually } from '../../support/eventually';
import { useDatabase } from '../../support/relay/databases';
import { callThrough, gatewayEnv, sendThrough, sms, type GatewayResponse } from '../../support/relay/gateway';
import type { Relay } from '../../support/relay/relay';
import type { RelayProcess } from '../../support/relay/relayProcess';
import { accept, startService, type ScriptedService } from './service';

let service: ScriptedService;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.received.length = 0;
	let count = 0;
	service.respond = (response) => accept(response, `msg_${(count += 1)}`);
});
afterAll(async () => await service.close());

/** The maximum age of the tests, in seconds. */
const MAX_AGE = 300;

/** The headers of an attempt of a call. */
const attemptOf = (call: string, number = 1, maxAge: number | string = MAX_AGE) => ({
	'relay-attempt': `${number};call="${call}"`,
	'relay-key-max-age': String(maxAge),
});

const idIn = ({ text }: GatewayResponse) => (JSON.parse(text) as { message_id?: string }).message_id;

describe('an idempotency key with a maximum age', () => {
	const database = useDatabase('postgres');
	let relay: Relay;
	const start = async () => await database().start({ env: gatewayEnv(service.baseUrl) });
	beforeAll(async () => (relay = await start()));

	/** Lets all sends become older by the clock of the database. */
	const older = async (seconds: number) =>
		await database().query(`update relay.send set created_at = created_at - $1 * interval '1 second'`, [seconds]);
	const send = async (key: string, call: string, number?: number) =>
		await sendThrough(relay, sms(), { key, headers: attemptOf(`${key}-${call}`, number) });
	const unknownSends = async () =>
		sendListSchema.parse(await (await relay.api('GET', '/v1/sends?state=unknown')).json()).data;

	it('sends again only when the claim of another call is too old', async () => {
		const first = await send('age-1', 'a');
		await older(MAX_AGE - 60);
		expect(idIn(await send('age-1', 'b'))).toBe(idIn(first));
		await older(61);
		const next = await send('age-1', 'c');
		expect([next.isReplay, next.outcome]).toEqual([false, 'accepted']);
		const last = await send('age-1', 'd');
		expect([last.isReplay, idIn(last)]).toEqual([true, idIn(next)]);
		expect(service.received).toHaveLength(2);
	});

	it('gives a late attempt the outcome of its own call, also if another call has the key by now', async () => {
		const first = await send('age-2', 'a', 2);
		await older(MAX_AGE + 1);
		const early = await send('age-2', 'a', 1);
		const next = await send('age-2', 'b');
		const late = [await send('age-2', 'a', 1), await send('age-2', 'a', 3)];
		await older(MAX_AGE + 1);
		late.push(await send('age-2', 'a', 1), await send('age-2', 'b', 2));
		expect([early, ...late].map(({ isReplay }) => isReplay)).toEqual([true, true, true, true, true]);
		expect([early, ...late].map(idIn)).toEqual([...[first, first, first, first].map(idIn), idIn(next)]);
		expect(service.received).toHaveLength(2);
	});

	it('does not forward a late attempt whose caller heard the outcome of another call', async () => {
		await send('age-3', 'a');
		expect((await send('age-3', 'b', 2)).isReplay).toBe(true);
		await older(MAX_AGE + 1);
		const late = await send('age-3', 'b', 1);
		expect([late.status, late.code, late.outcome]).toEqual([409, 'attempt_overtaken', null]);
		expect(service.received).toHaveLength(1);
	});

	it('never frees a key that was claimed without it', async () => {
		const first = await sendThrough(relay, sms(), { key: 'age-4' });
		await older(2 * MAX_AGE);
		expect(idIn(await send('age-4', 'a'))).toBe(idIn(first));
		expect(service.received).toHaveLength(1);
	});

	it('keeps the key for a call without it, at any age', async () => {
		const first = await send('age-5', 'a');
		await older(2 * MAX_AGE);
		expect(idIn(await sendThrough(relay, sms(), { key: 'age-5' }))).toBe(idIn(first));
		const next = await send('age-5', 'b');
		expect(idIn(await sendThrough(relay, sms(), { key: 'age-5' }))).toBe(idIn(next));
		expect(service.received).toHaveLength(2);
	});

	it('rejects other content under a young key, and sends it under an old one', async () => {
		await send('age-6', 'a');
		const other = async (call: string) =>
			await sendThrough(relay, sms('Other words'), { key: 'age-6', headers: attemptOf(`age-6-${call}`) });
		expect((await other('b')).code).toBe('idempotency_key_reused');
		await older(MAX_AGE + 1);
		expect((await other('c')).outcome).toBe('accepted');
		expect(service.received).toHaveLength(2);
	});

	it('frees the key of an unknown send, which a person can still settle', async () => {
		service.respond = (response) => response.destroy();
		expect((await send('age-7', 'a')).outcome).toBe('unknown');
		expect((await send('age-7', 'b')).isReplay).toBe(true);
		service.respond = (response) => accept(response, 'msg_later');
		await older(MAX_AGE + 1);
		expect(idIn(await send('age-7', 'c'))).toBe('msg_later');
		const [left, ...others] = await unknownSends();
		expect(others).toEqual([]);
		await relay.api('POST', `/v1/sends/${left?.id}/settle`, { outcome: 'send_again' });
		expect(await unknownSends()).toEqual([]);
		expect(idIn(await send('age-7', 'd'))).toBe('msg_later');
		expect(service.received).toHaveLength(2);
	});

	it('does not free a key in flight', async () => {
		const held = new Promise<ServerResponse>((resolve) => (service.respond = resolve));
		const headers = (call: string) => attemptOf(`age-8-${call}`, 1, 1);
		const first = sendThrough(relay, sms(), { key: 'age-8', headers: headers('a') });
		const response = await held;
		await older(2);
		const other = new AbortController();
		const waiting = sendThrough(relay, sms(), { key: 'age-8', headers: headers('b'), signal: other.signal });
		// Another call that comes after it has gone its way, so it has found the key in flight.
		service.respond = (later) => accept(later);
		await sendThrough(relay, sms(), { key: 'age-8-other' });
		other.abort();
		await expect(waiting).rejects.toThrow();
		expect(service.received).toHaveLength(2);
		accept(response);
		expect((await first).outcome).toBe('accepted');
	});

	it('frees the keys of those recipients of a bulk send that are too old', async () => {
		const [one, two] = ['+233201234567', '+233201234568'];
		const bulk = async (call: string, to: readonly string[]) =>
			await callThrough(
				...([relay, 'POST', '/sms/bulk'] as const),
				{ ...sms(), to, idempotency_keys: to.map((number) => `age-9-${number}`) },
				{ headers: attemptOf(`age-9-${call}`) },
			);
		const recipients: string[][] = [];
		service.respond = (response, { body }) => {
			const { to } = JSON.parse(body) as { to: string[] };
			recipients.push(to);
			const results = to.map((number) => ({ to: number, message_id: `msg_${number}`, status: 'submitted' }));
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ success: true, batch_id: 'b', accepted: to.length, rejected: 0, results }));
		};
		await bulk('a', [one]);
		await older(MAX_AGE + 1);
		await bulk('b', [two]);
		const both = await bulk('c', [two, one]);
		expect(JSON.parse(both.text)).toMatchObject({ relay: { skipped: [{ to: two }] } });
		expect((await bulk('d', [one, two])).isReplay).toBe(true);
		expect(recipients).toEqual([[one], [two], [one]]);
	});

	it('sends each of many keys once if two calls come in the moment in which it becomes too old', async () => {
		const keys = Array.from({ length: 30 }, (_, index) => `moment-${database().kind}-${index}`);
		await Promise.all(keys.map(async (key) => await send(key, 'a')));
		await older(MAX_AGE);
		const pairs = await Promise.all(
			keys.map(async (key) => await Promise.all(['b', 'c'].map(async (call) => await send(key, call)))),
		);
		for (const pair of pairs) expect(pair.map(({ isReplay }) => isReplay).sort()).toEqual([false, true]);
		expect(service.received).toHaveLength(2 * keys.length);
	});

	it('does not send again when the clock was set back', async () => {
		const first = await send('age-10', 'a');
		await older(-3_600);
		expect(idIn(await send('age-10', 'b'))).toBe(idIn(first));
		await older(3_600);
		expect(idIn(await send('age-10', 'c'))).toBe(idIn(first));
		expect(service.received).toHaveLength(1);
	});

	it('is the same after a restart', async () => {
		const first = await send('age-11', 'a');
		await relay.stop();
		relay = await start();
		expect(idIn(await send('age-11', 'b'))).toBe(idIn(first));
		await older(MAX_AGE + 1);
		expect((await send('age-11', 'c')).isReplay).toBe(false);
		await relay.stop();
		relay = await start();
		expect(idIn(await send('age-11', 'a', 2))).toBe(idIn(first));
		expect(service.received).toHaveLength(2);
	});

	it.each(['', '0', '-1', '300.5', '5m', '1000000'])('is rejected with 400 if it is not valid: %j', async (maxAge) => {
		const { status, code, outcome } = await sendThrough(relay, sms(), {
			...{ key: 'age-12', headers: attemptOf('a', 1, maxAge) },
		});
		expect([status, code, outcome]).toEqual([400, 'key_max_age_invalid', null]);
		expect(service.received).toHaveLength(0);
	});

	it('is rejected with 400 without the number of the attempt', async () => {
		const headers = { 'relay-key-max-age': String(MAX_AGE) };
		const { status, code, outcome } = await sendThrough(relay, sms(), { key: 'age-13', headers });
		expect([status, code, outcome]).toEqual([400, 'key_max_age_invalid', null]);
		expect(service.received).toHaveLength(0);
	});
});

describe('two relays on PostgreSQL and a key with a maximum age', () => {
	const database = useDatabase('postgres');
	let killed: RelayProcess;
	let other: Relay;
	beforeAll(async () => {
		const env = gatewayEnv(service.baseUrl);
		[killed, other] = await Promise.all([database().startProcess({ env }), database().start({ env })]);
	});
	const relayOf = (index: number) => (index === 0 ? killed : other);
	const send = async (index: number, key: string, call: string) =>
		await sendThrough(relayOf(index), sms(key), { key, headers: attemptOf(`${key}-${call}`) });

	it('send once if each gets a call around the moment in which the key becomes too old', async () => {
		const keys = Array.from({ length: 200 }, (_, index) => `border-${index}`);
		await Promise.all(keys.map(async (key, index) => await send(index % 2, key, 'a')));
		expect(service.received).toHaveLength(keys.length);
		// Some keys are too old before the calls, some during them, and some after.
		await database().query(
			`update relay.send set created_at = clock_timestamp() - ${MAX_AGE} * interval '1 second' + random() * interval '1 second'`,
		);
		const pairs = await Promise.all(
			keys.map(async (key) => await Promise.all([0, 1].map(async (index) => await send(index, key, String(index))))),
		);
		const sent = Map.groupBy(service.received, ({ body }) => (JSON.parse(body) as { message: string }).message);
		for (const [index, key] of keys.entries()) {
			const again = (pairs[index] ?? []).filter(({ isReplay }) => !isReplay);
			expect(again.length).toBeLessThanOrEqual(1);
			expect(sent.get(key)).toHaveLength(1 + again.length);
		}
	});

	it('lose nothing if one is killed after it freed an old key and before its claim is on disk', async () => {
		await send(1, 'kill-1', 'a');
		await database().query(`update relay.send set created_at = created_at - interval '1 hour'`);
		const rows = async () => (await database().query('select 1 as one from relay.send')).length;
		const before = await rows();
		const beside = openPostgres(database().url ?? '');
		const lost = await beside.transaction(async (sql) => {
			await sql.query('lock table relay.overtaken_call in access exclusive mode');
			const sending = send(0, 'kill-1', 'b').then(
				() => 'a response',
				() => 'no response',
			);
			await eventually('the claim to wait', async () => {
				const waiting = await database().query(
					`select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
				);
				return waiting.length === 1 ? true : undefined;
			});
			await killed.kill();
			return await sending;
		});
		await beside.close();
		expect(lost).toBe('no response');
		expect((await send(1, 'kill-1', 'c')).isReplay).toBe(false);
		expect((await send(1, 'kill-1', 'd')).isReplay).toBe(true);
		expect(service.received).toHaveLength(2);
		expect(await rows()).toBe(before + 1);
	});
});
