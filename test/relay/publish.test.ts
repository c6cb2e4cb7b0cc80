import { setTimeout as sleep } from 'node:timers/promises';
import { accept, eventWhere, readSubscription, subscribe } from '../support/relay/api';
import { useDatabase } from '../support/relay/databases';
import { eventually } from '../support/eventually';
import { PATIENT, QUICK } from '../support/relay/quick';
import { startReceiver, type ReceiverResponse } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { receipt } from '../support/relay/requests';

const PUBLISHES = 3;
const POSTERS = 3;

/** How long n8n needs to store an execution, in milliseconds. */
const STORES_MS = 20;

describe('publishes in n8n under load', () => {
	const database = useDatabase('postgres');
	let web: Relay;

	beforeAll(async () => {
		// Another process delivers than the one that gets the DELETE.
		web = await database().start({ role: 'web', settings: QUICK });
		await database().start({ role: 'worker', settings: QUICK });
	});

	it('cost hardly any attempts, and no event arrives twice', async () => {
		const n8n = await startReceiver();
		let hasWebhook = true;
		n8n.respond = async () => (hasWebhook ? await sleep(STORES_MS, 200) : 404);
		const input = { url: n8n.url, types: ['message.status'], reference: 'n8n/main/published/trigger' };
		const { id } = await subscribe(web, input);
		const posted: string[] = [];
		let ended = false;
		const posters = Array.from({ length: POSTERS }, async (_, poster) => {
			for (let count = 0; !ended; count += 1) {
				posted.push((await accept(web, receipt(`published-${poster}-${count}`, 'sent'))).id ?? '');
			}
		});
		const morePosted = async (count: number) => {
			const before = posted.length;
			await eventually(`${count} more events`, () => (posted.length >= before + count ? true : undefined));
		};
		for (let publish = 0; publish < PUBLISHES; publish += 1) {
			const before = n8n.events().length;
			await eventually('deliveries', () => (n8n.events().length >= before + 20 ? true : undefined));
			await web.api('DELETE', `/v1/subscriptions/${id}`);
			hasWebhook = false;
			await morePosted(20);
			hasWebhook = true;
			expect((await subscribe(web, input)).id).toBe(id);
		}
		ended = true;
		await Promise.all(posters);
		const events = await n8n.waitFor(posted.length, 60_000);
		expect(events.map((event) => event.id).toSorted()).toEqual(posted.toSorted());
		const notFound = n8n.requests.filter(({ status }) => status === 404).length;
		expect(notFound).toBeLessThan(PUBLISHES);
		await n8n.close();
	});
});

describe('a workflow that is published again while its subscription is paused', () => {
	const database = useDatabase('folder');

	it('stays paused, and gets its events after the pause', async () => {
		const relay = await database().start();
		const n8n = await startReceiver();
		const input = { url: n8n.url, types: ['message.status'], reference: 'n8n/main/paused/trigger' };
		const { id } = await subscribe(relay, input);
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		// n8n may repeat a DELETE whose response is lost.
		for (let count = 0; count < 2; count += 1) await relay.api('DELETE', `/v1/subscriptions/${id}`);
		await accept(relay, receipt('published-while-paused', 'sent'));
		expect(await subscribe(relay, input)).toMatchObject({ id, state: 'paused', health: { pending: 1 } });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
		await n8n.waitFor(1);
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		expect((await subscribe(relay, input)).state).toBe('active');
		await n8n.close();
	});
});

describe('a deleted workflow whose subscription a person pauses or activates', () => {
	const database = useDatabase('folder');

	it('is still deleted, and has the state of the person if n8n publishes it again', async () => {
		const relay = await database().start();
		const input = { url: 'http://127.0.0.1:9/', types: ['message.status'], reference: 'n8n/main/deleted/trigger' };
		const { id } = await subscribe(relay, input);
		for (const state of ['paused', 'active', 'paused']) {
			await relay.api('DELETE', `/v1/subscriptions/${id}`);
			const response = await relay.api('PATCH', `/v1/subscriptions/${id}`, { state });
			expect([response.status, await response.json()]).toMatchObject([200, { state: 'leaving' }]);
			expect((await readSubscription(relay, id))?.state).toBe('leaving');
			expect(await subscribe(relay, input)).toMatchObject({ id, state });
		}
	});
});

describe('a workflow that is published again', () => {
	const database = useDatabase('folder');

	it('gets at once the events whose requests arrived while its webhook was away', async () => {
		const relay = await database().start({ settings: PATIENT });
		const n8n = await startReceiver();
		const release: Array<(response: ReceiverResponse) => void> = [];
		n8n.respond = async () => await new Promise((resolve) => release.push(resolve));
		const input = { url: n8n.url, types: ['message.status'], reference: 'n8n/main/slow/trigger' };
		const { id } = await subscribe(relay, input);
		const setState = async (state: string) => await relay.api('PATCH', `/v1/subscriptions/${id}`, { state });
		// All wait when the worker begins, so that it fetches them at once.
		await setState('paused');
		const posted: string[] = [];
		for (let index = 0; index < 10; index += 1) {
			posted.push((await accept(relay, receipt(`slow-${index}`, 'sent'))).id ?? '');
		}
		await setState('active');
		await eventually('ten requests in flight', () => (release.length === 10 ? true : undefined));
		await relay.api('DELETE', `/v1/subscriptions/${id}`);
		n8n.respond = () => 200;
		for (const respond of release) respond(404);
		for (const event of posted) {
			await eventWhere(relay, event, ({ deliveries }) => deliveries[0]?.tries[0]?.status === 404);
		}
		// By their own schedule, they would arrive in two hours.
		await subscribe(relay, input);
		const events = await n8n.waitFor(10);
		expect(events.map((event) => event.id).toSorted()).toEqual(posted.toSorted());
		await eventually('all results', async () =>
			(await readSubscription(relay, id))?.health.pending === 0 ? true : undefined,
		);
		await n8n.close();
	});
});
