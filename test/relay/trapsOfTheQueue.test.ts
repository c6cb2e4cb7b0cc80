import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, subscribe } from '../support/relay/api';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';

const types = ['message.status'];

/** How often the queue engine looks for jobs by itself, in milliseconds. */
const POLL_MS = 30_000;

describeOnEachDatabase('deliveries of several receivers', (database) => {
	it('that failed are tried again when they are due, not when the queue is looked at next', async () => {
		const relay = await database().start({ settings: QUICK });
		const receivers: Receiver[] = [];
		for (let index = 0; index < 4; index += 1) {
			const receiver = await startReceiver();
			receiver.respond = ({ count }) => (count === 0 ? 500 : 200);
			await subscribe(relay, { url: receiver.url, types });
			receivers.push(receiver);
		}
		await accept(relay, receipt('due', 'sent'));
		const waits = [];
		for (const receiver of receivers) {
			await receiver.waitFor(1, 2 * POLL_MS);
			const [first, second] = receiver.requests;
			waits.push((second?.at ?? 0) - (first?.at ?? 0));
		}
		// Without a notification, each would wait for the next look. A busy machine may delay some.
		expect(Math.min(...waits)).toBeLessThan(POLL_MS / 2);
		await relay.stop();
		await Promise.all(receivers.map(async ({ close }) => await close()));
	});
});

describe('deliveries that are not distributed yet', () => {
	const database = useDatabase('postgres');

	it('are stored with their event, so that an interrupted distribution loses and reorders none', async () => {
		const receivers = await Promise.all([startReceiver(), startReceiver()]);
		// Receives, and distributes nothing.
		const web = await database().startProcess({ role: 'web' });
		for (const { url } of receivers) await subscribe(web, { url, types });
		const ids: string[] = [];
		for (const status of ['submitted', 'sent', 'delivered']) {
			const { id } = await accept(web, receipt('distributed', status));
			ids.push(id ?? '');
			const { deliveries } = await readEvent(web, id ?? '');
			expect(deliveries.map(({ state, attempts }) => [state, attempts])).toEqual([
				['pending', 0],
				['pending', 0],
			]);
		}
		await web.kill();
		const relay = await database().start({ settings: QUICK });
		for (const receiver of receivers) {
			expect((await receiver.waitFor(3)).map(({ id }) => id)).toEqual(ids);
		}
		await relay.stop();
		await Promise.all(receivers.map(async ({ close }) => await close()));
	});
});

describe('the job of a failed delivery (postgres)', () => {
	const database = useDatabase('postgres');

	it('is completed, and the next one starts when the receiver asked for it, without a try of the queue engine', async () => {
		const relay = await database().start();
		const receiver = await startReceiver();
		receiver.respond = () => ({ status: 429, headers: { 'retry-after': '600' } });
		const { id: subscription } = await subscribe(relay, { url: receiver.url, types });
		const { id } = await accept(relay, receipt('limited', 'sent'));
		await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.attempts === 1);
		const readJobs = async () =>
			await database().query<{ state: string; retry_count: number; version: number; wait: number }>(
				`select state::text, retry_count, (data ->> 'version')::int as version,
					extract(epoch from start_after - created_on)::int as wait
				from pgboss.job where name = $1 and data -> 'events' ? $2 order by version`,
				[`to_${subscription}`, id],
			);
		// The queue engine completes a job after its outcome is stored.
		const jobs = await eventually('the end of the job', async () => {
			const rows = await readJobs();
			return rows.some(({ state }) => state === 'active') ? undefined : rows;
		});
		expect(jobs).toMatchObject([
			{ state: 'completed', retry_count: 0, version: 0 },
			{ state: 'created', retry_count: 0, version: 1 },
		]);
		expect(jobs[1]?.wait).toBeGreaterThanOrEqual(595);
		// A policy with an order of its own takes 100 ms for each job under a backlog.
		expect(await database().query('select distinct policy from pgboss.queue where name like $1', ['to\\_%'])).toEqual([
			{ policy: 'standard' },
		]);
		await relay.stop();
		await receiver.close();
	});
});
