import type { INodeParameters } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { endRetryWaits } from '../support/endRetryWaits';
import { alreadySent, DOUBT, MAY_HAVE_BEEN_ACCEPTED, NOTHING_SENT } from '../support/promises';
import { stubServer } from '../support/stubServer';
import { startEngine, type Engine, type NodeRun } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

endRetryWaits();

const sendTo = (to: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'send',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to,
	message: 'We are open from 8 to 18.',
	...more,
});
const each = sendTo('={{ $json.to }}');
const oneByOne = sendTo('={{ $json.to }}', { options: { parallelRequests: 1 } });
const people = ['+233201234561', '+233201234562', '+233201234563'];
const peopleItems = people.map((to) => ({ to }));

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await engineOn(sandbox.baseUrl);
});

const engineOn = (baseUrl: string, apiKey = 'sk_sandbox_demo', authHeader = 'X-API-Key') =>
	startEngine({ messagingServiceApi: { baseUrl, apiKey, authHeader } });
const json = (result: Awaited<ReturnType<Engine['run']>>, output = 0) =>
	result.outputs[output]?.map((item) => item.json) ?? [];
const optOut = async (from: string | undefined) => {
	const body = JSON.stringify({ from, to: 'KOFISHOP', message: 'STOP' });
	const headers = { 'Content-Type': 'application/json' };
	const response = await fetch(`${sandbox.url}/webhooks/inbound/sms`, { method: 'POST', headers, body });
	expect(response.status).toBe(200);
};
const recipients = async () => (await control.messages()).map(({ to }) => to).reverse();

describe('a run that continues on errors', () => {
	const onErrors = ['continueRegularOutput', 'continueErrorOutput'] as const;

	it.each(onErrors)('fails every item if the credential cannot be used (%s)', async (onError) => {
		const settings = { onError };
		const result = await (await engineOn('service')).run({ parameters: each, items: peopleItems, settings });
		const failed = json(result, onError === 'continueErrorOutput' ? 1 : 0);
		expect(failed).toEqual(
			people.map(() => expect.objectContaining({ error: expect.stringContaining('Base URL') as string }) as unknown),
		);
		if (onError === 'continueErrorOutput') expect(json(result)).toEqual([]);
	});

	it.each(onErrors)('fails a Send and Wait item whose question cannot be read (%s)', async (onError) => {
		const parameters = { ...each, operation: 'sendAndWait', message: "={{ $('No such node').item.json.text }}" };
		const result = await engine.run({ parameters, items: peopleItems.slice(0, 1), settings: { onError } });
		// The error output follows Response and No Response.
		expect(json(result, onError === 'continueErrorOutput' ? 2 : 0)).toEqual([
			expect.objectContaining({ error: expect.stringContaining('cannot be read') as string }),
		]);
	});
});

