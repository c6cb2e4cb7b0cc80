import type { Browser } from 'playwright-core';
import { operations as table } from '../../nodes/MessagingService/operations';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { openProfile, startBrowser, takePicture } from '../support/e2e/browser';
import type { N8nApi } from '../support/e2e/n8nApi';
import { openSandboxView, type SandboxView } from '../support/e2e/sandboxView';
import { startScriptedModel, type ScriptedModel } from '../support/e2e/scriptedModel';
import { openSharedN8n, type SharedN8n } from '../support/e2e/sharedN8n';
import { operationCases } from '../support/operationCases';
import { createWebhookWorkflow, rowsOf, type Node } from '../support/e2e/webhookWorkflow';
import { eventually } from '../support/eventually';
import { sandboxControl } from '../support/sandboxControl';

const ours = 'n8n-nodes-messaging-service.messagingService';

let browser: Browser;
let server: SharedN8n;
let n8n: N8nApi;
let service: Sandbox;
let sandbox: SandboxView;
let model: ScriptedModel;
let credentials: object;

const customer = '+233244000777';
/** A number that only the workflow with a reminder uses. */
const reminded = '+233244000888';

/** The data that n8n's own send-and-wait nodes return for a response. */
const responded = (approved: boolean, approver = '+233201234567') => ({
	approved,
	approver,
	respondedAt: expect.any(String) as string,
});

beforeAll(async () => {
	browser = await startBrowser();
	model = await startScriptedModel('Your refund is on its way.');
	service = await startSandbox({ clock: 'running' });
	sandbox = openSandboxView(service.url);
	// The list of contacts then has only the one that a test creates.
	await sandboxControl(service).removeContacts();
	server = await openSharedN8n();
	({ n8n } = server);
	const type = 'messagingServiceApi';
	const { baseUrl, apiKey } = service;
	const data = { baseUrl, apiKey };
	const { id } = await n8n.call<{ id: string }>('POST', '/credentials', { name: 'Sandbox', type, data });
	credentials = { [type]: { id, name: 'Sandbox' } };
});

afterAll(async () => {
	await browser.close();
	await model.stop();
	await service.stop();
	// Nothing in n8n asked for another host.
	expect(await server.close()).toEqual([]);
});

const question = (more: object = {}) => ({
	resource: 'sms',
	operation: 'sendAndWait',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '020 123 4567',
	message: 'Order 1042 for GHS 300: shall we ship it?',
	...more,
});

const workflowOf = async (nodes: readonly Node[], connections?: object) =>
	await createWebhookWorkflow(
		n8n,
		server.url,
		nodes.map((node) => (node.type.startsWith(ours) ? { credentials, ...node } : node)),
		connections && { connections },
	);
const after: Node = { name: 'After', type: 'n8n-nodes-base.noOp', parameters: {} };
/** A workflow that asks: `After` follows a response, `Late` follows when the time is up, and `Back` leads a reminder back. */
const askingWorkflow = async (parameters: object) => {
	const named = (name: string): Node => ({ ...after, name });
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	return await workflowOf(
		[{ name: 'Ask', type: ours, parameters: question(parameters) }, after, named('Late'), named('Back')],
		{
			Start: { main: [to('Ask')] },
			Ask: { main: [to('After'), to('Late'), to('Back')] },
			Back: { main: [to('Ask')] },
		},
	);
};
const linkIn = (text: string) => text.split('\n').at(-1) ?? '';

/** Starts a workflow that asks, and returns the link in its message. */
async function ask(parameters: object = {}) {
	const workflow = await workflowOf([{ name: 'Ask', type: ours, parameters: question(parameters) }, after]);
	const before = (await sandbox.messages()).length;
	await workflow.start();
	await workflow.newest('waiting');
	const messages = await sandbox.messages();
	expect(messages).toHaveLength(before + 1);
	const text = messages[0]?.message ?? '';
	return { ...workflow, text, link: linkIn(text) };
}

