import type { INode, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { MAY_HAVE_BEEN_ACCEPTED, NOTHING_SENT } from '../support/promises';
import { sandboxControl } from '../support/sandboxControl';
import { stubServer } from '../support/stubServer';
import {
	startSendAndWaitEngine,
	type SendAndWaitRun,
	type SendAndWaitEngine,
	type SendAndWaitExecution,
} from '../support/n8n/sendAndWaitEngine';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let engine: SendAndWaitEngine;

const engineWith = async (baseUrl: string, apiKey: string) =>
	await startSendAndWaitEngine({ messagingServiceApi: { baseUrl, apiKey, authHeader: 'X-API-Key' } });

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	engine = await engineWith(sandbox.baseUrl, sandbox.apiKey);
});
afterAll(() => sandbox.stop());
beforeEach(() => control.reset());

const question = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'sms',
	operation: 'sendAndWait',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '020 123 4567',
	message: 'Ship order 1042?',
	...more,
});
const ask = async (more: INodeParameters = {}, others: Partial<SendAndWaitRun> = {}) =>
	await engine.ask({ parameters: question(more), ...others });
const json = ({ output }: SendAndWaitExecution) => output.map((item) => item.json);
/** The answer, in the form of n8n's own nodes. */
const responded = (approved: boolean) => ({
	approved,
	approver: expect.any(String) as string,
	respondedAt: expect.any(String) as string,
});
const texts = async () => (await control.messages()).map(({ message }) => message).reverse();
/** The link in the newest message. */
const lastLink = async () => (await texts()).at(-1)?.split('\n').at(-1) ?? '';
const inMinutes = (date: Date | undefined) => Math.round(((date?.getTime() ?? Number.NaN) - Date.now()) / 60_000);