describe('SMS > Send', () => {
	it('sends one message for each item and links each row to its item', async () => {
		const result = await engine.run({ parameters: each, items: peopleItems });
		expect(result.status).toBe('success');
		expect(json(result)).toEqual(
			people.map((to) => ({
				outcome: 'accepted',
				to,
				sender_id: 'KOFISHOP',
				segment_count: 1,
				success: true,
				message_id: expect.any(String) as string,
				status: 'submitted',
				cost: 0.05,
				billed_via: 'wallet',
				balance: expect.any(Number) as number,
			})),
		);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect((await recipients()).sort()).toEqual(people);
	});

	it.each(['X-API-Key', 'Authorization'])('sends the API key in the header %s', async (authHeader) => {
		await using server = await stubServer({ status: 200, body: '{"message_id": "m", "status": "submitted"}' });
		const result = await (
			await engineOn(server.baseUrl, 'sk_live_1', authHeader)
		).run({ parameters: sendTo(people[0] ?? '') });
		expect(result.status).toBe('success');
		const { headers } = server.received[0] ?? {};
		expect(headers?.['x-api-key']).toBe(authHeader === 'X-API-Key' ? 'sk_live_1' : undefined);
		expect(headers?.authorization).toBe(authHeader === 'X-API-Key' ? undefined : 'Bearer sk_live_1');
	});

	it('delivers the message text unchanged, on the priority route if requested', async () => {
		const message = '  “Akwaaba” ₵5 {name} }} {{\n\n2nd line 😀 ';
		await engine.run({ parameters: sendTo('+233201234567', { message, options: { priority: true } }) });
		expect(await control.messages()).toMatchObject([{ message, priority: true, sender_id: 'KOFISHOP' }]);
	});

	it.each([
		['020 123 4567', {}],
		['00233201234567', {}],
		['={{ 201234567 }}', {}],
		['={{ 233201234567 }}', {}],
		['08031234567', { defaultCountry: 'NG' }],
	])('reads the number %s in the format that people use', async (to, options) => {
		await engine.run({ parameters: sendTo(to, { options }) });
		const expected = 'defaultCountry' in options ? '+2348031234567' : '+233201234567';
		expect(await recipients()).toEqual([expected]);
	});

	it('sends to a range that is not known yet only if Unknown Number Ranges allows it', async () => {
		const rejected = await engine.run({ parameters: sendTo('025 123 4567') });
		expect(rejected.error?.message).toMatch(
			/^To .*begins like no known phone number: check each digit.*set Unknown Number Ranges to Allow/,
		);
		expect(rejected.error?.description).toContain(NOTHING_SENT);
		const kept = await engine.run({
			parameters: sendTo('025 123 4567', { options: { unknownNumberRanges: 'reject' } }),
		});
		expect(kept.status).toBe('error');
		expect(await control.requests()).toEqual([]);
		await engine.run({ parameters: sendTo('025 123 4567', { options: { unknownNumberRanges: 'allow' } }) });
		expect(await recipients()).toEqual(['+233251234567']);
	});

	it.each<[string, INodeParameters, string, ...string[]]>([
		['no number', { to: '={{ $json.nothing }}' }, 'To'],
		['letters in the number', { to: 'Kofi' }, 'To'],
		['a number shortened by a spreadsheet', { to: '2.33244E+11' }, 'To', '2.33244E+11'],
		['an unknown default country', { to: '0201234567', options: { defaultCountry: 'Atlantis' } }, 'Default Country'],
		['a long message', { message: 'x'.repeat(1601) }, 'Message', '1601', '1600'],
		['an empty message', { message: '={{ "" }}' }, 'Message'],
		['an empty sender ID', { senderId: { __rl: true, mode: 'name', value: '={{ " " }}' } }, 'Sender ID'],
	])('rejects %s before any request', async (_, more, label, ...facts) => {
		const result = await engine.run({ parameters: sendTo('+233201234567', more) });
		expect(result.status).toBe('error');
		expect(result.error?.message.startsWith(`${label} `)).toBe(true);
		for (const fact of facts) expect(result.error?.message).toContain(fact);
		expect(result.error?.description).toContain(NOTHING_SENT);
		expect(await control.requests()).toEqual([]);
	});

	it("shows the service's own words for a rejected message, and charges nothing", async () => {
		const result = await engine.run({
			parameters: sendTo('+233201234567', { senderId: { __rl: true, mode: 'name', value: 'PENDINGCO' } }),
		});
		expect(result.error?.message).toMatch(/PENDINGCO.*KOFISHOP/);
		expect(result.error?.description).toMatch(/sender_not_approved.*422/);
		expect((await control.wallet()).balance).toBe(40);
	});

	it.each([401, 402, 403, 404, 500, 503])(
		"shows the service's own words for HTTP %i instead of a generic text",
		async (status) => {
			const message = 'These are preexisting words of the service';
			await control.fault({ endpoint: 'sms.send', kind: 'answer', status, body: { message } });
			const result = await engine.run({ parameters: sendTo('+233201234567') });
			const doubt = status >= 500 ? DOUBT : '';
			expect(result.error?.message).toBe(`${doubt}${message}`);
		},
	);

	it.each([302, 307, 308])('does not follow a %i redirect with the message', async (status) => {
		await using elsewhere = await stubServer({ status: 200, body: '{"message_id": "m", "status": "submitted"}' });
		await using moved = await stubServer({ status, headers: { Location: `${elsewhere.baseUrl}sms/send` } });
		const result = await (await engineOn(moved.baseUrl)).run({ parameters: sendTo('+233201234567') });
		expect(result.error?.message).toContain(`redirects to ${new URL(elsewhere.baseUrl).origin}`);
		expect([moved.received.length, elsewhere.received.length]).toEqual([1, 0]);
	});

	it('names the first item with an invalid number, and sends none', async () => {
		const items = [{ to: people[0] }, { to: 'Kofi' }, { to: people[2] }];
		const result = await engine.run({ parameters: each, items });
		expect(result.status).toBe('error');
		expect(result.error?.message).toContain('(item 2 of 3)');
		expect(await recipients()).toEqual([]);
	});

	it('stops at the first item that the service rejects, and names it', async () => {
		await optOut(people[1]);
		const result = await engine.run({ parameters: oneByOne, items: peopleItems });
		expect(result.error?.message).toContain('opted out');
		expect(result.error?.message).toContain('(item 2 of 3)');
		expect(await recipients()).toEqual([people[0]]);
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'starts no further request after the wallet is empty (%s)',
		async (onError) => {
			const body = { code: 'insufficient_balance', message: 'The wallet is empty' };
			await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, body });
			const result = await engine.run({ parameters: oneByOne, items: peopleItems, settings: { onError } });
			expect(await control.requests()).toHaveLength(1);
			if (onError === 'stopWorkflow') expect(result.error?.message).toBe(`${body.message} (item 1 of 3)`);
			else {
				expect(json(result).map(({ outcome }) => outcome)).toEqual(['rejected', 'not_attempted', 'not_attempted']);
				expect(json(result)[2]?.error).toContain(body.message);
			}
		},
	);

	it('sends no waiting message after the wallet turns out to be empty', async () => {
		const body = { code: 'insufficient_balance', message: 'The wallet is empty' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, body });
		const options = { parallelRequests: 3, requestsPerSecond: 4 };
		const settings = { onError: 'continueRegularOutput' } as const;
		const result = await engine.run({
			parameters: sendTo('={{ $json.to }}', { options }),
			items: peopleItems,
			settings,
		});
		expect(await control.requests()).toHaveLength(1);
		expect(json(result).map(({ outcome }) => outcome)).toEqual(['rejected', 'not_attempted', 'not_attempted']);
	});

	it('keeps the order of the items with several requests in flight', async () => {
		const items = Array.from({ length: 40 }, (_, index) => ({ to: `+2332012345${String(index).padStart(2, '0')}` }));
		const result = await engine.run({
			parameters: sendTo('={{ $json.to }}', { options: { parallelRequests: 10 } }),
			items,
		});
		const sent = new Map((await control.messages()).map(({ message_id, to }) => [message_id, to]));
		expect(json(result).map(({ message_id }) => sent.get(message_id as string))).toEqual(items.map(({ to }) => to));
	});

	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'continues after an invalid item with %s',
		async (onError) => {
			const items = [{ to: people[0] }, { to: 'Kofi' }, { to: people[2] }];
			const result = await engine.run({ parameters: each, items, settings: { onError } });
			expect(result.status).toBe('success');
			const failed = {
				error: expect.stringContaining('To') as string,
				details: {
					to: 'Kofi',
					outcome: 'rejected',
					sent: 'no',
					description: expect.stringContaining('Nothing was sent') as string,
				},
			};
			if (onError === 'continueRegularOutput') {
				expect(json(result)[1]).toEqual({ to: 'Kofi', outcome: 'rejected', ...failed });
				expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
			} else {
				expect(json(result, 0)).toHaveLength(2);
				expect(json(result, 1)).toEqual([{ to: 'Kofi', ...failed }]);
			}
			expect(await recipients()).toEqual([people[0], people[2]]);
		},
	);
});