const response = async (link: string, form: Record<string, string>) =>
	await fetch(link, { method: 'POST', body: new URLSearchParams(form) });

describe('Send and Wait for Response in a real n8n', () => {
	test('sends a link that no preview can answer, and continues when a button is pressed', async () => {
		const { newest, text, link } = await ask();
		expect(text).toMatch(/^Order 1042 for GHS 300: shall we ship it\?\nhttp:\/\/127\.0\.0\.1:\d+\/webhook-waiting\//);
		for (const agent of ['WhatsApp/2.23.20.0', 'facebookexternalhit/1.1', '']) {
			const seen = await fetch(link, { headers: { 'user-agent': agent } });
			expect(seen.status).toBe(200);
			expect(seen.headers.get('content-type')).toContain('text/html');
			expect(seen.headers.get('cache-control')).toBe('no-store');
			expect(await seen.text()).toContain('KOFISHOP asks:');
		}
		await fetch(link, { method: 'HEAD' });
		await newest('waiting');

		const { context, strays } = await openProfile(browser);
		const page = await context.newPage();
		await page.setViewportSize({ width: 360, height: 640 });
		await page.goto(link);
		expect(await page.locator('.message').textContent()).toBe('Order 1042 for GHS 300: shall we ship it?');
		await takePicture(page, 'answer-page');
		await page.emulateMedia({ colorScheme: 'dark' });
		await takePicture(page, 'answer-page-dark');
		await page.getByRole('button', { name: 'Approve' }).click();
		await page.getByText('Thank you, your answer was sent.').waitFor();
		await takePicture(page, 'answer-page-after');
		expect(strays).toEqual([]);

		const rows = rowsOf(await newest('success'), 'After');
		expect(rows).toEqual([
			expect.objectContaining({
				outcome: 'accepted',
				message_id: expect.any(String) as string,
				to: '+233201234567',
				timed_out: false,
				data: responded(true),
			}),
		]);

		await page.goto(link);
		expect(await page.locator('body').innerText()).toMatch(/no action required/i);
		const second = await response(link, { answer: 'decline' });
		expect(await second.text()).toMatch(/no action required/i);
		expect(rowsOf(await newest('success'), 'After')).toEqual(rows);
		await context.close();
	});

	test('rejects a response link that was changed', async () => {
		const { newest, link } = await ask();
		const last = link.at(-1) === '0' ? '1' : '0';
		for (const forged of [link.slice(0, -1) + last, link.replace('a=0', 'a=0.1'), link.replace(/&signature=.*/, '')]) {
			expect(forged).not.toBe(link);
			expect((await fetch(forged)).status).toBe(401);
			expect((await response(forged, { answer: 'approve' })).status).toBe(401);
		}
		await newest('waiting');
		expect((await response(link, { answer: 'decline' })).status).toBe(200);
		expect(rowsOf(await newest('success'), 'After')).toEqual([expect.objectContaining({ data: responded(false) })]);
	});

	test('accepts one of several simultaneous responses', async () => {
		const { newest, link } = await ask();
		const responses = await Promise.all([
			response(link, { answer: 'approve' }),
			response(link, { answer: 'decline' }),
			response(link, { answer: 'approve' }),
		]);
		const bodies = await Promise.all(responses.map(async (given) => await given.text()));
		const thanked = bodies.map((body) => body.includes('your answer was sent'));
		expect(thanked.filter(Boolean)).toHaveLength(1);
		const execution = await newest('success');
		expect(execution.data.resultData.runData.After).toHaveLength(1);
		expect(rowsOf(execution, 'After')).toEqual([expect.objectContaining({ data: responded(thanked[1] !== true) })]);
	});

	test('accepts a free-text response', async () => {
		const { newest, link } = await ask({ responseType: 'freeText', message: 'When may we deliver?' });
		const { context } = await openProfile(browser);
		const page = await context.newPage();
		await page.setViewportSize({ width: 360, height: 640 });
		await page.goto(link);
		await takePicture(page, 'answer-page-text');
		await page.getByLabel('Your answer').fill('Tomorrow,\n“after ten” <please> & thanks');
		await page.getByRole('button', { name: 'Send' }).click();
		await page.getByText('Thank you, your answer was sent.').waitFor();
		expect(await page.locator('.message').last().textContent()).toContain('“after ten” <please> & thanks');
		await context.close();
		const [row] = rowsOf(await newest('success'), 'After');
		const { text } = Object(row?.data) as { text?: unknown };
		expect(String(text).replaceAll('\r\n', '\n')).toBe('Tomorrow,\n“after ten” <please> & thanks');
	});
});

describe('Send and Wait with several approvers in a real n8n', () => {
	const AMA = '+233201234561';
	const KOFI = '+233201234562';
	const EFUA = '+233201234563';
	/** The link in the newest message to a number. */
	const linkTo = async (number: string) =>
		linkIn((await sandbox.messages()).find(({ to }) => to === number)?.message ?? '');

	test('accepts the first response, and shows the others that nothing is left to do', async () => {
		const asking = await askingWorkflow({ to: `${AMA}, ${KOFI}` });
		await asking.start();
		await asking.newest('waiting');
		const [ofAma, ofKofi] = [await linkTo(AMA), await linkTo(KOFI)];
		expect((await fetch(ofAma.replace('a=0', 'a=0.1'))).status).toBe(401);
		expect((await fetch(ofKofi.replace('a=0.1', 'a=0'))).status).toBe(401);
		const { context } = await openProfile(browser);
		const page = await context.newPage();
		await page.setViewportSize({ width: 360, height: 640 });
		await page.goto(ofAma);
		await takePicture(page, 'answer-page-approvers');
		expect((await response(ofKofi, { answer: 'approve' })).status).toBe(200);
		const rows = rowsOf(await asking.newest('success'), 'After');
		expect(rows).toEqual([
			expect.objectContaining({
				outcome: 'accepted',
				data: responded(true, KOFI),
				approvers: [
					expect.objectContaining({ to: AMA, outcome: 'accepted' }),
					expect.objectContaining({ to: KOFI, outcome: 'accepted' }),
				],
			}),
		]);
		// The page was open before the response.
		await page.getByRole('button', { name: 'Decline' }).click();
		expect(await page.locator('body').innerText()).toMatch(/no action required/i);
		expect(rowsOf(await asking.newest('success'), 'After')).toEqual(rows);
		await context.close();
	});

	test('shows who answered an earlier question while the node waits for the next one', async () => {
		const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
		const asking = await workflowOf(
			[{ name: 'Ask', type: ours, parameters: question({ to: `${AMA}, ${KOFI}` }) }, after],
			{ Start: to('Ask'), Ask: to('After'), After: to('Ask') },
		);
		await asking.start();
		await asking.newest('waiting');
		const [ofAma, ofKofi] = [await linkTo(AMA), await linkTo(KOFI)];
		expect((await response(ofKofi, { answer: 'approve' })).status).toBe(200);
		const second = await eventually('the second question', async () => {
			const link = await linkTo(AMA);
			return link !== ofAma && (await fetch(link)).ok ? link : undefined;
		});
		expect(second).not.toBe(ofAma);
		const { context } = await openProfile(browser);
		const page = await context.newPage();
		await page.setViewportSize({ width: 360, height: 640 });
		await page.goto(ofAma);
		await takePicture(page, 'answer-page-settled');
		expect(await page.locator('body').innerText()).toMatch(/Another person answered it on \d+ \w+ \d{4} at \d\d:\d\d/);
		await page.goto(ofKofi);
		expect(await page.locator('body').innerText()).toContain('You answered it on');
		await context.close();
	});

	test.each<[string, Omit<Node, 'name'>]>([
		['a question of another node', { type: ours, parameters: question({ to: EFUA }) }],
		['a Wait node', { type: 'n8n-nodes-base.wait', typeVersion: 1.1, parameters: { resume: 'webhook' } }],
	])('a late response of an approver does not end the wait for %s', async (_, next) => {
		const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
		const asking = await workflowOf(
			[{ name: 'Ask', type: ours, parameters: question({ to: `${AMA}, ${KOFI}` }) }, { name: 'Next', ...next }, after],
			{ Start: to('Ask'), Ask: to('Next'), Next: to('After') },
		);
		await asking.start();
		await asking.newest('waiting');
		const [ofAma, ofKofi] = [await linkTo(AMA), await linkTo(KOFI)];
		expect((await response(ofKofi, { answer: 'approve' })).status).toBe(200);
		const waitsAtNext = async () => {
			const { resultData } = (await asking.newest('waiting')).data;
			return resultData.runData.Next?.length === 1 && resultData.runData.After === undefined ? true : undefined;
		};
		await eventually('the wait at the next node', waitsAtNext);
		const pages = [
			await fetch(ofAma),
			await response(ofAma, { answer: 'decline' }),
			await response(ofKofi, { answer: 'decline' }),
		];
		for (const page of pages) {
			const text = await page.text();
			expect([page.status, text]).toEqual([expect.any(Number), expect.not.stringContaining('Approve')]);
		}
		expect(await waitsAtNext()).toBe(true);
		if (next.type !== ours) return;
		expect((await response(await linkTo(EFUA), { answer: 'approve' })).status).toBe(200);
		expect(rowsOf(await asking.newest('success'), 'After')).toMatchObject([{ data: responded(true, EFUA) }]);
	});

	test('reminds the approvers with the same link while there is no response', async () => {
		const reminder = { values: { remindAfter: 0.02, unit: 'minutes', maxReminders: 1, intro: 'Reminder:' } };
		const reminding = await askingWorkflow({ to: `${reminded}, ${customer}`, options: { reminder } });
		await reminding.start();
		const toReminded = async () => (await sandbox.messages()).filter(({ to }) => to === reminded).reverse();
		await eventually('the reminder, and the wait after it', async () => {
			const { runData } = (await reminding.newest('waiting')).data.resultData;
			return (await toReminded()).length === 2 && runData.Ask?.length === 2 ? true : undefined;
		});
		const [first, second] = await toReminded();
		expect(second?.message).toBe(`Reminder: ${first?.message}`);
		expect((await response(linkIn(first?.message ?? ''), { answer: 'approve' })).status).toBe(200);
		expect(rowsOf(await reminding.newest('success'), 'After')).toEqual([
			expect.objectContaining({ reminders: 1, timed_out: false, data: responded(true, reminded) }),
		]);
	});
});

describe('the tool of an AI agent', () => {
	async function agent(recipient: string, reviewed: boolean, settings: object = {}) {
		const created = await n8n.call<{ id: string }>('POST', '/credentials', {
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url, header: false },
		});
		const nodes: Node[] = [
			{
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: 3,
				parameters: { promptType: 'define', text: `Tell ${recipient}`, options: { enableStreaming: false } },
			},
			{
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.3,
				parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, responsesApiEnabled: false, options: {} },
				credentials: { openAiApi: { id: created.id, name: 'Scripted model' } },
			},
			{
				...settings,
				name: 'Send SMS',
				type: `${ours}Tool`,
				parameters: {
					resource: 'sms',
					operation: 'send',
					senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
					to: "={{ $fromAI('to', '', 'string') }}",
					message: "={{ $fromAI('message', '', 'string') }}",
				},
			},
			{
				name: 'Review',
				type: `${ours}HitlTool`,
				parameters: {
					resource: 'sms',
					operation: 'sendAndWait',
					responseType: 'approval',
					senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
					to: '+233201234567',
				},
			},
		];
		const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
		return await workflowOf(reviewed ? nodes : nodes.slice(0, -1), {
			Start: to('Agent', 'main'),
			Model: to('Agent', 'ai_languageModel'),
			'Send SMS': to(reviewed ? 'Review' : 'Agent', 'ai_tool'),
			...(reviewed && { Review: to('Agent', 'ai_tool') }),
		});
	}

	test.each([
		['sends the agent’s message after a person approves it', 'approve', 1],
		['does not send the agent’s message if a person declines it', 'decline', 0],
	])('%s', async (_, given, count) => {
		const { start, newest } = await agent(customer, true);
		const toCustomer = async () => (await sandbox.messages()).filter(({ to }) => to === customer);
		const before = (await toCustomer()).length;
		await start();
		await newest('waiting');
		const [review] = await sandbox.messages();
		expect(review?.message).toContain(
			'Send_SMS\n\nInput:\nto: +233244000777\nmessage: Your refund is on its way.\nhttp',
		);
		expect(await toCustomer()).toHaveLength(before);
		expect((await response(linkIn(review?.message ?? ''), { answer: given })).status).toBe(200);
		const [row] = rowsOf(await newest('success'), 'Agent');
		expect(await toCustomer()).toHaveLength(before + count);
		expect(String(row?.output)).toContain(given === 'approve' ? 'message_id' : 'rejected');
	});

	test.each([
		['with an unknown outcome', '+233990000007', 1, 'It may have been accepted and charged'],
		['to an invalid number', '+233', 0, 'To '],
	])(
		'reports a message %s to the agent, and never sends it twice, for the agent or for Retry On Fail',
		async (_, to, count, words) => {
			const { start, newest } = await agent(to, false, { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 });
			const toThem = async () => (await sandbox.messages()).filter((message) => message.to === to);
			const before = (await toThem()).length;
			await start();
			const [row] = rowsOf(await newest('success'), 'Agent');
			expect(String(row?.output)).toContain(words);
			expect(await toThem()).toHaveLength(before + count);
		},
	);
});

