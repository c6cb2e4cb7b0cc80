import { eventually } from '../support/eventually';
import { accept, eventWhere, readSubscription, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { PATIENT } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { receipt } from '../support/relay/requests';

const types = ['message.status'];

/** Keeps each job of a delivery, because the queue engine removes completed ones. */
const RECORD_JOBS = [
	'create table public.made_job (job_id uuid, event_id text, version int, unique (job_id, event_id))',
	`create function public.record_job() returns trigger language plpgsql as $$ begin
		insert into public.made_job
		select new.id, jsonb_array_elements_text(new.data -> 'events'), (new.data ->> 'version')::int
		-- A job that goes back to its queue is inserted again.
		on conflict do nothing;
		return new;
	end $$`,
	`create trigger record_job after insert on pgboss.job for each row when (new.name like 'to\\_%')
		execute function public.record_job()`,
];

/** Two jobs with the same version could be sent by two processes at the same time. */
describe('the jobs of a delivery (postgres)', () => {
	const database = useDatabase('postgres');
	let relay: Relay;
	let receiver: Receiver;
	let subscription: string;

	beforeAll(async () => {
		relay = await database().start({ settings: PATIENT });
		await database().start({ settings: PATIENT });
		for (const statement of RECORD_JOBS) await database().query(statement);
		receiver = await startReceiver();
		({ id: subscription } = await subscribe(relay, { url: receiver.url, types }));
	});
	afterAll(async () => await receiver.close());

	async function versionsOf(event: string): Promise<number[]> {
		const rows = await database().query<{ version: number }>(
			'select version from public.made_job where event_id = $1 order by version',
			[event],
		);
		return rows.map(({ version }) => version);
	}

	it('have a version each, after failures, waits, a receiver that comes back, retries by hand and replays', async () => {
		receiver.respond = () => 503;
		const ids: string[] = [];
		for (const status of ['submitted', 'sent', 'delivered']) {
			ids.push((await accept(relay, receipt('versions', status))).id ?? '');
		}
		const [first = '', second = ''] = ids;
		await eventWhere(relay, first, ({ deliveries }) => deliveries[0]?.attempts === 1);
		await eventually('the wait of a later receipt', async () =>
			(await versionsOf(second)).length > 1 ? true : undefined,
		);
		expect((await relay.api('POST', `/v1/deliveries/${subscription}:${first}/retry`)).status).toBe(202);
		// With the two attempts of the first one, nine failures: one of the two relays has five of them and pauses.
		for (let index = 0; index < 7; index += 1) await accept(relay, receipt(`other_${index}`, 'sent'));
		await eventually(
			'the pause',
			async () => (await readSubscription(relay, subscription))?.health.next_probe_at ?? undefined,
		);
		receiver.respond = () => 200;
		await accept(relay, receipt('back', 'sent'));
		for (const id of ids) await eventWhere(relay, id, ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect((await relay.api('POST', `/v1/events/${second}/replay`, { subscription })).status).toBe(202);
		await eventWhere(relay, second, ({ deliveries }) => deliveries[0]?.replays === 1);
		const twice = await database().query(
			`select event_id, version from public.made_job group by event_id, version having count(*) > 1`,
		);
		expect(twice).toEqual([]);
		// The first job, the wait, the end of the pause, and the replay.
		expect((await versionsOf(second)).length).toBeGreaterThanOrEqual(4);
	});
});
