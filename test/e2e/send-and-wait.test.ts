import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openProfile, startBrowser, takePicture } from './browser';
import { endAllDemos, readMemory, startDemo } from './demo';
import { eventually } from './eventually';
import { openN8nApi, type N8nApi } from './n8nApi';
import { openSandboxView, type SandboxView } from './sandboxView';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';

const state = join(__dirname, '..', '..', '.local', 'e2e', 'waiting');
const ours = 'n8n-nodes-messaging-service.messagingService';

/** One run of a node. */
interface NodeRun {
	readonly data?: { readonly main?: ReadonlyArray<ReadonlyArray<{ readonly json: Record<string, unknown> }>> };
	readonly error?: { readonly message: string };
}
interface Execution {
	readonly id: string;
	readonly status: string;
	readonly data: { readonly resultData: { readonly runData: Record<string, readonly NodeRun[]> } };
}
interface Node {
	readonly name: string;
	readonly type: string;
	readonly parameters: object;
	readonly typeVersion?: number;
	readonly credentials?: object;
}

let browser: Browser;
let n8nUrl: string;
let n8n: N8nApi;
let sandbox: SandboxView;
let model: ScriptedModel;
let credentials: object;

const modelArguments = {
	toolParameters: { to: '+233244000777', message: 'Your refund is on its way.' },
	hitlParameters: {},
};

beforeAll(async () => {
	rmSync(state, { recursive: true, force: true });
	browser = await startBrowser();
	model = await startScriptedModel(modelArguments);
	const demo = startDemo(['--state', state, '--port', '4720', '--sandbox-port', '4740']);
	const ready = await demo.ready();
	const memory = readMemory(state);
	n8nUrl = ready.n8nUrl;
	n8n = openN8nApi(n8nUrl, memory.apiKey);
	sandbox = openSandboxView(ready.sandboxUrl);
	credentials = { messagingServiceApi: { id: memory.credentials.messagingServiceApi?.id, name: 'Sandbox' } };
});

afterAll(async () => {
	await endAllDemos();
	await browser.close();
	await model.stop();
});

const question = (more: object = {}) => ({
	resource: 'sms',
	operation: 'sendAndWait',
	senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
	to: '020 123 4567',
	message: 'Order 1042 for GHS 300: shall we ship it?',
	...more,
});

/** Nodes one after the other, behind a webhook. */
async function workflowOf(nodes: readonly Node[], connections?: object) {
	const path = randomUUID();
	const webhook: Node = {
		name: 'Start',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: { path, httpMethod: 'POST', responseMode: 'onReceived' },
	};
	const all = [webhook, ...nodes];
	const chain = all.slice(0, -1).map(({ name }, index): [string, object] => {
		return [name, { main: [[{ node: all[index + 1]?.name, type: 'main', index: 0 }]] }];
	});
	const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
		name: nodes.map(({ name }) => name).join(', '),
		settings: { executionOrder: 'v1' },
		connections: connections ?? Object.fromEntries(chain),
		nodes: all.map((node, index) => ({
			typeVersion: 1,
			...(node.type.startsWith(ours) && { credentials }),
			...node,
			id: randomUUID(),
			webhookId: randomUUID(),
			position: [index * 200, 0],
		})),
	});
	await n8n.call('POST', `/workflows/${id}/activate`);
	const newest = async () => {
		const found = await n8n.call<{ data: Execution[] }>('GET', `/executions?workflowId=${id}&includeData=true`);
		return found.data[0];
	};
	return {
		start: async () =>
			await eventually('the webhook', async () =>
				(await fetch(`${n8nUrl}/webhook/${path}`, { method: 'POST' })).ok ? true : undefined,
			),
		/** Waits until the newest execution has this status. */
		newest: async (status: string, withinMs?: number) =>
			await eventually(
				`an execution that is ${status}`,
				async () => {
					const execution = await newest();
					if (execution?.status === 'error' && status !== 'error')
						throw new Error(JSON.stringify(execution.data.resultData));
					return execution?.status === status ? execution : undefined;
				},
				withinMs,
			),
	};
}

const rowsOf = ({ data }: Execution, node: string) =>
	data.resultData.runData[node]?.at(-1)?.data?.main?.[0]?.map(({ json }) => json) ?? [];