describe('an expression that fails', () => {
	const parameters = sendTo("={{ $json.to || $('No such node').item.json.to }}");
	const items = [{ to: people[0] }, {}, { to: people[2] }];

	it('stops the run at an expression that fails, before any request', async () => {
		const result = await engine.run({ parameters, items });
		expect(result.status).toBe('error');
		expect(await recipients()).toEqual([]);
	});

	it('fails only the item whose expression fails when the run continues on errors', async () => {
		const result = await engine.run({ parameters, items, settings: { onError: 'continueRegularOutput' } });
		expect(json(result)[1]).toMatchObject({
			outcome: 'rejected',
			error: expect.any(String) as string,
			details: { sent: 'no' },
		});
		expect(await recipients()).toEqual([people[0], people[2]]);
	});
});

describe('never paying twice for one message', () => {
	const retrying: NodeRun['settings'] = { retryOnFail: true, maxTries: 5 };
	const modes = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;
	const matrix = [2, 5].flatMap((maxTries) =>
		[0, 1, 2].flatMap((bad) =>
			modes.flatMap((onError) => [1, 5].map((parallel) => ({ maxTries, bad, onError, parallel }))),
		),
	);

	it.each(matrix)(
		'sends each message at most once with Retry On Fail: %j',
		async ({ maxTries, bad, onError, parallel }) => {
			await optOut(people[bad]);
			const parameters = sendTo('={{ $json.to }}', { options: { parallelRequests: parallel } });
			await engine.run({ parameters, items: peopleItems, settings: { retryOnFail: true, maxTries, onError } });
			const good = people.filter((_, index) => index !== bad);
			const sent = await recipients();
			if (onError !== 'stopWorkflow') expect(sent.sort()).toEqual(good);
			else if (parallel === 1) expect(sent).toEqual(good.slice(0, bad));
			else expect(sent).toEqual([...new Set(sent)]);
			expect((await control.wallet()).balance).toBeCloseTo(40 - 0.05 * sent.length, 5);
		},
	);

	it.each(['drop_after', 'truncate'])(
		'sends a message once with Retry On Fail after a lost response (%s)',
		async (kind) => {
			await control.fault({ endpoint: 'sms.send', kind });
			const result = await engine.run({ parameters: sendTo('+233201234567'), settings: retrying });
			expect(result.status).toBe('error');
			expect(result.error?.description).toMatch(MAY_HAVE_BEEN_ACCEPTED);
			expect(await control.messages()).toHaveLength(1);
			expect((await control.wallet()).balance).toBe(39.95);
		},
	);

	it('sends a message once with Retry On Fail although its text contains the time', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		const parameters = sendTo('+233201234567', { message: '={{ "It is " + $now.toMillis() }}' });
		await engine.run({ parameters, settings: retrying });
		expect(await control.messages()).toHaveLength(1);
	});

	it('sends a message again with Retry On Fail if it was certainly not accepted', async () => {
		const rejected = { success: false, message: 'The gateway is closed' };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, body: rejected, times: 2 });
		const result = await engine.run({ parameters: sendTo('+233201234567'), settings: retrying });
		expect(result.status).toBe('success');
		expect(await control.messages()).toHaveLength(1);
	});

	it('sends the same message to the same number again in another execution', async () => {
		await engine.run({ parameters: sendTo('+233201234567') });
		await engine.run({ parameters: sendTo('+233201234567') });
		expect(await control.messages()).toHaveLength(2);
	});

	it('sends the same item again in another run of the node, as in a loop', async () => {
		const result = await engine.run({ parameters: each, items: [{ to: people[0] }], secondItems: [{ to: people[0] }] });
		expect(result.status).toBe('success');
		expect(await recipients()).toEqual([people[0], people[0]]);
	});

	it('sends the same item again at another node', async () => {
		await engine.run({ parameters: sendTo('+233201234567'), then: sendTo('+233201234567') });
		expect(await control.messages()).toHaveLength(2);
	});

	it('sends the same message again in executions without an ID', async () => {
		await engine.run({ parameters: sendTo('+233201234567'), executionId: '' });
		await engine.run({ parameters: sendTo('+233201234567'), executionId: '' });
		expect(await control.messages()).toHaveLength(2);
	});

	it('sends two items for the same number as two messages', async () => {
		await engine.run({ parameters: sendTo('+233201234567'), items: [{}, {}] });
		expect(await control.messages()).toHaveLength(2);
	});

	it('names the messages already sent when the run stops later', async () => {
		await optOut(people[2]);
		const result = await engine.run({ parameters: oneByOne, items: peopleItems });
		const ids = (await control.messages()).map(({ message_id }) => message_id).reverse();
		expect(ids).toHaveLength(2);
		expect(result.error?.description).toMatch(alreadySent(2, ...ids));
		expect(result.error?.description).not.toContain(NOTHING_SENT);
		expect(result.error?.description).toContain('this item');
	});

	it('reports a lost response as unknown', async () => {
		await control.fault({ endpoint: 'sms.send', kind: 'drop_after' });
		const result = await engine.run({
			parameters: sendTo('+233201234567'),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(json(result)).toMatchObject([
			{
				outcome: 'unknown',
				error: expect.stringContaining('response') as string,
				details: { sent: 'unknown' },
			},
		]);
	});
});

