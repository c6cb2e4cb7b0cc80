import { openPostgres } from '../../../relay/database/postgres';
import { eventually } from '../../support/eventually';
import { describeOnEachDatabase, useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { callThrough, gatewayEnv, sendThrough, sms, type GatewayResponse } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

let service: ScriptedService;
beforeAll(async () => (service = await startService()));
beforeEach(() => {
	service.received.length = 0;
	service.respond = (response) => accept(response);
});
afterAll(async () => await service.close());

const attemptOf = (number: number, call: string) => ({ 'relay-attempt': `${number};call="${call}"` });

/** The service rejects the next request, and accepts all others. */
function rejectNext(): void {
	service.respond = (response) => {
		service.respond = (later) => accept(later);
		response.writeHead(422, { 'content-type': 'application/json' }).end('{"success":false,"message":"Wrong number"}');
	};
}

describeOnEachDatabase('an attempt that arrives after a later one', (database) => {
	let relay: Relay;
	const start = async () => (relay = await database().start({ env: gatewayEnv(service.baseUrl) }));
	beforeAll(start);

	const send = async (key: string, number: number, call = key): Promise<GatewayResponse> =>
		await sendThrough(relay, sms(), { key, headers: attemptOf(number, call) });

	it('is not forwarded if the later one was rejected, also after a restart', async () => {
		rejectNext();
		expect((await send('late-1', 2)).outcome).toBe('rejected');
		const late = await send('late-1', 1);
		expect([late.status, late.code, late.outcome]).toEqual([409, 'attempt_overtaken', null]);
		await relay.stop();
		await start();
		expect((await send('late-1', 1)).code).toBe('attempt_overtaken');
		expect(service.received).toHaveLength(1);
	});

	it('is not forwarded either if it is a copy of the later one', async () => {
		rejectNext();
		await send('late-2', 2);
		expect((await send('late-2', 2)).code).toBe('attempt_overtaken');
		expect(service.received).toHaveLength(1);
	});

	it('does not keep a third attempt, another call or another API key from sending', async () => {
		rejectNext();
		await send('late-3', 2);
		const other = await sendThrough(relay, sms(), {
			...{ key: 'late-3', apiKey: 'sk_live_1', headers: attemptOf(1, 'late-3') },
		});
		const newCall = await send('late-3', 1, 'late-3-again');
		const third = await send('late-3', 3);
		expect([other, newCall, third].map(({ outcome, isReplay }) => [outcome, isReplay])).toEqual([
			['accepted', false],
			['accepted', false],
			['accepted', true],
		]);
	});

	it('is not forwarded if the key belonged to another content when the later one arrived', async () => {
		let reject = () => {};
		service.respond = (response) => (reject = () => response.writeHead(422).end('{"success":false}'));
		const other = sendThrough(relay, sms('Other words'), { key: 'late-7', headers: attemptOf(1, 'other') });
		await service.waitFor(1);
		expect((await send('late-7', 2)).code).toBe('idempotency_key_reused');
		reject();
		expect((await other).outcome).toBe('rejected');
		expect((await send('late-7', 1)).code).toBe('attempt_overtaken');
		expect(service.received).toHaveLength(1);
	});

	it('gets the stored response if the later one was accepted', async () => {
		await send('late-4', 2);
		expect((await send('late-4', 1)).isReplay).toBe(true);
		expect(service.received).toHaveLength(1);
	});

	it('is not forwarded if one recipient of a bulk send was rejected', async () => {
		const to = ['+233201234567', '+233201234568'];
		const bulk = async (number: number) =>
			await callThrough(
				...([relay, 'POST', '/sms/bulk'] as const),
				{ ...sms(), to, idempotency_keys: ['late-5-0', 'late-5-1'] },
				{ headers: attemptOf(number, 'late-5') },
			);
		service.respond = (response) => {
			const results = [
				{ to: to[0], message_id: 'msg_1', status: 'submitted' },
				{ to: to[1], status: 'failed', error: 'Wrong number' },
			];
			const body = { success: true, batch_id: 'batch_1', accepted: 1, rejected: 1, results };
			response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		};
		expect((await bulk(2)).outcome).toBe('accepted');
		expect((await bulk(1)).code).toBe('attempt_overtaken');
		expect(service.received).toHaveLength(1);
	});

	it.each(['', '2', '0;call="a"', '2;call=a', '2;call=""', '-1;call="a"', `1;call="${'a'.repeat(65)}"`])(
		'is rejected with 400 if its header is not valid: %j',
		async (header) => {
			const { status, code, outcome } = await sendThrough(relay, sms(), {
				...{ key: 'late-6', headers: { 'relay-attempt': header } },
			});
			expect([status, code, outcome]).toEqual([400, 'attempt_invalid', null]);
			expect(service.received).toHaveLength(0);
		},
	);
});

describe('an attempt that waits in one relay for a later one in another', () => {
	const database = useDatabase('postgres');

	it('is not forwarded, even if it claims the key in the moment in which it becomes free', async () => {
		const env = gatewayEnv(service.baseUrl);
		const relays = await Promise.all([database().start({ env }), database().start({ env })]);
		const beside = openPostgres(database().url ?? '');
		const send = async (index: 0 | 1, number: number) =>
			await sendThrough(relays[index], sms(), { key: 'moment-1', headers: attemptOf(number, 'moment-1') });
		const blocked = async (count: number) =>
			await eventually(`${count} transactions to wait`, async () => {
				const waiting = await database().query(
					`select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
				);
				return waiting.length === count ? true : undefined;
			});
		rejectNext();
		// The transaction that frees the key cannot end.
		const { later, first } = await beside.transaction(async (sql) => {
			await sql.query('lock table relay.overtaken_call in share row exclusive mode');
			const attempts = { later: send(0, 2), first: blocked(1).then(async () => await send(1, 1)) };
			await blocked(2);
			return attempts;
		});
		expect([(await later).outcome, (await first).code]).toEqual(['rejected', 'attempt_overtaken']);
		expect(service.received).toHaveLength(1);
		await beside.close();
	});
});
