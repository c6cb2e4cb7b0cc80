import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { RelayProcess } from '../support/relay/relayProcess';
import { inbound, receipt } from '../support/relay/requests';

/** Maintenance runs once a minute, so all tests prepare their rows first and share one wait. */
describe('maintenance (postgres)', () => {
	const database = useDatabase('postgres');
	const withinMs = 130_000;
	let relay: RelayProcess;
	let hook: Receiver;
	let away: Receiver;
	const leaving = { id: '', event: '' };
	const failing = { id: '', event: '' };
	const old = { delivered: '', pending: '' };
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

	async function prepareOld(): Promise<void> {
		await subscribe(relay, { url: hook.url, types: ['sms.inbound'] });
		old.delivered = (await accept(relay, inbound())).id ?? '';
		await eventWhere(relay, old.delivered, ({ deliveries }) => deliveries[0]?.state === 'delivered');
		// A receiver that fails. A pause would take effect a moment later.
		await subscribe(relay, { url: away.url, types: ['sms.inbound'] });
		old.pending = (await accept(relay, inbound())).id ?? '';
		await database().query(`update relay.event set received_at = received_at - interval '31 days' where id = any($1)`, [
			[old.delivered, old.pending],
		]);
	}

	beforeAll(async () => {
		[hook, away] = await Promise.all([startReceiver(), startReceiver()]);
		away.respond = () => 500;
		relay = await database().start();
		await prepareOld();
		await prepareFailing();
		await prepareLeaving();
		await database().query(
			`update pgboss.job set completed_on = completed_on - interval '1 hour' where state = 'completed'`,
		);
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
			expect((await readEvent(relay, failing.event)).deliveries.map(({ state }) => state)).toEqual(['failed']);
			const next = await accept(relay, { balance: 3, threshold: 5, currency: 'GHS' });
			expect((await readEvent(relay, next.id ?? '')).deliveries).toEqual([]);
		},
		withinMs,
	);

	it(
		'removes events after the retention time, unless a delivery is pending',
		async () => {
			await eventually(
				'the event to be removed',
				async () => ((await relay.api('GET', `/v1/events/${old.delivered}`)).status === 404 ? true : undefined),
				withinMs,
			);
			expect((await relay.api('GET', `/v1/events/${old.pending}`)).status).toBe(200);
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
