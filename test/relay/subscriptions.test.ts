import { createChanges } from '../../relay/changes';
import { openPostgres } from '../../relay/database/postgres';
import { endLeaving } from '../../relay/events/retention';
import { eventually } from '../support/eventually';
import { accept, createToken, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { INGEST_SECRET, type Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

const receivers: Receiver[] = [];

async function receiver(): Promise<Receiver> {
	const started = await startReceiver();
	receivers.push(started);
	return started;
}

afterAll(async () => await Promise.all(receivers.map(async ({ close }) => await close())));

describeOnEachDatabase('subscriptions', (database) => {
	let relay: Relay;

	beforeAll(async () => {
		relay = await database().start();
	});

	it('creates a subscription once for the same token, URL, types and filter', async () => {
		const { url } = await receiver();
		const input = { url, types: ['sms.inbound'], filter: { keywords: ['stop'] } };
		const first = await relay.api('POST', '/v1/subscriptions', input);
		const again = await relay.api('POST', '/v1/subscriptions', input);
		expect([first.status, again.status]).toEqual([201, 200]);
		const { id } = await subscribe(relay, input);
		expect((await subscribe(relay, { ...input, filter: { keywords: ['help'] } })).id).not.toBe(id);
		expect((await subscribe(relay, { ...input, types: ['message.status'] })).id).not.toBe(id);
	});

	it('creates one subscription for equal requests at the same moment, and leaves no queue behind', async () => {
		const { url } = await receiver();
		const input = { url, types: ['sms.inbound'], reference: 'n8n/main/workflow-9/trigger' };
		const created = await Promise.all(Array.from({ length: 10 }, async () => await subscribe(relay, input)));
		expect(new Set(created.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1);
		if (database().kind === 'folder') return;
		const queues = await database().query<{ name: string }>(
			`select name from pgboss.queue where name like 'to\\_%' and name not in (select 'to_' || id from relay.subscription)`,
		);
		expect(queues).toEqual([]);
	});

	it('updates the subscription with the same reference and keeps its ID and secret', async () => {
		const [one, other] = [await receiver(), await receiver()];
		const reference = 'n8n/main/workflow-1/trigger';
		const first = await subscribe(relay, { url: one.url, reference });
		const again = await subscribe(relay, { url: other.url, reference, types: ['sms.inbound'] });
		expect(again).toMatchObject({ id: first.id, secret: first.secret, url: other.url, types: ['sms.inbound'] });
	});

	it('rejects a reference of another token with 409', async () => {
		const { url } = await receiver();
		const [ama, kofi] = [await createToken(relay, 'n8n'), await createToken(relay, 'n8n')];
		const input = { url, types: ['sms.inbound'], reference: 'n8n/main/workflow-2/trigger' };
		await subscribe(relay, input, ama);
		const response = await relay.api('POST', '/v1/subscriptions', input, kofi);
		expect(response.status).toBe(409);
		expect(await response.json()).toMatchObject({ error: { code: 'conflict', field: 'reference' } });
	});

	it.each([
		['statuses', { statuses: ['delivered'] }, [receipt('f-1', 'sent'), receipt('f-1', 'delivered')]],
		['channels', { channels: ['whatsapp'] }, [receipt('f-2', 'sent'), receipt('f-3', 'sent', { channel: 'whatsapp' })]],
		['keywords', { keywords: ['stop'] }, [inbound({ message: 'HELP' }), inbound({ message: 'Stop' })]],
		['words of your own', { keywords: ['HOURS'] }, [inbound(), inbound({ message: 'hours?' })]],
		['senders', { from: ['+233203330002'] }, [inbound(), inbound({ from: '+233203330002', message: 'A' })]],
		['recipients', { to: ['KOFISHOP'] }, [inbound(), inbound({ to: 'KOFISHOP' })]],
		['opt-outs', { opt_outs: 'exclude' }, [inbound({ message: 'UNSUBSCRIBE' }), inbound()]],
	])('filters by %s', async (name, filter, [without, wanted]) => {
		const filtered = await receiver();
		const types = ['sms.inbound', 'message.status'];
		const { id } = await subscribe(relay, { url: filtered.url, types, filter });
		const sender = name === 'senders' ? {} : { from: `+2332044400${String(name.length).padStart(2, '0')}` };
		const first = await accept(relay, { ...without, ...('message' in (without ?? {}) && sender) });
		const second = await accept(relay, { ...wanted, ...('message' in (wanted ?? {}) && sender) });
		const [event] = await filtered.waitFor(1);
		expect(event?.id).toBe(second.id);
		const deliveries = (await readEvent(relay, first.id ?? '')).deliveries;
		expect(deliveries.filter(({ subscription }) => subscription.id === id)).toEqual([]);
	});

	it('applies changed types, filters and URLs to the next event', async () => {
		const [one, other] = [await receiver(), await receiver()];
		const { id } = await subscribe(relay, { url: one.url, types: ['sms.inbound'] });
		const changes = { url: other.url, types: ['message.status'], filter: { statuses: ['failed'] } };
		expect((await relay.api('PATCH', `/v1/subscriptions/${id}`, changes)).status).toBe(200);
		await accept(relay, inbound());
		await accept(relay, receipt('patched', 'sent'));
		await accept(relay, receipt('patched', 'failed'));
		expect((await other.waitFor(1)).map(({ data }) => data.status)).toEqual(['failed']);
		expect(one.requests).toEqual([]);
	});

	it('is the one that its new URL, types and filter create again after a change', async () => {
		const [one, other] = [await receiver(), await receiver()];
		const token = await createToken(relay, 'script');
		const before = { url: one.url, types: ['message.status'] };
		const after = { url: other.url, types: ['message.status'], filter: { statuses: ['failed'] } };
		const { id } = await subscribe(relay, before, token);
		expect((await relay.api('PATCH', `/v1/subscriptions/${id}`, after)).status).toBe(200);
		expect((await subscribe(relay, after, token)).id).toBe(id);
		expect((await subscribe(relay, before, token)).id).not.toBe(id);
		await accept(relay, receipt('once', 'failed'));
		await Promise.all([one.waitFor(1), other.waitFor(1)]);
		expect(other.requests).toHaveLength(1);
	});

	it('rejects with 409 a change that makes it equal to another subscription, and changes nothing', async () => {
		const [one, other] = [await receiver(), await receiver()];
		const token = await createToken(relay, 'script');
		const types = ['message.status'];
		const { id } = await subscribe(relay, { url: one.url, types }, token);
		const { id: equal } = await subscribe(relay, { url: other.url, types }, token);
		const change = async () => await relay.api('PATCH', `/v1/subscriptions/${id}`, { url: other.url }, token);
		const response = await change();
		expect(response.status).toBe(409);
		expect(await response.json()).toMatchObject({ error: { code: 'conflict' } });
		expect((await readSubscription(relay, id))?.url).toBe(one.url);
		await relay.api('DELETE', `/v1/subscriptions/${equal}`, undefined, token);
		expect((await change()).status).toBe(200);
	});

	it('is changed by its own token, and not by another one', async () => {
		const { url } = await receiver();
		const [ama, kofi] = [await createToken(relay, 'script'), await createToken(relay, 'script')];
		const { id } = await subscribe(relay, { url, types: ['sms.inbound'], label: 'Of Ama' }, ama);
		const change = async (token: string, label: string) =>
			await relay.api('PATCH', `/v1/subscriptions/${id}`, { label, state: 'paused' }, token);
		const rejected = await change(kofi, 'Of Kofi');
		expect(rejected.status).toBe(404);
		expect(await rejected.json()).toMatchObject({ error: { code: 'not_found' } });
		expect(await readSubscription(relay, id)).toMatchObject({ label: 'Of Ama', state: 'active' });
		expect((await change(ama, 'Shop of Ama')).status).toBe(200);
		expect(await readSubscription(relay, id)).toMatchObject({ label: 'Shop of Ama', state: 'paused' });
	});

	it('rejects a batch for a token made for Zapier, however it is asked for', async () => {
		const hook = await receiver();
		const zapier = await createToken(relay, 'zapier');
		const batch = { max: 10, wait_ms: 1_000 };
		const input = { url: hook.url, types: ['message.status'], reference: 'zapier/hook-1' };
		const { id } = await subscribe(relay, { ...input, batch: null }, zapier);
		const responses = [
			await relay.api('POST', '/v1/subscriptions', { ...input, batch }, zapier),
			await relay.api('POST', '/v1/subscriptions', { ...input, batch }),
			await relay.api('PATCH', `/v1/subscriptions/${id}`, { batch }, zapier),
			await relay.api('PATCH', `/v1/subscriptions/${id}`, { batch }),
		];
		for (const response of responses) {
			expect(response.status).toBe(422);
			expect(await response.json()).toMatchObject({ error: { field: 'batch' } });
		}
		expect(await readSubscription(relay, id)).toMatchObject({ batch: null });
		await accept(relay, receipt('one-by-one', 'sent'));
		const [request] = await hook.waitFor(1).then(() => hook.requests);
		expect(JSON.parse(request?.text ?? '')).toMatchObject({ data: { message_id: 'one-by-one' } });
	});

	it('keeps events while paused, and delivers them after it is active again', async () => {
		const paused = await receiver();
		const { id } = await subscribe(relay, { url: paused.url, types: ['message.status'], reference: 'paused' });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		// Other receivers get the event, so the relay had its chance.
		const witness = await receiver();
		await subscribe(relay, { url: witness.url, types: ['message.status'] });
		const { id: event } = await accept(relay, receipt('while-paused', 'sent'));
		await witness.waitFor(1);
		expect(paused.requests).toEqual([]);
		expect((await readSubscription(relay, id))?.health.pending).toBe(1);
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
		expect((await paused.waitFor(1)).map((one) => one.id)).toEqual([event]);
	});

	it('keeps the events of a deleted production workflow, and delivers them when it is created again', async () => {
		const hook = await receiver();
		const reference = 'n8n/main/workflow-3/trigger';
		const input = { url: hook.url, types: ['message.status'], reference };
		const { id } = await subscribe(relay, input);
		expect((await relay.api('DELETE', `/v1/subscriptions/${id}`)).status).toBe(204);
		expect((await readSubscription(relay, id))?.state).toBe('leaving');
		const { id: event } = await accept(relay, receipt('in-between', 'sent'));
		expect((await subscribe(relay, input)).id).toBe(id);
		expect((await hook.waitFor(1)).map((one) => one.id)).toEqual([event]);
	});

	it('removes the subscription of a test run at once, and responds 204 to a second delete', async () => {
		const hook = await receiver();
		const input = { url: hook.url, types: ['message.status'], reference: 'n8n/main/workflow-3/trigger/test' };
		const { id } = await subscribe(relay, input);
		const deletes = [];
		for (let count = 0; count < 2; count += 1)
			deletes.push((await relay.api('DELETE', `/v1/subscriptions/${id}`)).status);
		expect(deletes).toEqual([204, 204]);
		expect(await readSubscription(relay, id)).toBeUndefined();
		expect((await subscribe(relay, input)).id).not.toBe(id);
	});

	it('removes a subscription whose receiver responds 410, and posts nothing more', async () => {
		const gone = await receiver();
		gone.respond = () => 410;
		const { id } = await subscribe(relay, { url: gone.url, types: ['message.status'] });
		await accept(relay, receipt('gone-1', 'sent'));
		await eventually('the subscription to be removed', async () =>
			(await readSubscription(relay, id)) === undefined ? true : undefined,
		);
		const { id: next } = await accept(relay, receipt('gone-2', 'sent'));
		const deliveries = (await readEvent(relay, next ?? '')).deliveries;
		expect(deliveries.filter(({ subscription }) => subscription.id === id)).toEqual([]);
		expect(gone.requests).toHaveLength(1);
	});

	it('removes a Zapier hook that responds 404 three times, and keeps a script that does', async () => {
		const [zap, script] = [await receiver(), await receiver()];
		for (const one of [zap, script]) one.respond = () => 404;
		const input = { types: ['message.status'] };
		const { id } = await subscribe(relay, { ...input, url: zap.url }, await createToken(relay, 'zapier'));
		const token = await createToken(relay, 'script');
		const { id: kept } = await subscribe(relay, { ...input, url: script.url }, token);
		for (let count = 0; count < 3; count += 1) await accept(relay, receipt(`not-found-${count}`, 'sent'));
		await eventually('the Zapier hook to be removed', async () =>
			(await readSubscription(relay, id)) === undefined ? true : undefined,
		);
		await eventually('three requests to the script', () => (script.requests.length >= 3 ? true : undefined));
		expect((await readSubscription(relay, kept))?.state).toBe('active');
		await relay.api('DELETE', `/v1/subscriptions/${kept}`);
	});
});

describeOnEachDatabase('a subscription to the ingest URL of its own relay', (database) => {
	it('is rejected, because each of its deliveries would be a new event', async () => {
		const env = { RELAY_ALLOW: '127.0.0.1', RELAY_PUBLIC_URL: 'https://example.com/relay' };
		const relay = await database().start({ env });
		const types = ['unrecognized'];
		const { id } = await subscribe(relay, { url: 'https://example.com/in/hook', types });
		const path = `/in/${INGEST_SECRET}`;
		const own = [relay.url, relay.url.replace('127.0.0.1', 'localhost'), env.RELAY_PUBLIC_URL].map((one) => one + path);
		for (const url of [...own, `${relay.url}${path}/sms`]) {
			for (const response of [
				await relay.api('POST', '/v1/subscriptions', { url, types }),
				await relay.api('PATCH', `/v1/subscriptions/${id}`, { url }),
			]) {
				expect([url, response.status]).toEqual([url, 422]);
				expect(await response.json()).toMatchObject({ error: { code: 'invalid', field: 'url' } });
			}
		}
	});
});

describe('a publish at the moment in which a deleted subscription ends', () => {
	const database = useDatabase('postgres');

	it('keeps the subscription', async () => {
		const relay = await database().start();
		const { url } = await receiver();
		const { id } = await subscribe(relay, { url, reference: 'n8n/main/workflow-10/trigger' });
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		const [publishing, ending] = [openPostgres(database().url ?? ''), openPostgres(database().url ?? '')];
		let ended: Promise<void> | undefined;
		await publishing.transaction(async (sql) => {
			await sql.query(`update relay.subscription set state = 'active', leaving_until = null where id = $1`, [id]);
			ended = endLeaving({ database: ending, changes: createChanges() }, new Date(Date.now() + 3_600_000));
			await eventually('the other transaction to wait', async () => {
				const waiting = await database().query(
					`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
				);
				return waiting.length > 0 ? true : undefined;
			});
		});
		await ended;
		expect((await readSubscription(relay, id))?.state).toBe('active');
		await Promise.all([publishing.close(), ending.close()]);
	});
});