describe('every operation in a real n8n', () => {
	// The others need the output of one of the first.
	const first = Object.entries(operationCases).filter(([, { inWorkflow }]) => inWorkflow === undefined);
	const others = Object.entries(operationCases).filter(([, { inWorkflow }]) => inWorkflow !== undefined);
	const ran = [...first, ...others].flatMap(([id, { parameters, inWorkflow, row }]) =>
		row ? [{ id, parameters: { ...parameters, ...inWorkflow }, row }] : [],
	);

	test('covers every operation of the node', () => {
		const all = Object.entries<object>(table).flatMap(([resource, named]) =>
			Object.keys(named).map((operation) => `${resource}.${operation}`),
		);
		expect([...ran.map(({ id }) => id), 'sms.sendAndWait'].sort()).toEqual(all.sort());
	});

	test('runs every operation in one workflow', async () => {
		const workflow = await workflowOf(
			ran.map(({ id, parameters }) => {
				const [resource, operation] = id.split('.');
				return { name: id, type: ours, executeOnce: true, parameters: { resource, operation, ...parameters } };
			}),
		);
		await workflow.start();
		const execution = await workflow.newest('success');
		for (const { id, row } of ran) {
			expect([id, rowsOf(execution, id)[0]]).toEqual([id, expect.objectContaining(row)]);
		}
	});
});

describe('Send and Wait when its time is up', () => {
	test('continues on No Response after the time limit, with the fields of the message', async () => {
		const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
		const limited = await askingWorkflow({ options: { limitWaitTime: { values } } });
		await limited.start();
		const ended = await limited.newest('success');
		expect(ended.data.resultData.runData).not.toHaveProperty('After');
		const rows = rowsOf(ended, 'Late');
		expect(rows).toEqual([expect.objectContaining({ outcome: 'accepted', to: '+233201234567', timed_out: true })]);
		expect(rows[0]).not.toHaveProperty('data');
	});
});
