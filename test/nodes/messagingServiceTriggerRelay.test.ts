import { randomUUID } from 'node:crypto';
import type { WorkflowActivateMode } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { relayedTrigger, RELAY_TOKEN, startRelay, type RelayedOptions } from '../support/n8n/relayedTrigger';
import { startEngine } from '../support/n8n/engine';
import type { StubEvent, StubRelay, StubSubscription } from '../support/stubRelay';

const nowhere = async () => `http://127.0.0.1:${await closedPort()}`;
const posts = (relay: StubRelay) => relay.calls.filter((call) => call.startsWith('POST')).length;
const hours: StubEvent = {
	...{ id: 'evt_1', type: 'sms.inbound', timestamp: '2026-11-22T10:00:00.000Z', sequence: 1 },
	data: {
		...{ event: 'sms.inbound', from: '+233201234567', to: 'KOFISHOP' },
		...{ message: 'HOURS', message_id: null, keyword: null },
	},
};

/** Filters and options that the registration contains. */
const chosen: RelayedOptions['parameters'] = {
	triggerOn: ['inboundSms', 'deliveryReceipt'],
	customKeywords: 'HOURS, PRICE',
	filters: {
		keywords: ['stop', 'custom'],
		sender: '+233201234567',
		recipient: 'KOFISHOP, 1234',
		statuses: ['delivered', 'failed'],
	},
	options: { batchSize: 200 },
};

describe('the registration at the relay', () => {
	it('registers the URL, events, filters and batch of a trigger, with a secret that is different for each trigger', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { parameters: chosen });
		await using other = await relayedTrigger(relay);
		await trigger.activate();
		await other.activate();
		const registered = trigger.registered();
		expect(registered).toMatchObject({
			url: expect.stringMatching(
				new RegExp(`^${trigger.served.origin}/webhook/[0-9a-f-]{36}/w1/trigger-\\d+$`),
			) as string,
			types: ['sms.inbound', 'message.status'],
			filter: {
				keywords: ['stop', 'HOURS', 'PRICE'],
				from: ['+233201234567'],
				to: ['KOFISHOP', '1234'],
				statuses: ['delivered', 'failed'],
			},
			batch: { max: 200, wait_ms: 5000 },
			label: 'Replies: Trigger',
		});
		expect(registered?.reference).toMatch(/^n8n\/[^/]+\/w1\/trigger-\d+$/);
		expect(other.registered()).toMatchObject({ types: ['sms.inbound'], batch: null });
		expect(other.registered()?.filter).toBeUndefined();
		expect(other.registered()?.secret).not.toBe(registered?.secret);
	});

	it('registers for unrecognized requests if they may start the workflow', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, {
			parameters: { options: { unrecognizedRequests: 'start' } },
		});
		await trigger.activate();
		expect(trigger.registered()?.types).toEqual(['sms.inbound', 'unrecognized']);
	});

	it('registers without a filter that is too long for the relay, because the trigger filters again', async () => {
		await using relay = await startRelay();
		const sender = Array.from({ length: 51 }, (_, index) => `+2332012345${index + 10}`).join(', ');
		await using trigger = await relayedTrigger(relay, { parameters: { filters: { sender, recipient: '1234' } } });
		await trigger.activate();
		expect(trigger.registered()?.filter).toEqual({ to: ['1234'] });
	});

	it('does not register again when n8n starts and nothing changed, even if the relay spells a number in its own way', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { parameters: chosen });
		await trigger.activate();
		const registered = trigger.registered();
		if (registered) registered.filter = { ...registered.filter, from: ['233 20 123 4567'] };
		await trigger.activate('init');
		expect(posts(relay)).toBe(1);
	});

	it.each<[string, Partial<StubSubscription>]>([
		['another URL', { url: 'https://old.example.com/webhook/1' }],
		['other events', { types: ['sms.inbound'] }],
		['another filter', { filter: { keywords: ['stop'] } }],
		['another batch', { batch: { max: 2, wait_ms: 0 } }],
		['no batch', { batch: null }],
		['a subscription that it is removing', { state: 'leaving' }],
		['a subscription that it disabled', { state: 'disabled' }],
	])('registers again when n8n starts and the relay has %s', async (_, change) => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { parameters: chosen });
		await trigger.activate();
		const before = { ...trigger.registered() };
		Object.assign(trigger.registered() ?? {}, change);
		await trigger.activate('init');
		expect(trigger.registered()).toEqual(before);
		expect(posts(relay)).toBe(2);
	});

	it('registers again when n8n starts and the relay has no subscription', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		relay.subscriptions.clear();
		await trigger.activate('init');
		expect(trigger.registered()).toBeDefined();
	});

	it('leaves a subscription paused that a person paused on the page of the relay, and logs that', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		Object.assign(trigger.registered() ?? {}, { state: 'paused' });
		await trigger.activate('init');
		expect(posts(relay)).toBe(1);
		expect(trigger.engine.logged()).toEqual([expect.stringContaining('paused on the page of the relay')]);
	});

	it('removes the subscription when a user deactivates the workflow, and accepts that it is already gone', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		await trigger.deactivate();
		expect(relay.subscriptions.size).toBe(0);
		await trigger.deactivate();
		expect(trigger.engine.logged()).toEqual([]);
	});

	it('registers each copy of a workflow on its own, and both receive an event', async () => {
		await using relay = await startRelay();
		const webhookId = randomUUID();
		const copy = (workflowId: string) => ({ identity: { webhookId, id: 'same-node', workflowId } });
		await using one = await relayedTrigger(relay, copy('original'));
		await using two = await relayedTrigger(relay, copy('copied'));
		await one.activate();
		await two.activate();
		expect(relay.subscriptions.size).toBe(2);
		for (const subscription of relay.subscriptions.values()) {
			expect((await relay.deliver(subscription, hours)).status).toBe(200);
		}
		expect([one.served.started.length, two.served.started.length]).toEqual([1, 1]);
		await two.deactivate();
		expect(one.registered()).toBeDefined();
	});

	it('ignores fields that the editor hides for the relay', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, {
			parameters: {
				authentication: 'secret',
				forwardInboundSms: true,
				options: { allowedIps: '203.0.113.7', deduplicationWindowSeconds: -1 },
			},
		});
		await trigger.activate();
		expect(trigger.registered()?.url).not.toContain('secret');
		await relay.deliver(trigger.registered(), hours);
		expect(trigger.served.started).toEqual([expect.not.objectContaining({ forwarded: expect.anything() as boolean })]);
		expect(trigger.served.started).toHaveLength(1);
	});
});