const after: Node = { name: 'After', type: 'n8n-nodes-base.noOp', parameters: {} };
const linkIn = (text: string) => text.split('\n').at(-1) ?? '';

/** Starts a workflow that asks, and gives the link in the text that arrives. */
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

const answer = async (link: string, form: Record<string, string>) =>
	await fetch(link, { method: 'POST', body: new URLSearchParams(form) });

describe('Send and Wait for Response in a real n8n', () => {
	test('texts a link that answers nothing by itself, and goes on once a button is pressed', async () => {
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
				approved: true,
				responded_at: expect.any(String) as string,
			}),
		]);

		await page.goto(link);
		expect(await page.locator('body').innerText()).toMatch(/no action required/i);
		const second = await answer(link, { answer: 'decline' });
		expect(await second.text()).toMatch(/no action required/i);
		expect(rowsOf(await newest('success'), 'After')).toEqual(rows);
		await context.close();
	});

	test('takes no link whose address was changed', async () => {
		const { newest, link } = await ask();
		const last = link.at(-1) === '0' ? '1' : '0';
		for (const forged of [
			link.slice(0, -1) + last,
			link.replace('run=0', 'run=1'),
			link.replace(/&signature=.*/, ''),
		]) {
			expect(forged).not.toBe(link);
			expect((await fetch(forged)).status).toBe(401);
			expect((await answer(forged, { answer: 'approve' })).status).toBe(401);
		}
		await newest('waiting');
		expect((await answer(link, { answer: 'decline' })).status).toBe(200);
		expect(rowsOf(await newest('success'), 'After')).toEqual([expect.objectContaining({ approved: false })]);
	});

	test('takes one of two answers that are given at once', async () => {
		const { newest, link } = await ask();
		const answers = await Promise.all([
			answer(link, { answer: 'approve' }),
			answer(link, { answer: 'decline' }),
			answer(link, { answer: 'approve' }),
		]);
		const bodies = await Promise.all(answers.map(async (given) => await given.text()));
		const thanked = bodies.map((body) => body.includes('your answer was sent'));
		expect(thanked.filter(Boolean)).toHaveLength(1);
		const execution = await newest('success');
		expect(execution.data.resultData.runData.After).toHaveLength(1);
		expect(rowsOf(execution, 'After')).toEqual([expect.objectContaining({ approved: thanked[1] !== true })]);
	});

	test('takes an answer in free text', async () => {
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
		expect(String(row?.text).replaceAll('\r\n', '\n')).toBe('Tomorrow,\n“after ten” <please> & thanks');
	});
});

describe('a tool of an agent', () => {
	async function agent() {
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
				parameters: { promptType: 'define', text: 'Tell the customer', options: { enableStreaming: false } },
			},
			{
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.3,
				parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, responsesApiEnabled: false, options: {} },
				credentials: { openAiApi: { id: created.id, name: 'Scripted model' } },
			},
			{
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
		return await workflowOf(nodes, {
			Start: to('Agent', 'main'),
			Model: to('Agent', 'ai_languageModel'),
			'Send SMS': to('Review', 'ai_tool'),
			Review: to('Agent', 'ai_tool'),
		});
	}

	test.each([
		['sends only once somebody has approved it', 'approve', 1],
		['sends nothing once somebody has declined it', 'decline', 0],
	])('%s', async (_, given, count) => {
		const { start, newest } = await agent();
		const toCustomer = async () => (await sandbox.messages()).filter(({ to }) => to === '+233244000777');
		const before = (await toCustomer()).length;
		await start();
		await newest('waiting');
		const [review] = await sandbox.messages();
		expect(review?.message).toContain(
			'Send_SMS\n\nInput:\nto: +233244000777\nmessage: Your refund is on its way.\nhttp',
		);
		expect(await toCustomer()).toHaveLength(before);
		expect((await answer(linkIn(review?.message ?? ''), { answer: given })).status).toBe(200);
		const [row] = rowsOf(await newest('success'), 'Agent');
		expect(await toCustomer()).toHaveLength(before + count);
		expect(String(row?.output)).toContain(given === 'approve' ? 'message_id' : 'rejected');
	});
});
