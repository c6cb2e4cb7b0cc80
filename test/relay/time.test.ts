import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { testClock } from '../support/relay/clock';
import { useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { RelayProcess } from '../support/relay/relayProcess';
import { inbound, receipt } from '../support/relay/requests';
import { addServerClock, shareClock } from '../support/relay/serverClock';

/** A little longer than the time between two runs of the maintenance, of the relay and of its queue. */
const MINUTE_MS = 61_000;

/** Maintenance runs once a minute, so all tests prepare their rows first and share one minute. */
describe('maintenance (postgres)', () => {
	const database = useDatabase('postgres');
	const withinMs = 130_000;
	let relay: RelayProcess;
	let hook: Receiver;
	let away: Receiver;
	const leaving = { id: '', event: '' };
	const failing = { id: '', event: '' };
	/** It failed once long ago, and got nothing since. */
	const quiet = { id: '' };
	const old = { delivered: '', pending: '', paused: '', subscription: '', retried: '' };
	const input = { types: ['message.status'], reference: 'n8n/main/workflow-4/trigger' };

	async function prepareLeaving(): Promise<void> {
		leaving.id = (await subscribe(relay, { ...input, url: hook.url })).id;
		await relay.api('DELETE', `/v1/subscriptions/${leaving.id}`);
		leaving.event = (await accept(relay, receipt('too-late', 'sent'))).id ?? '';
		await database().query(
			`update relay.subscription set leaving_until = leaving_until - interval '10 minutes' where id = $1`,
			[leaving.id],
		);
	}

	async function prepareFailing(): Promise<void> {
		failing.id = (await subscribe(relay, { url: away.url, types: ['wallet.low_balance'] })).id;
		failing.event = (await accept(relay, { balance: 4, threshold: 5, currency: 'GHS' })).id ?? '';
		await eventually(
			'the first failure',
			async () => (await readSubscription(relay, failing.id))?.health.failing_since ?? undefined,
		);
		await database().query(
			`update relay.subscription set failing_since = failing_since - interval '7 days' where id = $1`,
			[failing.id],
		);
	}

	async function prepareQuiet(): Promise<void> {
		quiet.id = (await subscribe(relay, { url: away.url, types: ['whatsapp.inbound'] })).id;
		await accept(relay, inbound(), { path: '/whatsapp' });
		await eventually(
			'its failure',
			async () => (await readSubscription(relay, quiet.id))?.health.failing_since ?? undefined,
		);
		await database().query(
			`update relay.subscription set failing_since = failing_since - interval '8 days',
				last_attempt = jsonb_set(last_attempt, '{at}', to_jsonb((last_attempt ->> 'at')::timestamptz - interval '8 days'))
			where id = $1`,
			[quiet.id],
		);
	}

	async function prepareOld(): Promise<void> {
		await subscribe(relay, { url: hook.url, types: ['sms.inbound'] });
		old.delivered = (await accept(relay, inbound())).id ?? '';
		await eventWhere(relay, old.delivered, ({ deliveries }) => deliveries[0]?.state === 'delivered');
		const { id } = await subscribe(relay, { url: hook.url, types: ['sms.inbound'], reference: 'paused' });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		old.subscription = id;
		old.retried = (await subscribe(relay, { url: away.url, types: ['sms.inbound'], reference: 'away' })).id;
		old.pending = (await accept(relay, inbound())).id ?? '';
		await moveBack(31, [old.delivered, old.pending]);
		// The next one goes at the end of its 30 days, so it is still there after the maintenance.
		old.paused = (await accept(relay, inbound())).id ?? '';
		await moveBack(29, [old.paused]);
	}

	async function moveBack(days: number, events: readonly string[]): Promise<void> {
		await database().query(
			`update relay.event set received_at = received_at - $1 * interval '1 day' where id = any($2)`,
			[days, events],
		);
	}

	beforeAll(async () => {
		[hook, away] = await Promise.all([startReceiver(), startReceiver()]);
		away.respond = () => 500;
		const own = testClock();
		await addServerClock(database());
		relay = await database().startProcess({ env: own.env });
		const clock = await shareClock(database(), own);
		await prepareOld();
		await prepareFailing();
		await prepareQuiet();
		await prepareLeaving();
		await database().query(
			`update pgboss.job set completed_on = completed_on - interval '1 hour' where state = 'completed'`,
		);
		await clock.pass(relay, MINUTE_MS);
	});
	afterAll(async () => await Promise.all([hook.close(), away.close()]));

	it(
		'cancels the events of a deleted production workflow after ten minutes',
		async () => {
			await eventWhere(relay, leaving.event, ({ deliveries }) => deliveries[0]?.state === 'canceled', withinMs);
			expect((await subscribe(relay, { ...input, url: hook.url })).id).not.toBe(leaving.id);
		},
		withinMs,
	);

	it(
		'disables a subscription that failed for seven days, which collects nothing more',
		async () => {
			const disabled = await eventually(
				'the subscription to be disabled',
				async () => {
					const subscription = await readSubscription(relay, failing.id);
					return subscription?.state === 'disabled' ? subscription : undefined;
				},
				withinMs,
			);
			expect(disabled.reason).toMatch(/seven days/);
			expect((await readSubscription(relay, quiet.id))?.state).toBe('active');
			expect((await readEvent(relay, failing.event)).deliveries.map(({ state }) => state)).toEqual(['failed']);
			const next = await accept(relay, { balance: 3, threshold: 5, currency: 'GHS' });
			expect((await readEvent(relay, next.id ?? '')).deliveries).toEqual([]);
		},
		withinMs,
	);

	it(
		'removes events after the retention time also if a paused or failing receiver waits for them, and counts them',
		async () => {
			for (const id of [old.delivered, old.pending]) {
				await eventually(
					'the event to be removed',
					async () => ((await relay.api('GET', `/v1/events/${id}`)).status === 404 ? true : undefined),
					withinMs,
				);
			}
			for (const id of [old.subscription, old.retried]) {
				expect((await readSubscription(relay, id))?.health).toMatchObject({ expired: 1, pending: 1 });
			}
			expect((await relay.api('GET', `/v1/events/${old.paused}`)).status).toBe(200);
		},
		withinMs,
	);

	it(
		'says when the oldest pending event is removed, and delivers it if the subscription is active before',
		async () => {
			const oldest = await readEvent(relay, old.paused);
			const health = (await readSubscription(relay, old.subscription))?.health;
			const days = (Date.parse(health?.oldest_expires_at ?? '') - Date.parse(oldest.timestamp)) / (24 * 3_600_000);
			expect(days).toBe(30);
			await relay.api('PATCH', `/v1/subscriptions/${old.subscription}`, { state: 'active' });
			await eventWhere(relay, old.paused, ({ deliveries }) =>
				deliveries.some(({ subscription, state }) => subscription.id === old.subscription && state === 'delivered'),
			);
			const after = (await readSubscription(relay, old.subscription))?.health;
			expect(after).toMatchObject({ pending: 0, oldest_expires_at: null, expired: 1 });
		},
		withinMs,
	);

	it(
		'removes completed jobs, which would otherwise become the largest table',
		async () => {
			await eventually(
				'the jobs to be removed',
				async () => {
					const [row] = await database().query<{ count: number }>(
						`select count(*)::int as count from pgboss.job
						where state = 'completed' and completed_on < now() - interval '50 minutes' and name not like '\\_\\_pgboss%'`,
					);
					return row?.count === 0 ? true : undefined;
				},
				withinMs,
			);
		},
		withinMs,
	);
});

describe('maintenance with a backlog (postgres)', () => {
	const database = useDatabase('postgres');
	const WAITING = 30_000;

	it('makes the job of a delivery that has none, without comparing each delivery with each job', async () => {
		const own = testClock();
		await addServerClock(database());
		const relay = await database().startProcess({ env: own.env });
		const clock = await shareClock(database(), own);
		const { id } = await subscribe(relay, { url: 'http://127.0.0.1:9/', types: ['message.status'] });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		await database().query(
			`insert into relay.event (id, type, received_at, data, body)
			select 'evt_' || n, 'message.status', now(), '{}', '' from generate_series(1, $1::int) as n`,
			[WAITING],
		);
		await database().query(
			`insert into relay.delivery (subscription_id, event_id, sequence, created_at)
			select $1, id, sequence, now() - interval '1 hour' from relay.event`,
			[id],
		);
		// As the relay makes them: ten deliveries in a job. The last delivery has none.
		await database().query(
			`insert into pgboss.job (name, data)
			select 'to_' || $1, jsonb_build_object('events', jsonb_agg('evt_' || n), 'version', 0)
			from generate_series(1, $2::int - 1) as n group by n / 10`,
			[id, WAITING],
		);
		// As autovacuum does. PostgreSQL then expects a hundred deliveries in a job.
		await database().query('analyze');
		await clock.pass(relay, MINUTE_MS);
		await eventually(
			'the job',
			async () => {
				const jobs = await database().query(`select id from pgboss.job where name = $1 and data -> 'events' ? $2`, [
					`to_${id}`,
					`evt_${WAITING}`,
				]);
				return jobs.length > 0 ? true : undefined;
			},
			20_000,
		);
	});
});