describe('as a tool of an agent', () => {
	const calls = people.slice(0, 2).map((to, index) => ({ to, message: `Text ${index}` }));

	it("sends every message of an agent's sequential calls", async () => {
		const responses = await engine.callTool(calls);
		expect(responses.map((response) => response.includes('accepted'))).toEqual([true, true]);
		expect(responses.join()).not.toContain('already_sent');
		const sent = (await control.messages()).map(({ to, message }) => ({ to, message }));
		expect(sent.reverse()).toEqual(calls);
	});

	it("pays once and explains why if n8n gives an agent's parallel calls the same content", async () => {
		const [first, second] = await engine.callTool(calls, {}, 'parallel');
		expect(first).not.toContain('already_sent');
		expect(JSON.parse(second ?? '')).toMatchObject([
			{ outcome: 'skipped', reason: 'already_sent', to: calls[0]?.to, first_outcome: 'accepted' },
		]);
		expect(await control.messages()).toHaveLength(1);
	});

	it.each(['drop_after', 'truncate'])(
		"sends an agent's message once after a lost response (%s), with Retry On Fail",
		async (kind) => {
			await control.fault({ endpoint: 'sms.send', kind, times: 5 });
			const [answer] = await engine.callTool(calls.slice(0, 1), { retryOnFail: true, maxTries: 3 });
			expect(answer).toContain('unknown');
			expect(await control.messages()).toHaveLength(1);
		},
	);

	it('gives an agent the reason for a rejected message', async () => {
		const [answer] = await engine.callTool([{ to: 'Kofi', message: 'Hi' }]);
		expect(answer).toContain('To');
	});
});

