import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { accept, eventWhere, readEvent, readSubscription, subscribe } from '../support/relay/api';
import { describeOnEachDatabase, useDatabase } from '../support/relay/databases';
import { QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver, type ReceivedRequest } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

const types = ['message.status'];

/** Verifies a signature as the page of Standard Webhooks describes it. */
function isSigned({ headers, text }: ReceivedRequest, secret: string): boolean {
	const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
	const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
	const expected = createHmac('sha256', key).update(content).digest('base64');
	return headers['webhook-signature'] === `v1,${expected}`;
}

describeOnEachDatabase('delivery', (database) => {
	let relay: Relay;
	const receivers: Receiver[] = [];

	async function receiver(): Promise<Receiver> {
		const started = await startReceiver();
		receivers.push(started);
		return started;
	}

	beforeAll(async () => {
		relay = await database().start({ settings: QUICK });
	});

	// Each test has its own subscription, so that no other one gets its events.
	afterEach(async () => {
		await Promise.all(receivers.splice(0).map(async ({ close }) => await close()));
		await endSubscriptions(relay);
	});

	it('signs each request per Standard Webhooks, with the secret of its subscription', async () => {
		const [one, other] = [await receiver(), await receiver()];
		const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
		const first = await subscribe(relay, { url: one.url, types });
		await subscribe(relay, { url: other.url, types, secret });
		const { id } = await accept(relay, receipt('signed', 'sent'));
		await Promise.all([one.waitFor(1), other.waitFor(1)]);
		const [toOne, toOther] = [one.requests[0], other.requests[0]];
		if (!toOne || !toOther) throw new Error('A request is missing');
		expect([isSigned(toOne, first.secret), isSigned(toOther, secret), isSigned(toOne, secret)]).toEqual([
			true,
			true,
			false,
		]);
		expect(toOne.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
		expect(toOne.headers['user-agent']).toMatch(/^messaging-service-relay\//);
		expect(Math.abs(Number(toOne.headers['webhook-timestamp']) - toOne.at / 1000)).toBeLessThan(5);
	});

	it('delivers to 30 subscriptions of one host at the first attempt, also if none of them gets a response before', async () => {
		const n8n = await receiver();
		let release = (): void => undefined;
		const all = new Promise<void>((resolve) => (release = resolve));
		n8n.respond = async ({ count }) => {
			if (count === 29) release();
			await all;
			return 200;
		};
		for (let number = 0; number < 30; number += 1) await subscribe(relay, { url: `${n8n.url}/${number}`, types });
		const { id } = await accept(relay, receipt('of one host', 'sent'));
		await n8n.waitFor(30);
		const { deliveries } = await eventWhere(relay, id ?? '', (event) =>
			event.deliveries.every(({ state }) => state === 'delivered'),
		);
		expect(deliveries.map(({ attempts }) => attempts)).toEqual(Array(30).fill(1));
		expect(new Set(n8n.requests.map(({ path }) => path)).size).toBe(30);
		expect(n8n.requests).toHaveLength(30);
	});

	it('sends nothing at all to a receiver before the end of its Retry-After', async () => {
		const busy = await receiver();
		busy.respond = ({ count }) => (count === 0 ? { status: 429, headers: { 'retry-after': '1' } } : 200);
		const { id } = await subscribe(relay, { url: busy.url, types });
		await accept(relay, receipt('busy-0', 'sent'));
		await eventually('the pause', async () => (await readSubscription(relay, id))?.health.next_probe_at ?? undefined);
		for (let count = 1; count <= 5; count += 1) await accept(relay, receipt(`busy-${count}`, 'sent'));
		await busy.waitFor(6);
		const [first, ...others] = busy.requests.map(({ at }) => at);
		expect(others).toHaveLength(6);
		expect(Math.min(...others) - (first ?? 0)).toBeGreaterThanOrEqual(950);
	});

	it('keeps the order of a message after a failure, while other messages go on', async () => {
		const hook = await receiver();
		// Until all others have arrived.
		const fails = (text: string) =>
			text.includes('"sent"') && text.includes('ordered-0') && (hook.events().length < 13 || hook.requests.length < 14);
		hook.respond = ({ text }) => (fails(text) ? 503 : 200);
		await subscribe(relay, { url: hook.url, types });
		for (const status of ['submitted', 'sent', 'delivered']) {
			for (let message = 0; message < 5; message += 1) await accept(relay, receipt(`ordered-${message}`, status));
		}
		const events = await hook.waitFor(15);
		const statuses = (message: number) =>
			events.filter(({ data }) => data.message_id === `ordered-${message}`).map(({ data }) => data.status);
		for (let message = 0; message < 5; message += 1) {
			expect(statuses(message)).toEqual(['submitted', 'sent', 'delivered']);
		}
		expect(events.slice(-2).map(({ data }) => data.message_id)).toEqual(['ordered-0', 'ordered-0']);
	});

	it('posts different messages at the same time', async () => {
		const hook = await receiver();
		let open = 0;
		let most = 0;
		hook.respond = async () => {
			open += 1;
			most = Math.max(most, open);
			await sleep(500);
			open -= 1;
			return 200;
		};
		await subscribe(relay, { url: hook.url, types });
		await Promise.all(
			Array.from({ length: 20 }, async (_, index) => await accept(relay, receipt(`parallel-${index}`, 'sent'))),
		);
		await hook.waitFor(20);
		expect(most).toBeGreaterThan(3);
		expect(most).toBeLessThanOrEqual(10);
	});

	it('posts a batch in one request, in order, and repeats a failed one with the same IDs', async () => {
		const hook = await receiver();
		hook.respond = ({ count }) => (count === 0 ? 503 : 200);
		const { id } = await subscribe(relay, { url: hook.url, types, batch: { max: 100, wait_ms: 500 } });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		const posted = await Promise.all(
			Array.from({ length: 10 }, async (_, index) => (await accept(relay, receipt(`batch-${index}`, 'sent'))).id),
		);
		// The end of a period may be between two of them.
		await sleep(500);
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
		const events = await hook.waitFor(10);
		expect(events.map((event) => event.id).sort()).toEqual(posted.sort());
		expect(events.map(({ sequence }) => sequence)).toEqual(
			events.map(({ sequence }) => sequence).sort((a, b) => a - b),
		);
		const [first, again] = hook.requests;
		expect(first?.headers['webhook-id']).toMatch(/^bat_[0-9a-f]{32}$/);
		expect(JSON.parse(first?.text ?? '')).toHaveLength(10);
		expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
		expect(again?.text).toBe(first?.text);
	});

	it('keeps the order of each message across batches', async () => {
		const hook = await receiver();
		hook.respond = ({ count }) => (count === 1 ? 503 : 200);
		await subscribe(relay, { url: hook.url, types, batch: { max: 4, wait_ms: 200 } });
		for (const status of ['submitted', 'sent', 'delivered']) {
			for (let message = 0; message < 5; message += 1) await accept(relay, receipt(`batches-${message}`, status));
		}
		const events = await hook.waitFor(15);
		for (let message = 0; message < 5; message += 1) {
			const own = events.filter(({ data }) => data.message_id === `batches-${message}`);
			expect(own.map(({ data }) => data.status)).toEqual(['submitted', 'sent', 'delivered']);
		}
	});

	it('uses a batch that was added to a subscription', async () => {
		const hook = await receiver();
		const { id } = await subscribe(relay, { url: hook.url, types });
		const changes = { batch: { max: 50, wait_ms: 1_000 } };
		expect((await relay.api('PATCH', `/v1/subscriptions/${id}`, changes)).status).toBe(200);
		const began = Date.now();
		await Promise.all(
			Array.from({ length: 20 }, async (_, index) => await accept(relay, receipt(`added-${index}`, 'sent'))),
		);
		await hook.waitFor(20, 10_000);
		// At most one for each period that the events took to arrive. On a busy machine, that may be several.
		const seconds = (Math.max(...hook.requests.map(({ at }) => at)) - began) / 1_000;
		expect(hook.requests.length).toBeLessThanOrEqual(seconds + 2);
	});

	it('leaves a receiver that is away alone, catches up after its return, and does not slow others', async () => {
		const [away, good] = [await receiver(), await receiver()];
		away.respond = () => 503;
		const { id } = await subscribe(relay, { url: away.url, types });
		await subscribe(relay, { url: good.url, types });
		let posted = 0;
		// Five failures and some that were in flight with them, and then a probe after each pause.
		while (away.requests.length < 10 || posted < 20) {
			await accept(relay, receipt(`away-${posted}`, 'sent'));
			posted += 1;
			await good.waitFor(posted);
		}
		const times = away.requests.map(({ at }) => at);
		const shortestPauseMs = 1_000 * Math.min(...QUICK.retry.probes);
		expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan((times.length - 8) * shortestPauseMs);
		expect((await readSubscription(relay, id))?.health.failing_since).not.toBeNull();
		away.respond = () => 200;
		await away.waitFor(posted);
		expect(new Set(away.events().map((event) => event.id)).size).toBe(away.events().length);
	});

	it('delivers an opt-out before a backlog', async () => {
		const slow = await receiver();
		const { id } = await subscribe(relay, { url: slow.url, types: ['sms.inbound'] });
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		for (let index = 0; index < 40; index += 1) await accept(relay, inbound());
		const stop = await accept(relay, inbound({ from: '+233205550001', message: 'STOP' }));
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
		const events = await slow.waitFor(41);
		expect(events.slice(0, 10).map((event) => event.id)).toContain(stop.id);
	});
});

describe('delivery (folder)', () => {
	const database = useDatabase('folder');
	const receivers: Receiver[] = [];
	let relay: Relay;

	async function receiver(): Promise<Receiver> {
		const started = await startReceiver();
		receivers.push(started);
		return started;
	}

	afterEach(async () => {
		await Promise.all(receivers.splice(0).map(async ({ close }) => await close()));
		await endSubscriptions(relay);
		await relay.stop();
	});

	it('retries after 5 seconds with the same ID, or later if Retry-After says so, and probes after a pause of 5 seconds', async () => {
		relay = await database().start();
		const [plain, later, away] = [await receiver(), await receiver(), await receiver()];
		plain.respond = ({ count }) => (count === 0 ? 500 : 200);
		later.respond = ({ count }) => (count === 0 ? { status: 429, headers: { 'retry-after': '7' } } : 200);
		away.respond = () => 503;
		for (const { url } of [plain, later]) await subscribe(relay, { url, types });
		const { id: paused } = await subscribe(relay, { url: away.url, types: ['sms.inbound'] });
		// All wait when the worker begins, so that it sends ten at once.
		await relay.api('PATCH', `/v1/subscriptions/${paused}`, { state: 'paused' });
		for (let index = 0; index < 60; index += 1) await accept(relay, inbound());
		await relay.api('PATCH', `/v1/subscriptions/${paused}`, { state: 'active' });
		const { id } = await accept(relay, receipt('retried', 'sent'));
		await eventually('the probe', () => (waits(away).some((wait) => wait > 4_400) ? true : undefined));
		expect(away.requests.length).toBeLessThanOrEqual(12);
		await Promise.all([plain.waitFor(1), later.waitFor(1)]);
		for (const one of [plain, later])
			expect(one.requests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
		expect(waits(plain)[0]).toBeGreaterThanOrEqual(4_400);
		expect(waits(later)[0]).toBeGreaterThanOrEqual(6_900);
		const { deliveries } = await eventWhere(relay, id ?? '', (event) =>
			event.deliveries.every(({ state }) => state === 'delivered'),
		);
		expect(
			deliveries.map(({ attempts, tries }) => [attempts, tries.at(0)?.status, tries.at(1)?.status]).sort(),
		).toEqual([
			[2, 429, 200],
			[2, 500, 200],
		]);
	});

	it('repeats an attempt that timed out with the same ID, and does not delay other receivers', async () => {
		const response = 3_000;
		relay = await database().start({ settings: { ...QUICK, waits: { ...QUICK.waits, response } } });
		const [hanging, good] = [await receiver(), await receiver()];
		hanging.respond = ({ count }) => (count === 0 ? 'hang' : 200);
		for (const { url } of [hanging, good]) await subscribe(relay, { url, types });
		const { id } = await accept(relay, receipt('hanging', 'sent'));
		await eventually('the first attempt', () => (hanging.requests.length === 1 ? true : undefined));
		await accept(relay, receipt('not-delayed', 'sent'));
		await good.waitFor(2);
		const events = await hanging.waitFor(2);
		expect(events.map((one) => one.id)).toContain(id);
		const [first, second, ...more] = hanging.requests.filter(({ headers }) => headers['webhook-id'] === id);
		const timedOutAt = (first?.at ?? 0) + response;
		expect(more).toEqual([]);
		expect(second?.at).toBeGreaterThanOrEqual(timedOutAt);
		expect(good.requests[1]?.at).toBeLessThan(timedOutAt);
		const [delivery] = (await readEvent(relay, id ?? '')).deliveries.filter(({ attempts }) => attempts > 1);
		expect(delivery?.tries[0]).toMatchObject({ status: null, error: 'The receiver did not respond within 3 seconds' });
	});

	it('continues with later receipts of a message after an earlier one was retried by hand', async () => {
		relay = await database().start({ settings: { ...QUICK, retry: { ...QUICK.retry, schedule: [2, 2] } } });
		const hook = await receiver();
		hook.respond = ({ text }) => (text.includes('"submitted"') ? 400 : 200);
		const { id: subscription } = await subscribe(relay, { url: hook.url, types });
		const first = await accept(relay, receipt('continues', 'submitted'));
		await eventually('the first attempt', () => (hook.requests.length > 0 ? true : undefined));
		const second = await accept(relay, receipt('continues', 'sent'));
		await sleep(300);
		expect(hook.events()).toEqual([]);
		hook.respond = () => 200;
		await relay.api('POST', `/v1/deliveries/${subscription}:${first.id}/retry`);
		expect((await hook.waitFor(2)).map(({ id }) => id)).toEqual([first.id, second.id]);
	});

	it('does not send a receipt again that failed for good, and the later ones of its message continue in order', async () => {
		relay = await database().start({ settings: { ...QUICK, retry: { ...QUICK.retry, schedule: [0.5, 0.2] } } });
		const hook = await receiver();
		hook.respond = ({ text }) => (text.includes('"submitted"') ? 400 : 200);
		await subscribe(relay, { url: hook.url, types });
		const { id } = await accept(relay, receipt('failed-first', 'submitted'));
		for (const status of ['sent', 'delivered']) await accept(relay, receipt('failed-first', status));
		await hook.waitFor(2);
		expect((await readEvent(relay, id ?? '')).deliveries).toMatchObject([{ state: 'failed', attempts: 3 }]);
		const statuses = hook.requests.map(({ text }) => /"status":"(\w+)"/.exec(text)?.[1]);
		expect(statuses).toEqual(['submitted', 'submitted', 'submitted', 'sent', 'delivered']);
	});
});

async function endSubscriptions(relay: Relay): Promise<void> {
	const { data } = (await (await relay.api('GET', '/v1/subscriptions')).json()) as { data: Array<{ id: string }> };
	for (const { id } of data) await relay.api('DELETE', `/v1/subscriptions/${id}`);
}

function waits({ requests }: Receiver): number[] {
	return requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? at));
}