describe('a test in the editor', () => {
	it('registers a test in the editor with its Test URL, and removes that registration after the test', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		await trigger.listen();
		expect(trigger.registeredTest()?.url).toContain('/webhook-test/');
		const statuses = [];
		for (const subscription of relay.subscriptions.values()) {
			statuses.push((await relay.deliver(subscription, hours)).status);
		}
		expect(statuses).toEqual([200, 200]);
		expect(trigger.served.started).toHaveLength(2);
		await trigger.endTest();
		expect([trigger.registered() !== undefined, trigger.registeredTest()]).toEqual([true, undefined]);
	});

	it('keeps a test in the editor registered when the workflow is deactivated', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		await trigger.listen();
		await trigger.deactivate();
		expect([trigger.registered(), trigger.registeredTest() !== undefined]).toEqual([undefined, true]);
	});

	it('keeps the published workflow registered when a test ends whose registration is already gone', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		await trigger.endTest();
		expect(trigger.registered()).toBeDefined();
	});

	it('rejects an event at the Test URL that is signed for the published workflow', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		await trigger.listen();
		const { url } = trigger.registeredTest() ?? {};
		if (url === undefined) throw new Error('The test is not registered');
		expect((await relay.deliver(trigger.registered(), hours, { url })).status).toBe(401);
	});

	it('ends a test in the editor with an error that names Relay URL if the relay is away', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { relayUrl: await nowhere() });
		await expect(trigger.listen()).rejects.toThrow('Relay URL');
	});
});

/** Responses of a relay that cannot register a trigger, with the words for the user. */
const faults: ReadonlyArray<readonly [status: number, code: string, words: string]> = [
	[401, 'unauthorized', 'Relay Token: the relay does not know this token'],
	[403, 'forbidden', 'Relay Token: this token may not register workflows'],
	[409, 'conflict', 'registered with another token'],
	[422, 'url_blocked', 'RELAY_ALLOW'],
	[422, 'url_needs_https', 'WEBHOOK_URL'],
	[422, 'invalid', 'The relay does not accept the registration (types)'],
	[503, 'unavailable', 'is not ready (HTTP 503)'],
];
const fault = (status: number, code: string) => ({
	status,
	body: { error: { code, message: 'Look at the header Authorization.', field: 'types' } },
});

