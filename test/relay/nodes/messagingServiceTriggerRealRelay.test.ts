import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { closedPort } from '../../support/closedPort';
import { eventually } from '../../support/eventually';
import { relayedTrigger, type RelayedOptions, type RelayedTrigger } from '../../support/n8n/relayedTrigger';
import { QUICK } from '../../support/relay/quick';
import { startRelay, type Relay } from '../../support/relay/relay';

/** The trigger on the relay itself, with the parts of n8n that register it. */
let relay: Relay;
let relayToken: string;
beforeAll(async () => {
	relay = await startRelay({ settings: QUICK });
	relayToken = await newToken(relay);
}, 60_000);
afterAll(async () => await relay.stop());

async function newToken({ api }: Relay): Promise<string> {
	const created: unknown = await (await api('POST', '/v1/tokens', { name: 'n8n', kind: 'n8n' })).json();
	return z.object({ token: z.string() }).parse(created).token;
}

const workflow = async (options: RelayedOptions = {}) => await relayedTrigger(relay, { relayToken, ...options });
let senders = 0;
/** A message from a number of its own, because a sender has a limit and equal words are duplicates. */
const sms = async (message: string, to = 'KOFISHOP') => {
	senders += 1;
	const from = `+23320${String(1_000_000 + senders)}`;
	expect((await relay.post({ from, to, message }, { path: '/sms' })).status).toBe(200);
};
const receipt = async (message_id: string, status: string) =>
	expect((await relay.post({ message_id, status, to: '+233201234567', channel: 'sms' })).status).toBe(200);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const saidTo = ({ served }: RelayedTrigger) => served.started.map(({ message }) => textOf(message)).sort();
/** Waits for this many items. Events of different messages arrive in any order. */
const started = async (trigger: RelayedTrigger, count: number, withinMs?: number) =>
	await eventually(
		`${count} items`,
		() => (trigger.served.started.length >= count ? trigger.served.started : undefined),
		withinMs,
	);
const states = async () => {
	const listed: unknown = await (await relay.api('GET', '/v1/subscriptions')).json();
	const subscription = z.object({ reference: z.string().nullable(), state: z.string() });
	return z.object({ data: z.array(subscription) }).parse(listed).data;
};
const stateOf = async (reference: string) => (await states()).find((one) => one.reference?.includes(reference))?.state;

it('starts each workflow with the events that pass its filters, and a copy of a workflow with the same events', async () => {
	const webhookId = randomUUID();
	const copy = { parameters: {}, identity: { webhookId, id: 'node-of-copies', workflowId: 'original' } };
	await using original = await workflow(copy);
	await using copied = await workflow({ ...copy, identity: { ...copy.identity, workflowId: 'copied' } });
	const parameters = { customKeywords: 'HOURS', filters: { keywords: ['custom', 'stop'], recipient: 'kofishop' } };
	await using filtered = await workflow({ parameters });
	for (const trigger of [original, copied, filtered]) await trigger.activate();
	for (const words of ['hours?', 'Stop', 'Hello']) await sms(words);
	await sms('HOURS', '1234');
	await Promise.all([started(original, 4), started(copied, 4), started(filtered, 2)]);
	expect(saidTo(original)).toEqual(['HOURS', 'Hello', 'Stop', 'hours?']);
	expect(saidTo(copied)).toEqual(saidTo(original));
	expect(filtered.served.started.map(({ keyword }) => keyword).sort()).toEqual(['HOURS', 'stop']);
	const ids = (trigger: RelayedTrigger) => trigger.served.started.map(({ event_id }) => textOf(event_id)).sort();
	expect(ids(copied)).toEqual(ids(original));
	for (const trigger of [original, copied, filtered]) await trigger.deactivate();
	expect(await stateOf('/original/')).toBe('leaving');
	await sms('after');
	expect([original, copied, filtered].map(({ served }) => served.started.length)).toEqual([4, 4, 2]);
});

it('loses and repeats nothing while a changed workflow is published ten times under load', async () => {
	await using trigger = await workflow();
	await trigger.activate();
	const sent: string[] = [];
	const posting = (async () => {
		for (let round = 0; round < 40; round += 1) {
			const words = Array.from({ length: 5 }, (_, index) => `load ${round}-${index}`);
			await Promise.all(words.map(async (one) => await sms(one)));
			sent.push(...words);
		}
	})();
	for (let times = 0; times < 10; times += 1) {
		await trigger.deactivate();
		await trigger.activate('update');
	}
	await posting;
	await started(trigger, sent.length, 50_000);
	await trigger.served.idle();
	expect(saidTo(trigger)).toEqual(sent.sort());
	await trigger.deactivate();
}, 60_000);