describe('a request through n8n', () => {
	const read = { resource: 'wallet', operation: 'getBalance' };

	it('reports a message as unknown if the execution is canceled during its request, and sends it once', async () => {
		await using server = await stubServer('hang');
		let cancel = () => {};
		const sandbox = (await engineOn(server.baseUrl)).run({
			parameters: sendTo('+233201234567'),
			onStart: (stop) => (cancel = stop),
		});
		while (server.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
		cancel();
		expect((await sandbox).error?.description).toMatch(MAY_HAVE_BEEN_ACCEPTED);
		expect(server.received).toHaveLength(1);
	});

	it('reports an address without https in plain words', async () => {
		await using server = await stubServer({ status: 200 });
		const engineOnTls = await engineOn(server.baseUrl.replace('http:', 'https:'));
		const result = await engineOnTls.run({ parameters: sendTo('+233201234567') });
		expect(result.error?.message).toContain('https');
	});

	it('waits for a slow response', async () => {
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'delay', milliseconds: 300 });
		expect(json(await engine.run({ parameters: read }))).toEqual([expect.objectContaining({ balance: 40 })]);
	});
});

describe('Message > Get and Wallet > Get Balance', () => {
	it("returns the service's data about a message", async () => {
		const [sent] = json(await engine.run({ parameters: sendTo('+233201234567') }));
		await control.advanceClock(5_000);
		const got = await engine.run({
			parameters: { resource: 'message', operation: 'get', messageId: '={{ $json.message_id }}' },
			items: [{ message_id: sent?.message_id }],
		});
		expect(json(got)).toEqual([
			expect.objectContaining({ message_id: sent?.message_id, status: 'delivered', cost: 0.05 }),
		]);
		expect(json(got)[0]).not.toHaveProperty('outcome');
	});

	it('reports a message ID that the service does not know', async () => {
		const got = await engine.run({ parameters: { resource: 'message', operation: 'get', messageId: 'msg_none' } });
		expect(got.error?.message).toContain('msg_none');
		expect(got.error?.description).toContain('Check the ID');
	});

	it('names the empty Message ID field', async () => {
		const got = await engine.run({
			parameters: { resource: 'message', operation: 'get', messageId: '={{ $json.nothing }}' },
		});
		expect(got.error?.message).toMatch(/^Message ID /);
	});

	it('returns the balance for each item', async () => {
		const got = await engine.run({ parameters: { resource: 'wallet', operation: 'getBalance' }, items: [{}, {}] });
		expect(json(got)).toEqual([0, 1].map(() => expect.objectContaining({ balance: 40, currency: 'GHS' }) as object));
	});

	it('retries reading the balance after a lost connection', async () => {
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'drop_before', times: 2 });
		const got = await engine.run({ parameters: { resource: 'wallet', operation: 'getBalance' } });
		expect(json(got)).toEqual([expect.objectContaining({ balance: 40 })]);
	});
});