describe('SMS > Send and Wait for Response', () => {
	it('sends the question with a signed link, and waits', async () => {
		const asking = await ask();
		expect(asking.status).toBe('waiting');
		expect(asking.waitTill).toEqual(new Date('3000-01-01T00:00:00.000Z'));
		const [text] = await texts();
		expect(text).toMatch(
			/^Ship order 1042\?\nhttps:\/\/n8n\.example\/webhook-waiting\/ask-\d+\/\S+\?a=0&signature=[0-9a-f]{64}$/,
		);
		expect(json(asking)).toEqual([
			expect.objectContaining({
				outcome: 'accepted',
				message_id: expect.any(String) as string,
				to: '+233201234567',
				message: 'Ship order 1042?',
				segment_count: 1 + Number((text?.length ?? 0) > 160),
			}),
		]);
	});

	it('does not count opening the link as an answer', async () => {
		const asking = await ask();
		for (let visit = 0; visit < 3; visit++) {
			const { page, answer } = await asking.visit(await lastLink());
			expect(answer).toBeUndefined();
			expect(page.status).toBe(200);
			expect(page.html).toContain('KOFISHOP asks:');
			expect(page.html).toContain('Ship order 1042?');
			expect(page.html).toContain('<form method="post">');
		}
	});

	it.each([
		['approve', true, 'Approve'],
		['decline', false, 'Decline'],
	])('continues with the message and the answer when the recipient presses %s', async (response, approved, label) => {
		const asking = await ask();
		const visited = await asking.visit(await lastLink(), { answer: response });
		expect(visited.answer?.status).toBe('success');
		expect(visited.answer?.output).toEqual([
			{
				json: {
					outcome: 'accepted',
					success: true,
					message_id: (await control.messages())[0]?.message_id,
					status: 'submitted',
					cost: expect.any(Number) as number,
					billed_via: 'wallet',
					balance: expect.any(Number) as number,
					to: '+233201234567',
					message: 'Ship order 1042?',
					sender_id: 'KOFISHOP',
					segment_count: expect.any(Number) as number,
					approvers: [expect.objectContaining({ to: '+233201234567', outcome: 'accepted' })],
					reminders: 0,
					timed_out: false,
					data: {
						approved,
						approver: '+233201234567',
						respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
					},
				},
				pairedItem: expect.objectContaining({ item: 0 }) as object,
			},
		]);
		expect(visited.page.html).toContain('your answer was sent');
		expect(visited.page.html).toContain(label);
		expect(await texts()).toHaveLength(1);
	});

	it('shows custom labels, and accepts only approval if there is only one button', async () => {
		const values = { approvalType: 'single', approveLabel: 'Yes, "ship" <it>', disapproveLabel: 'No' };
		const asking = await ask({ approvalOptions: { values } });
		const { page } = await asking.visit(await lastLink());
		expect(page.html).toContain('Yes, &quot;ship&quot; &lt;it&gt;</button>');
		expect(page.html).not.toContain('value="decline"');
		const declined = await asking.visit(await lastLink(), { answer: 'decline' });
		expect(declined.page.status).toBe(422);
		expect(declined.page.html).toContain('Press one of the buttons');
		expect(declined.answer).toBeUndefined();
	});

	it('accepts an answer in free text', async () => {
		const asking = await ask({ responseType: 'freeText' });
		const { page } = await asking.visit(await lastLink());
		expect(page.html).toContain('<textarea');
		const written = ' At 10, “please”\r\n<b>Ama</b> ';
		const { page: thanks, answer } = await asking.visit(await lastLink(), { text: written });
		expect(answer && json(answer)).toEqual([
			expect.objectContaining({
				timed_out: false,
				data: { ...responded(true), approved: undefined, text: written.trim() },
			}),
		]);
		for (const key of ['text', 'responded_at']) expect(answer && json(answer)[0]).not.toHaveProperty(key);
		expect(thanks.html).toContain('&lt;b&gt;Ama&lt;/b&gt;');
		expect(thanks.html).not.toContain('<b>');
	});

	it.each([
		['nothing', '  ', 'Write your answer first.'],
		['too much', 'x'.repeat(4001), 'longer than 4000 characters'],
	])('asks again if the recipient writes %s', async (_, text, words) => {
		const asking = await ask({ responseType: 'freeText' });
		const { page, answer } = await asking.visit(await lastLink(), { text });
		expect(page.status).toBe(422);
		expect(page.html).toContain(words);
		expect(answer).toBeUndefined();
	});

	it('shows the question as sent, escaped, instead of evaluating its expressions again', async () => {
		const message = '=<script>alert(1)</script> {{ $json.order }} at {{ $now.toMillis() }} & "more"';
		const asking = await ask({ message }, { items: [{ order: "1042's" }] });
		const [text = ''] = await texts();
		const sent = text.slice(0, text.lastIndexOf('\n'));
		expect(sent).toContain("1042's");
		const { page } = await asking.visit(await lastLink());
		expect(page.html).not.toContain('<script');
		const shown = sent.replace(/[&<>"']/g, (character) =>
			String({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }[character]),
		);
		expect(page.html).toContain(shown);
	});

	it('does not let the answer page be cached, framed or indexed, and loads no other resource', async () => {
		const { page } = await (await ask()).visit(await lastLink());
		expect(page.headers).toMatchObject({
			'cache-control': 'no-store',
			'referrer-policy': 'no-referrer',
			'x-robots-tag': 'noindex',
			'content-security-policy': expect.stringContaining("default-src 'none'") as string,
		});
		expect(page.html).not.toMatch(/https?:|src=|href=/);
		expect(page.html.length).toBeLessThan(4000);
	});

	it('continues with the message and timed_out after the time limit', async () => {
		const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 30, resumeUnit: 'minutes' } };
		const asking = await ask({ options: { limitWaitTime } });
		expect(inMinutes(asking.waitTill)).toBe(30);
		const { status, output } = await asking.timeUp();
		expect(status).toBe('success');
		expect(output.map((item) => item.json)).toEqual([
			expect.objectContaining({ outcome: 'accepted', message: 'Ship order 1042?', timed_out: true }),
		]);
		expect(output[0]?.json).not.toHaveProperty('data');
	});

	it.each<[string, INodeParameters, number]>([
		['an hour', { limitType: 'afterTimeInterval', resumeAmount: 1, resumeUnit: 'hours' }, 60],
		['two days', { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'days' }, 2880],
		['a given time', { limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $now.plus({ hours: 5 }).toISO() }}' }, 300],
	])('limits the wait for an answer to %s', async (_, values, minutes) => {
		expect(inMinutes((await ask({ options: { limitWaitTime: { values } } })).waitTill)).toBe(minutes);
	});

	it.each<[string, INodeParameters, string]>([
		['a time in the past', { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01T00:00:00Z' }, 'past'],
		['an empty date', { limitType: 'atSpecifiedTime', maxDateAndTime: '' }, 'Limit Wait Time '],
		['zero hours', { limitType: 'afterTimeInterval', resumeAmount: 0, resumeUnit: 'hours' }, 'not a time above zero'],
	])('rejects a wait time of %s before any request', async (_, values, words) => {
		const { error } = await ask({ options: { limitWaitTime: { values } } });
		expect(error?.message).toContain(words);
		expect(await control.requests()).toEqual([]);
	});

	it('rejects the link of one round as an answer to the next', async () => {
		const first = await ask(
			{ message: '=Ship {{ $json.order }}?' },
			{ items: [{ order: 1 }], secondRound: { order: 2 } },
		);
		const firstLink = await lastLink();
		const { answer: second } = await first.visit(firstLink, { answer: 'approve' });
		expect(second?.status).toBe('waiting');
		const secondLink = await lastLink();
		expect(secondLink).not.toBe(firstLink);
		for (const form of [undefined, { answer: 'approve' }]) {
			const late = await second?.visit(firstLink, form);
			expect(late?.page.status).toBe(410);
			expect(late?.page.html).toContain('This question is settled.');
			expect(late?.answer).toBeUndefined();
		}
		expect((await second?.visit(secondLink))?.page.html).toContain('Ship 2?');
		const end = (await second?.visit(secondLink, { answer: 'decline' }))?.answer;
		expect(end?.status).toBe('success');
		expect(end && json(end)).toEqual([expect.objectContaining({ message: 'Ship 2?', data: responded(false) })]);
	});

	it('rejects several items, because n8n waits once per execution', async () => {
		const { error } = await ask({}, { items: [{}, {}, {}] });
		expect(error?.message).toMatch(/\bone item\b.*\b3\b/);
		expect(error?.message).toContain('Loop Over Items');
		expect(await control.requests()).toEqual([]);
	});

	it('counts the link in the length of the message before any request', async () => {
		const link = (await ask(), (await lastLink()).length);
		await control.reset();
		// The next execution has an ID of the same length.
		const room = 1600 - link - 1;
		const { error } = await ask({ message: 'x'.repeat(room + 5) });
		expect(error?.message).toMatch(/^Message .*\b1605\b.*\b1600\b.*\b5\b/);
		expect(await control.requests()).toEqual([]);
		expect((await ask({ message: 'x'.repeat(room) })).status).toBe('waiting');
		expect((await texts())[0]).toHaveLength(1600);
	});

	it.each<[string, INode['onError'], string, object[]]>([
		['an error', 'stopWorkflow', 'The question was not sent, because the execution was canceled', []],
		[
			'a row with the error',
			'continueRegularOutput',
			'The execution was cancelled manually',
			[expect.objectContaining({ outcome: 'not_attempted', error: expect.stringContaining('was canceled') as string })],
		],
	])('ends in %s if the execution is canceled before the question is sent', async (_, onError, message, rows) => {
		await using server = await stubServer({ status: 429, headers: { 'retry-after': '20' } });
		let cancel = () => {};
		const busy = await engineWith(server.baseUrl, 'sk_sandbox_1');
		// No timer fires, so only the cancellation can end the pause.
		fakeTimeouts({ realPerformance: true });
		const timers = jest.spyOn(globalThis, 'setTimeout');
		try {
			const asking = busy.ask({ parameters: question(), settings: { onError }, onStart: (stop) => (cancel = stop) });
			await eventually('the pause', () => timers.mock.calls.some(([, wait]) => wait === 20_000) || undefined);
			cancel();
			const ended = await asking;
			expect([ended.status, ended.error?.message]).toEqual(['canceled', message]);
			expect(json(ended)).toEqual(rows);
			expect(server.received).toHaveLength(1);
		} finally {
			timers.mockRestore();
			jest.useRealTimers();
		}
	});

	it.each<[string, INodeParameters, string]>([
		['an empty question', { message: ' \n' }, 'Message'],
		['a recipient with letters', { to: 'Kofi' }, 'To'],
	])('rejects %s before any request', async (_, more, words) => {
		expect((await ask(more)).error?.message.startsWith(`${words} `)).toBe(true);
		expect(await control.requests()).toEqual([]);
	});

	it.each([
		...['http://localhost:5678', 'http://127.0.0.1:5678', 'http://[::1]:5678', 'http://0.0.0.0:5678'],
		...['http://192.168.1.20:5678', 'http://10.0.0.5:5678', 'http://172.16.0.1', 'http://172.31.255.255'],
		...[
			'http://169.254.10.1',
			'http://100.64.0.1',
			'http://[fc00::1]:5678',
			'http://[fd12:3456::1]',
			'http://[fe80::1]',
		],
		...['http://[::ffff:192.168.1.20]', 'http://n8n:5678', 'http://host.docker.internal:5678', 'https://nas.local'],
		...['https://n8n.corp.internal', 'https://n8n.localhost', 'https://n8n.lan', 'https://n8n.local.'],
	])('rejects a link to %s, which no phone can open, without a charge', async (n8nUrl) => {
		const live = await engineWith(sandbox.baseUrl, 'sk_live_1');
		const { error } = await live.ask({ parameters: question(), n8nUrl });
		expect(error?.message).toContain(new URL(n8nUrl).origin);
		expect(error?.message).toContain('WEBHOOK_URL');
		expect(error?.message).toContain('N8N_HOST');
		expect(error?.description).toContain(NOTHING_SENT);
		expect(await control.requests()).toEqual([]);
		expect((await ask({}, { n8nUrl })).status).toBe('waiting');
	});

	it.each([
		...['https://n8n.example', 'https://203.0.113.7', 'https://172.32.0.1', 'https://100.128.0.1', 'https://11.0.0.1'],
		...['https://[2001:db8::1]', 'https://localhost.example', 'https://10.example', 'https://n8n.internal.example'],
	])('sends a link to %s, which phones can open', async (n8nUrl) => {
		const live = await engineWith(sandbox.baseUrl, 'sk_live_1');
		const { error } = await live.ask({ parameters: question(), n8nUrl });
		// The sandbox does not know the key, but the request shows that the question was sent.
		expect(error?.message).not.toContain('cannot open');
		expect(await control.requests()).toHaveLength(1);
	});

	it('does not wait if the service rejects the question', async () => {
		const sender = { __rl: true, mode: 'name', value: 'PENDINGCO' };
		const stopped = await ask({ senderId: sender });
		expect(stopped.status).toBe('error');
		expect(stopped.error?.message).toContain('PENDINGCO');
		const went = await ask({ senderId: sender }, { settings: { onError: 'continueRegularOutput' } });
		expect(went.status).toBe('success');
		expect(json(went)).toEqual([
			expect.objectContaining({ outcome: 'rejected', error: expect.stringContaining('PENDINGCO') as string }),
		]);
	});

	it('waits at most a day and adds a warning if it is not known whether the question arrived', async () => {
		const asking = await ask({ to: '+233990000007' });
		expect(asking.status).toBe('waiting');
		expect(inMinutes(asking.waitTill)).toBe(24 * 60);
		expect(await texts()).toHaveLength(1);
		const { answer } = await asking.visit(await lastLink(), { answer: 'approve' });
		const warning = expect.stringContaining('It is unknown whether this was sent: ') as string;
		expect(answer && json(answer)).toEqual([
			expect.objectContaining({ outcome: 'unknown', warning, data: responded(true) }),
		]);
		expect(json(await asking.timeUp())).toEqual([expect.objectContaining({ outcome: 'unknown', timed_out: true })]);
	});

	it('keeps a shorter Limit Wait Time if it is not known whether the question arrived', async () => {
		const values = { limitType: 'afterTimeInterval', resumeAmount: 5, resumeUnit: 'minutes' };
		const asking = await ask({ to: '+233990000007', options: { limitWaitTime: { values } } });
		expect(inMinutes(asking.waitTill)).toBe(5);
	});

	it('sends the question once with Retry On Fail, whatever the outcome', async () => {
		const settings = { retryOnFail: true, maxTries: 5 };
		for (const to of ['+233201234567', '+233990000007']) {
			await control.reset();
			expect((await ask({ to }, { settings })).status).toBe('waiting');
			expect(await texts()).toHaveLength(1);
		}
		await control.reset();
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 422, body: { message: 'Not now' } });
		expect((await ask({}, { settings })).status).toBe('waiting');
		expect(await texts()).toHaveLength(1);
	});
});