it('receives earlier events after a restart of n8n, without registering again', async () => {
	await using trigger = await workflow();
	await trigger.activate();
	trigger.stop();
	await sms('while n8n was away');
	await eventually('a response 404', () => (trigger.served.statuses.includes(404) ? true : undefined));
	await trigger.activate('init');
	await started(trigger, 1);
	expect(saidTo(trigger)).toEqual(['while n8n was away']);
	await trigger.deactivate();
}, 60_000);

it('starts the workflow once for an event that n8n does not accept at first', async () => {
	let fails = true;
	const run = async () => await (fails ? Promise.reject(new Error('SQLITE_BUSY: database is locked')) : undefined);
	await using trigger = await workflow({ serve: { run } });
	await trigger.activate();
	await sms('again');
	await eventually('a response 500', () => (trigger.served.statuses.includes(500) ? true : undefined));
	fails = false;
	await started(trigger, 1);
	await trigger.served.idle();
	expect([saidTo(trigger), trigger.served.statuses]).toEqual([['again'], [500, 200]]);
	await trigger.deactivate();
}, 60_000);

it('starts few executions for 300 receipts with batches, and each message keeps the order of its receipts', async () => {
	const parameters = { triggerOn: ['deliveryReceipt'], options: { batchSize: 500 } };
	await using trigger = await workflow({ parameters });
	await trigger.activate();
	for (const status of ['submitted', 'sent', 'delivered']) {
		await Promise.all(Array.from({ length: 100 }, async (_, index) => await receipt(`batch-${index}`, status)));
	}
	const items = await started(trigger, 300, 60_000);
	expect(items).toHaveLength(300);
	expect(trigger.served.executions.length).toBeLessThanOrEqual(30);
	for (let index = 0; index < 100; index += 1) {
		const own = items.filter(({ message_id }) => message_id === `batch-${index}`);
		expect(own.map(({ status }) => status)).toEqual(['submitted', 'sent', 'delivered']);
	}
	await trigger.deactivate();
}, 90_000);

it('starts a test in the editor beside the published workflow, and ends only the test', async () => {
	await using trigger = await workflow();
	await trigger.activate();
	await trigger.listen();
	await sms('test');
	await started(trigger, 2);
	await trigger.endTest();
	await sms('published');
	await started(trigger, 3);
	expect(saidTo(trigger)).toEqual(['published', 'test', 'test']);
	const reference = trigger.engine.path.slice(0, -1);
	expect(await stateOf(reference)).toBe('active');
	expect(await stateOf(`${reference}/test`)).toBeUndefined();
	await trigger.deactivate();
	expect(await stateOf(reference)).toBe('leaving');
});

it('starts the workflow again for a replay on the page of the relay', async () => {
	await using trigger = await workflow();
	await trigger.activate();
	await sms('replayed');
	const [item] = await started(trigger, 1);
	const id = textOf(item?.event_id);
	const shown: unknown = await (await relay.api('GET', `/v1/events/${id}`)).json();
	const delivery = z.object({ subscription: z.object({ id: z.string(), url: z.string() }) });
	const { deliveries } = z.object({ deliveries: z.array(delivery) }).parse(shown);
	const own = deliveries.find(({ subscription }) => subscription.url.startsWith(trigger.served.origin));
	const replay = await relay.api('POST', `/v1/events/${id}/replay`, { subscription: own?.subscription.id });
	expect(replay.status).toBe(202);
	const items = await started(trigger, 2);
	expect(items.map(({ event_id }) => event_id)).toEqual([id, id]);
	await trigger.deactivate();
});

it('keeps its registration when n8n starts before the relay, and reports the relay to a user', async () => {
	const port = await closedPort();
	const first = await startRelay({ port });
	await using trigger = await relayedTrigger(first, { relayToken: await newToken(first) });
	await trigger.activate();
	await first.stop();
	trigger.stop();
	await trigger.activate('init');
	expect(trigger.engine.logged()).toEqual([expect.stringContaining('could not be checked')]);
	await expect(trigger.activate('activate')).rejects.toThrow(`Relay URL: the relay at ${first.url} does not respond`);
	const second = await startRelay({ port, folder: first.folder, settings: QUICK });
	try {
		const body = { from: '+233201234567', to: 'KOFISHOP', message: 'after the restart' };
		expect((await second.post(body, { path: '/sms' })).status).toBe(200);
		await started(trigger, 1);
		expect(saidTo(trigger)).toEqual(['after the restart']);
	} finally {
		await second.stop();
	}
}, 60_000);