describe('the Sender ID list', () => {
	it('lists the approved sender IDs, sorted and searchable', async () => {
		const names = async (filter?: string) =>
			(await engine.search('searchSenderIds', { filter })).results.map(({ value }) => value);
		expect(await names()).toEqual(['AKWAABA', 'KOFISHOP']);
		expect(await names('kofi')).toEqual(['KOFISHOP']);
		expect(await names('nothing')).toEqual([]);
	});

	it("shows the service's own words if it cannot read the sender IDs", async () => {
		const body = { message: 'This key was revoked' };
		await control.fault({ endpoint: 'senderId.list', kind: 'answer', status: 401, body });
		await expect(engine.search('searchSenderIds')).rejects.toThrow(body.message);
	});
});

describe('an API key with white space around it', () => {
	it.each(['X-API-Key', 'Authorization'])(
		'sends with a pasted API key that has white space around it, as %s',
		async (header) => {
			const pasted = await engineOn(sandbox.baseUrl, ' sk_sandbox_demo\n', header);
			const result = await pasted.run({ parameters: sendTo('+233990000010') });
			expect(result.error).toBeUndefined();
			expect(await recipients()).toEqual(['+233990000010']);
		},
	);

	it('passes the credential test with white space around the API key', async () => {
		const credential = { baseUrl: sandbox.baseUrl, apiKey: ' sk_sandbox_demo\n', authHeader: 'X-API-Key' };
		expect(await engine.testCredential('messagingServiceApi', credential)).toMatchObject({ status: 'OK' });
	});
});