describe('for an agent that calls tools through the engine', () => {
	const toolCall = { tool: 'Send_SMS', toolParameters: { to: '+233244000777', message: 'Paid & sent', tries: 2 } };

	it("shows the agent's tool call in the human review's default message", async () => {
		const message = '=The agent wants to run this tool: {{ $tool.name }}\n\nInput:\n{{ $tool.parameters }}';
		const asking = await ask({ message }, { as: 'review', items: [toolCall] });
		expect(json(asking)).toEqual([
			expect.objectContaining({
				message:
					'The agent wants to run this tool: Send_SMS\n\nInput:\nto: +233244000777\nmessage: Paid & sent\ntries: 2',
			}),
		]);
		const { page, answer } = await asking.visit(await lastLink(), { answer: 'approve' });
		expect(page.html).toContain('message: Paid &amp; sent');
		// n8n reads the decision from `data`.
		expect(answer && json(answer)).toEqual([expect.objectContaining({ data: responded(true) })]);
	});

	const send: INodeParameters = { ...question(), operation: 'send', message: 'Hi' };

	it('sends the same message once, however often an agent calls', async () => {
		const { output } = await engine.ask({ parameters: send, as: 'tool', secondRound: {} });
		expect(output[0]?.json).toMatchObject({ outcome: 'skipped', reason: 'already_sent' });
		expect(await texts()).toHaveLength(1);
	});

	it('sends a bulk message once to each recipient, however an agent orders and combines them', async () => {
		const [one, two, three] = ['+233201234561', '+233201234562', '+233201234563'];
		const { output } = await engine.ask({
			parameters: { ...send, operation: 'sendBulk', to: '={{ $json.to }}' },
			as: 'tool',
			items: [{ to: [one, two] }],
			secondRound: { to: [two, one, three] },
		});
		expect(output.map(({ json }) => json)).toMatchObject([
			{ to: two, outcome: 'skipped', reason: 'already_sent' },
			{ to: one, outcome: 'skipped', reason: 'already_sent' },
			{ to: three, outcome: 'accepted' },
		]);
		expect((await control.messages()).map(({ to }) => to).sort()).toEqual([one, two, three]);
	});

	it('sends a rejected bulk message again when an agent repeats the call', async () => {
		await control.fault({ endpoint: 'sms.sendBulk', kind: 'answer', status: 422, times: 1, body: { message: 'No' } });
		const to = ['+233201234561'];
		const { output } = await engine.ask({
			parameters: { ...send, operation: 'sendBulk', to: '={{ $json.to }}' },
			as: 'tool',
			items: [{ to }],
			secondRound: { to },
		});
		expect(output.map(({ json }) => json)).toMatchObject([{ outcome: 'accepted' }]);
	});

	it.each([{}, { retryOnFail: true, maxTries: 3 }])(
		'reports an unknown outcome to the agent and does not send again (%j)',
		async (settings) => {
			const parameters = { ...send, to: '+233990000007' };
			const { status, output } = await engine.ask({ parameters, as: 'tool', secondRound: {}, settings });
			expect(status).toBe('success');
			expect(output[0]?.json).toMatchObject({
				outcome: 'unknown',
				details: { description: expect.stringMatching(MAY_HAVE_BEEN_ACCEPTED) as string },
			});
			expect(await texts()).toHaveLength(1);
		},
	);

	it("rejects Send and Wait as an agent's tool, and names the Human Review version", async () => {
		const asking = await ask({}, { as: 'tool' });
		expect(asking.status).toBe('success');
		expect(json(asking)).toEqual([
			expect.objectContaining({
				outcome: 'rejected',
				error: expect.stringContaining('Human Review version') as string,
			}),
		]);
		expect(await control.requests()).toEqual([]);
	});
});