describe('a relay that is away or rejects the registration', () => {
	it.each(faults)(
		'ends the activation by a user with the remedy if the relay responds HTTP %i %s',
		async (status, code, words) => {
			await using relay = await startRelay();
			await using trigger = await relayedTrigger(relay);
			relay.fault = fault(status, code);
			const error: unknown = await trigger.activate().catch((thrown: unknown) => thrown);
			expect(error).toMatchObject({ message: expect.stringContaining(words) as string });
			expect(String(error)).not.toMatch(/authorization/i);
		},
	);

	it('ends the activation by a user with an error that names Relay URL if the relay does not respond', async () => {
		await using relay = await startRelay();
		const relayUrl = await nowhere();
		await using trigger = await relayedTrigger(relay, { relayUrl });
		await expect(trigger.activate()).rejects.toThrow(`Relay URL: the relay at ${relayUrl} does not respond`);
	});

	it.each([
		['a page of another server', 200, '<html>'],
		['a list of something else', 200, { data: [{ id: 1 }] }],
		['an address without a relay', 404, 'Not Found'],
	])(
		'ends the activation by a user with an error that names Relay URL if the response is %s',
		async (_, status, body) => {
			await using relay = await startRelay();
			await using trigger = await relayedTrigger(relay);
			relay.fault = { status, body };
			await expect(trigger.activate()).rejects.toThrow('Relay URL');
		},
	);

	it.each<WorkflowActivateMode>(['init', 'leadershipChange'])(
		'only logs a failed registration when n8n itself activates the workflow (%s)',
		async (activation) => {
			await using relay = await startRelay();
			await using away = await relayedTrigger(relay, { relayUrl: await nowhere() });
			await away.activate(activation);
			const lines = away.engine.logged();
			await using rejected = await relayedTrigger(relay);
			for (const [status, code] of faults) {
				relay.fault = fault(status, code);
				await rejected.activate(activation);
			}
			lines.push(...rejected.engine.logged());
			expect(lines).toHaveLength(1 + faults.length);
			for (const line of lines) {
				expect(line).toContain('could not be checked');
				expect(line).not.toMatch(/authorization/i);
			}
		},
	);

	it('only logs that the relay is away when n8n itself registers the trigger', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { relayUrl: await nowhere() });
		const how = { origin: trigger.served.origin, mode: 'trigger', activation: 'init' } as const;
		expect(await trigger.engine.hook('create', how)).toBe(true);
		expect(trigger.engine.logged()).toHaveLength(1);
	});

	it('lets a user deactivate the workflow while the relay is away, and logs that', async () => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay);
		await trigger.activate();
		relay.fault = fault(503, 'unavailable');
		await trigger.deactivate();
		expect(trigger.engine.logged()).toEqual([expect.stringContaining('could not be removed from the relay')]);
	});

	it.each([
		['no Relay URL', { relayUrl: '' }, 'Relay URL is missing'],
		['a Relay URL without a scheme', { relayUrl: 'relay.example.com' }, 'Relay URL is not an http or https address'],
		['the ingest URL', { relayUrl: 'https://relay.example.com/in/abc' }, 'is the address for incoming events'],
		['no Relay Token', { relayUrl: 'https://relay.example.com', relayToken: ' ' }, 'Relay Token is missing'],
	])('does not call the relay with a credential that has %s, and names the field', async (_, fields, words) => {
		await using relay = await startRelay();
		await using trigger = await relayedTrigger(relay, { credentials: { messagingServiceRelayApi: fields } });
		await expect(trigger.activate()).rejects.toThrow(words);
		expect(relay.calls).toEqual([]);
	});
});

describe('the test of the relay credential', () => {
	const test = async (fields: Record<string, string>) =>
		await (await startEngine({})).testCredential('messagingServiceRelayApi', { relayToken: RELAY_TOKEN, ...fields });

	it.each(['', '/', '/v1', '/v1/'])(
		'accepts a Relay URL that ends in %j in the test of the credential',
		async (end) => {
			await using relay = await startRelay();
			expect(await test({ relayUrl: `${relay.url}${end}` })).toEqual({
				status: 'OK',
				message: 'The relay knows this token (my n8n)',
			});
			expect(relay.calls).toEqual(['GET /v1/me']);
		},
	);

	it('names Relay Token in the test of the credential if the relay does not know it', async () => {
		await using relay = await startRelay();
		const { status, message } = await test({ relayUrl: relay.url, relayToken: 'rly_other' });
		expect([status, message]).toEqual(['Error', expect.stringContaining('Relay Token: the relay does not know')]);
	});

	it('rejects a token for Zapier in the test of the credential', async () => {
		await using relay = await startRelay();
		relay.fault = { status: 200, body: { token: { id: 'tok_2', name: 'Zaps', kind: 'zapier' } } };
		expect((await test({ relayUrl: relay.url })).message).toContain('this token is for Zapier');
	});

	it.each([
		['nothing listens', undefined, 'does not respond'],
		['another server responds', { status: 200, body: { ok: true } }, 'there is no relay at'],
		['another server has no such page', { status: 404, body: 'Not Found' }, 'there is no relay at'],
		['the relay has no database', fault(503, 'unavailable'), 'is not ready'],
	])('names Relay URL in the test of the credential if %s', async (_, answered, words) => {
		await using relay = await startRelay();
		relay.fault = answered;
		const { status, message } = await test({ relayUrl: answered ? relay.url : await nowhere() });
		expect(status).toBe('Error');
		expect(message).toContain('Relay URL');
		expect(message).toContain(words);
	});
});