describe('a credential that cannot work', () => {
	it.each([
		['a key without sk_', sandboxUrl, 'pk_1', 'API Key'],
		['no key', sandboxUrl, '', 'API Key'],
		['no URL', () => '', 'sk_1', 'Base URL'],
		['plain http to another machine', () => 'http://service.example', 'sk_live_1', 'Base URL'],
	])('stops the node before any request: %s', async (_, baseUrl, apiKey, field) => {
		const result = await (await engineOn(baseUrl(), apiKey)).run({ parameters: sendTo('+233201234567') });
		expect(result.error?.message.startsWith(`${field} `)).toBe(true);
		expect(await control.requests()).toEqual([]);
	});

	it('reports that no server listens, and that nothing was charged', async () => {
		const unreachable = await engineOn(`http://127.0.0.1:${await closedPort()}`);
		const result = await unreachable.run({ parameters: sendTo('+233201234567') });
		expect(`${result.error?.message} ${result.error?.description}`).toContain('ECONNREFUSED');
		expect(result.error?.description).toContain(NOTHING_SENT);
	});
});

describe('the credential test', () => {
	const test = (baseUrl: string, apiKey = 'sk_sandbox_demo', authHeader = 'X-API-Key') =>
		engine.testCredential('messagingServiceApi', { baseUrl, apiKey, authHeader });

	it.each(['X-API-Key', 'Authorization'])('passes with %s, with and without /api/v1/', async (authHeader) => {
		for (const baseUrl of [sandbox.url, `${sandbox.url}/api/v1`, sandbox.baseUrl]) {
			expect(await test(baseUrl, 'sk_sandbox_demo', authHeader)).toMatchObject({ status: 'OK' });
		}
	});

	it.each([
		['a key without sk_', sandboxUrl, 'demo', /^API Key /],
		['an unknown key', sandboxUrl, 'sk_sandbox_other', /API key/],
		['another path', () => `${sandbox.url}/nowhere/`, 'sk_sandbox_demo', /^Base URL responds/],
		['text that is not a URL', () => 'service', 'sk_sandbox_demo', /^Base URL /],
		['plain http to another machine', () => 'http://service.example', 'sk_live_1', /^Base URL .*https:/],
	])('reports a wrong credential: %s', async (_, baseUrl, apiKey, words) => {
		const result = await test(baseUrl(), apiKey);
		expect(result).toEqual({ status: 'Error', message: expect.stringMatching(words) as string });
	});

	it('reports that no server listens', async () => {
		const result = await test(`http://127.0.0.1:${await closedPort()}`);
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('ECONNREFUSED') as string,
		});
	});

	it("passes and says so if the service's JSON has no balance", async () => {
		await using server = await stubServer({ status: 200, body: '{"success": true, "data": {"units": 12}}' });
		expect(await test(server.baseUrl)).toEqual({
			status: 'OK',
			message: expect.stringMatching(/no readable balance/) as string,
		});
	});

	it('fails for a 200 response that says the key is unknown', async () => {
		await using server = await stubServer({ status: 200, body: '{"message": "Invalid API key"}' });
		expect(await test(server.baseUrl)).toEqual({
			status: 'Error',
			message: expect.stringMatching(/^Invalid API key\b/) as string,
		});
	});

	it('fails if another website responds', async () => {
		await using website = await stubServer({
			status: 200,
			headers: { 'Content-Type': 'text/html' },
			body: '<h1>Hi</h1>',
		});
		const result = await test(website.baseUrl);
		expect(result).toMatchObject({
			status: 'Error',
			message: expect.stringMatching(/^Base URL responds/) as string,
		});
	});

	it('does not follow a redirect with the API key', async () => {
		await using elsewhere = await stubServer({ status: 200, body: '{"balance": 1}' });
		await using moved = await stubServer({ status: 301, headers: { Location: elsewhere.baseUrl } });
		expect(await test(moved.baseUrl)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining('redirects') as string,
		});
		expect(elsewhere.received).toEqual([]);
	});
});

function sandboxUrl(): string {
	return sandbox.baseUrl;
}
