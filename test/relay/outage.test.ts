import { eventually } from '../support/eventually';
import { accept, readSubscription, subscribe } from '../support/relay/api';
import { testClock } from '../support/relay/clock';
import { isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import type { RelayProcess } from '../support/relay/relayProcess';
import { receipt } from '../support/relay/requests';
import { readSizes, type TableSizes } from '../support/relay/readSizes';

const MESSAGES = isLong ? 5_000 : 150;
const STATUSES = ['sent', 'delivered'];
const EVENTS = MESSAGES * STATUSES.length;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A little longer than the longest pause of a receiver that is away. The sample lets three hours pass at once. */
const STEP = isLong ? 5 * MINUTE + 1_000 : 3 * HOUR;

/** Attempts of one event in three days. */
const MOST_ATTEMPTS = 12;

/** No event waits longer after the receiver is back. Some were tried just before, for the third time. */
const DRAINED_WITHIN = 60 * MINUTE;

/** Completed jobs are kept for a minute. */
const MOST_COMPLETED_JOBS = 100;

const WITHIN_MS = isLong ? 10 * MINUTE : MINUTE;

/** A relay that sends nothing for this long waits for its clock. A busy machine may stop it for a moment. */
const IDLE_MS = 2_000;

/** Asks again after a lost connection: a relay whose timers go ahead closes idle connections, maybe at the next request. */
async function ask<Answer>(what: string, request: () => Promise<Answer | undefined>): Promise<Answer> {
	return await eventually(what, async () => await request().catch(() => undefined));
}

async function memoryOf(relay: RelayProcess): Promise<number> {
	const text = await ask('the metrics', async () => await (await relay.api('GET', '/metrics')).text());
	return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

/** Posts both statuses of each message, 20 messages at a time. */
async function postMessages(relay: RelayProcess, prefix: string): Promise<void> {
	let next = 0;
	const poster = async () => {
		while (next < MESSAGES) {
			const message = `${prefix}-${next}`;
			next += 1;
			for (const status of STATUSES) await accept(relay, receipt(message, status));
		}
	};
	await Promise.all(Array.from({ length: 20 }, poster));
}

describe('a receiver that is away for 24 hours', () => {
	const database = useDatabase('folder');
	it(
		`gets ${EVENTS} events once and in order after its return, with few attempts, and memory and disk stay bounded`,
		async () => {
			const clock = testClock();
			const relay = await database().startProcess({ env: clock.env });
			const pass = async (ms: number) => await clock.pass(relay, ms);
			const away = await startReceiver();
			away.respond = () => 503;
			const { id } = await subscribe(relay, { url: away.url, types: ['message.status'] });
			const readHealth = async () => await ask('the health', async () => (await readSubscription(relay, id))?.health);

			await postMessages(relay, 'outage');
			await eventually('the first pause', async () => (await readHealth()).next_probe_at ?? undefined);
			const before = { sizes: await readSizes(database(), relay), memory: await memoryOf(relay) };
			const probeAfter = async (ms: number) => {
				const { length } = away.requests;
				await pass(ms);
				await eventually(
					'the pause after the next probe',
					async () => {
						if (away.requests.length === length) return undefined;
						return Date.parse((await readHealth()).next_probe_at ?? '') > clock.now() ? true : undefined;
					},
					WITHIN_MS,
				);
			};
			for (let passed = 0; passed < DAY; passed += STEP) await probeAfter(STEP);
			const outage = { sizes: await readSizes(database(), relay), memory: await memoryOf(relay) };
			const failedAttempts = away.requests.length;
			expect(await readHealth()).toMatchObject({ pending: EVENTS, failed: 0 });
			expect(failedAttempts).toBeGreaterThanOrEqual(DAY / STEP);
			expect(failedAttempts).toBeLessThan(DAY / STEP + 30);

			away.respond = () => 200;
			let drainedAfter = STEP;
			await pass(STEP);
			let idleSince = Date.now();
			let seen = away.requests.length;
			await eventually(
				'all events',
				async () => {
					if (away.requests.length >= failedAttempts + EVENTS) return true;
					if (away.requests.length > seen) idleSince = Date.now();
					seen = away.requests.length;
					if (Date.now() - idleSince < IDLE_MS) return undefined;
					drainedAfter += MINUTE;
					await pass(MINUTE);
					idleSince = Date.now();
					return undefined;
				},
				WITHIN_MS,
			);
			await eventually('all results', async () => ((await readHealth()).pending === 0 ? true : undefined));
			const drained = { memory: await memoryOf(relay) };
			expect(drainedAfter).toBeLessThan(STEP + DRAINED_WITHIN);
			const events = away.events();
			expect(new Set(events.map((event) => event.id)).size).toBe(EVENTS);
			expect(events).toHaveLength(EVENTS);
			for (const own of Map.groupBy(events, ({ data }) => data.message_id).values()) {
				expect(own.map(({ data }) => data.status)).toEqual(STATUSES);
			}
			const attempts = [...Map.groupBy(away.requests, ({ headers }) => headers['webhook-id']).values()];
			const mostAttempts = Math.max(...attempts.map(({ length }) => length));
			expect(mostAttempts).toBeLessThanOrEqual(MOST_ATTEMPTS);

			const jobs = (sizes: TableSizes) => sizes['pgboss.job_common']?.rows;
			expect(jobs(outage.sizes)).toBeLessThan(EVENTS + MOST_COMPLETED_JOBS);
			const memory = [before, outage, drained].map((one) => Math.round(one.memory / 1_000_000));
			process.stdout.write(
				`Outage of 24 h: ${JSON.stringify({ events: EVENTS, failedAttempts, mostAttempts, drainedAfter, memory, before: before.sizes, outage: outage.sizes })}\n`,
			);
			expect(Math.max(outage.memory, drained.memory)).toBeLessThan(before.memory * 1.5);
			await away.close();
		},
		isLong ? 60 * MINUTE : 5 * MINUTE,
	);
});
