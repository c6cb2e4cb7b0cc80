import { setTimeout as delay } from 'node:timers/promises';
import { createPace, FRESH_MS, LONGEST_PAUSE_MS, PAUSES } from '../../../relay/sends/pace';
import { eventually } from '../../support/eventually';
import { useDatabase } from '../../support/relay/databases';
import type { Relay } from '../../support/relay/relay';
import { callThrough, gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

const PAUSE_MS = 2_000;

/** Clocks of two processes are read a little apart, in milliseconds. */
const SLACK_MS = 100;

describe('a pause of two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');
	let relays: [Relay, Relay];
	let service: ScriptedService;
	let calls = 0;

	beforeAll(async () => {
		service = await startService();
		const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '10' });
		relays = await Promise.all([database().start({ env }), database().start({ env })]);
	});
	beforeEach(async () => {
		await database().query('delete from relay.pace');
		service.received.length = 0;
	});
	afterAll(async () => await service.close());

	/** The service responds 429 to the next request, and accepts all others. @returns when it did, and the call */
	async function pauseFirst(pauseMs = PAUSE_MS) {
		let pausedAt = 0;
		service.respond = (response) => {
			pausedAt = performance.now();
			service.respond = (later) => accept(later);
			response.writeHead(429, { 'retry-after': String(pauseMs / 1_000) }).end('{"message":"Too many requests"}');
		};
		calls += 1;
		const first = sendThrough(relays[0], sms('First'), { key: `pause-${calls}` });
		await eventually('the pause to be shared', async () => {
			const [row] = await database().query('select 1 as one from relay.pace where paused_until is not null');
			return row;
		});
		// Until then, the other process may use what it read before the pause. No event says that it is over.
		await delay(FRESH_MS);
		return { first, pausedAt };
	}

	it.each([
		['with a key', async () => await sendThrough(relays[1], sms('Other'), { key: 'pause-other' })],
		['without a key', async () => await sendThrough(relays[1], sms('Other'))],
		['that only reads', async () => await callThrough(relays[1], 'GET', '/balance')],
	])('holds a call through the other one: a call %s', async (_name, call) => {
		const { first, pausedAt } = await pauseFirst();
		const other = await call();
		expect(performance.now() - pausedAt).toBeGreaterThan(PAUSE_MS - SLACK_MS);
		expect([other.status, (await first).status]).toEqual([200, 200]);
		expect(service.received).toHaveLength(3);
	});

	it('holds neither live keys if it is about sandbox keys, nor calls after it is over', async () => {
		const { first } = await pauseFirst(5_000);
		await sendThrough(relays[1], sms('Live'), { apiKey: 'sk_live_1' });
		expect(service.received).toHaveLength(2);
		await first;
		const later = await sendThrough(relays[1], sms('Later'), { key: 'pause-later' });
		expect([later.status, service.received.length]).toEqual([200, 4]);
	});

	it('is over if the clock of the server was moved back by hours', async () => {
		await database().query(`insert into relay.pace (mode, next_slot, paused_until)
			values ('sandbox', clock_timestamp(), clock_timestamp() + interval '3 hours')`);
		service.respond = (response) => accept(response);
		const { status } = await sendThrough(relays[1], sms('Clock'), { key: 'pause-clock' });
		expect([status, service.received.length]).toEqual([200, 1]);
	});
});

describe('a long Retry-After at two relays on PostgreSQL', () => {
	const database = useDatabase('postgres');

	it('keeps the calls of both from the service, and says how long it takes', async () => {
		const service = await startService();
		service.respond = (response) =>
			response.writeHead(429, { 'retry-after': '90' }).end('{"message":"Too many requests"}');
		const env = gatewayEnv(service.baseUrl, { RELAY_SERVICE_TIMEOUT_SECONDS: '10' });
		const relays = await Promise.all([database().start({ env }), database().start({ env })]);
		const first = await sendThrough(relays[0], sms('First'), { key: 'long-1' });
		expect([first.status, first.outcome, first.headers.get('retry-after')]).toEqual([429, 'rejected', '90']);
		await eventually('the pause to be shared', async () => {
			const [row] = await database().query('select 1 as one from relay.pace where paused_until is not null');
			return row;
		});
		await delay(FRESH_MS);
		for (const [index, relay] of relays.entries()) {
			const others = [
				await sendThrough(relay, sms('Other'), { key: `long-other-${index}` }),
				await sendThrough(relay, sms('Other')),
				await callThrough(relay, 'GET', '/balance'),
			];
			for (const { status, code, outcome, headers } of others) {
				expect([status, code, outcome]).toEqual([429, 'rate_limited', 'rejected']);
				expect(Number(headers.get('retry-after'))).toBeGreaterThan(10);
				expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(90);
			}
		}
		expect(service.received).toHaveLength(1);
		await service.close();
	});
});

describe('reading the pauses of other processes', () => {
	/** A database that counts statements. */
	function counting(exclusive: boolean) {
		const statements: string[] = [];
		const query = async <Row extends object>(text: string): Promise<Row[]> => {
			statements.push(text);
			return await Promise.resolve([]);
		};
		return { statements, database: { exclusive, query, prepared: query } };
	}
	const turn = async (pace: ReturnType<typeof createPace>) => await pace.turn('live', performance.now() + 1_000, []);

	it('costs one statement for many calls of the same moment', async () => {
		const { statements, database } = counting(false);
		const pace = createPace(database, 0);
		await Promise.all(Array.from({ length: 100 }, async () => await turn(pace)));
		await turn(pace);
		expect(statements).toEqual([PAUSES]);
	});

	it('ends after ten minutes, however long the service asks for', async () => {
		const pace = createPace(counting(true).database, 0);
		pace.pause('live', 24 * 3_600_000);
		expect(await turn(pace)).toBeLessThanOrEqual(LONGEST_PAUSE_MS);
		expect(await turn(pace)).toBeGreaterThan(LONGEST_PAUSE_MS - 60_000);
	});

	it('costs none after a claim has read them, and none on an embedded database', async () => {
		const shared = counting(false);
		const pace = createPace(shared.database, 0);
		pace.note([]);
		await turn(pace);
		const embedded = counting(true);
		const alone = createPace(embedded.database, 0);
		await turn(alone);
		alone.pause('live', 10);
		await turn(alone);
		expect([shared.statements, embedded.statements]).toEqual([[], []]);
	});
});
