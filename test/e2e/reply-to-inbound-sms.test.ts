import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod/v4';
import { animationFile, keepAnimation, readAnimation } from '../support/e2e/animation';
import { openProfile, startBrowser, takePicture, takesPictures } from '../support/e2e/browser';
import {
	type Demo,
	endAllDemos,
	membersOf,
	readGroups,
	readDemoMemory,
	type Ready,
	startDemo,
} from '../support/e2e/demo';
import { eventually } from '../support/eventually';
import { recordHours } from '../support/e2e/hoursPicture';
import { openN8nApi, type N8nApi, testCredential } from '../support/e2e/n8nApi';
import { openRelayView } from '../support/e2e/relayView';
import { openSandboxView, type SandboxView } from '../support/e2e/sandboxView';

const state = join(__dirname, '..', '..', '.local', 'e2e', 'state');
const costOfOne = 0.05;
const otherPorts = ['--port', '4620', '--sandbox-port', '4640', '--relay-port', '4650'];
const otherPerson = '+233244000111';
// Equal messages from one number within a minute are deduplicated, so each test has its own numbers.
const stopper = '+233244000222';
const stopperOnPhone = '+233244000555';
const thirdPerson = '+233244000666';
const byWhatsapp = '+233244000777';
const pictured = '+233209876543';

/** Variables that would break n8n if it inherited them. */
const misleading = {
	N8N_PORT: '1',
	N8N_USER_FOLDER: '/nonexistent',
	DB_TYPE: 'postgresdb',
	EXECUTIONS_MODE: 'queue',
	WEBHOOK_URL: 'https://n8n.example/',
	HTTP_PROXY: 'http://127.0.0.1:9',
};

let browser: Browser;
let page: Page;
let busy: Server;
let demo: Demo;
let ready: Ready;
let n8n: N8nApi;
let sandbox: SandboxView;
let workflowId: string;

async function open(started: Demo): Promise<void> {
	demo = started;
	ready = await started.ready();
	const memory = readDemoMemory(state);
	workflowId = memory.workflowId;
	n8n = openN8nApi(ready.n8nUrl, memory.apiKey);
	sandbox = openSandboxView(ready.sandboxUrl);
}

/** The relay's URL for inbound SMS. */
function inboundUrl(): string {
	return `${ready.relayUrl}/in/${readDemoMemory(state).relay.ingestSecret}/sms`;
}

/** The URL of the workflow's trigger. A trigger with a secret in its URL needs it at the end. */
async function webhookUrl(id: string): Promise<string> {
	const { nodes } = await n8n.workflow(id);
	const trigger = nodes.find(({ type }) => type.endsWith('.messagingServiceTrigger'));
	if (!trigger?.webhookId) throw new Error('The workflow has no trigger');
	return `${ready.n8nUrl}/webhook/${trigger.webhookId}/${id}/${trigger.id}`;
}

async function post(url: string, fields: Record<string, string>): Promise<{ status: number; body: string }> {
	const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) });
	return { status: response.status, body: await response.text() };
}

async function isReachable(url: string): Promise<boolean> {
	return await fetch(url).then(
		() => true,
		() => false,
	);
}

async function typeOnPhone(text: string): Promise<void> {
	await page.fill('#text', text);
	await page.click('#send');
	await page.locator('.bubble.sent', { hasText: text }).last().waitFor();
}

beforeAll(async () => {
	rmSync(state, { recursive: true, force: true });
	browser = await startBrowser();
	busy = createServer();
	await once(busy.listen(0, '127.0.0.1'), 'listening');
});

afterAll(async () => {
	await endAllDemos();
	await browser.close();
	busy.close();
});

describe('the first npm start', () => {
	test('starts beside a port in use, names it, and ignores misleading environment variables', async () => {
		const address = busy.address();
		if (address === null || typeof address === 'string') throw new Error('No port');
		await open(startDemo(['--state', state, '--port', String(address.port), '--sandbox-port', '4610'], misleading));

		expect(demo.output()).toContain(`Port ${address.port} is in use: n8n uses ${new URL(ready.n8nUrl).port}.`);
		expect(new URL(ready.n8nUrl).port).not.toBe(String(address.port));
		expect(demo.output()).toMatch(/^\[1\/\d+\] /m);
		// Node warns in stderr, for example about a leak.
		expect(demo.output()).not.toContain('Warning');
		expect((await n8n.workflow(workflowId)).name).toBe('Reply to inbound SMS');
	});

	test('keeps the URLs of the trigger and the relay out of its output and logs', async () => {
		const [, webhookId = ''] = /\/webhook\/([\da-f-]{36})\//.exec(await webhookUrl(workflowId)) ?? [];
		expect(webhookId).not.toBe('');
		const logs = ['sandbox.log', 'relay.log'].map((name) => readFileSync(join(state, name), 'utf8'));
		const lines = [demo.output(), ...logs].join('\n');
		expect(lines).not.toContain(webhookId);
		expect(lines).not.toContain(readDemoMemory(state).relay.ingestSecret);
	});

	test('replies to HOURS from the phone page once, for the price of one message', async () => {
		const before = await sandbox.balance();
		const { context, strays } = await openProfile(browser);
		page = await context.newPage();
		await page.goto(ready.phone);
		await typeOnPhone('HOURS');

		await page.locator('.bubble.received', { hasText: '8 am to 6 pm' }).waitFor();
		await page.locator('.bubble.received', { hasText: 'delivered' }).waitFor();
		await takePicture(page, 'phone');

		const executions = await n8n.executionsWhen(workflowId, 1);
		expect(executions.map(({ status }) => status)).toEqual(['success']);
		expect(executions[0]?.ranNodes).toContain('Send the opening hours');
		expect(await sandbox.messages()).toEqual([
			expect.objectContaining({ to: '+233201234567', sender_id: 'KOFISHOP', cost: costOfOne }),
		]);
		expect(before - (await sandbox.balance())).toBeCloseTo(costOfOne, 6);
		expect(await page.locator('.bubble.received').count()).toBe(1);
		expect(strays).toEqual([]);
	});

	test('replies to any other word with help', async () => {
		await sandbox.text(otherPerson, 'KOFISHOP', 'hello');
		const executions = await n8n.executionsWhen(workflowId, 2);
		expect(executions[1]).toMatchObject({ status: 'success' });
		expect(executions[1]?.ranNodes).toContain('Send help');
		expect(await sandbox.messages()).toContainEqual(
			expect.objectContaining({ to: otherPerson, message: expect.stringContaining('Text HOURS') as string }),
		);
	});

	test('replies to a WhatsApp message from the phone page, through the relay', async () => {
		const count = (await n8n.executions(workflowId)).length;
		await page.goto(ready.phone.replace(encodeURIComponent('+233201234567'), encodeURIComponent(byWhatsapp)));
		await page.getByLabel('Send by').selectOption('WhatsApp');
		await page.getByText(`Messages go to ${new URL(ready.relayUrl).host}/in/`).waitFor();
		await typeOnPhone('HOURS');
		await page.locator('.bubble.received', { hasText: '8 am to 6 pm' }).waitFor();
		const last = (await n8n.executionsWhen(workflowId, count + 1)).at(-1);
		expect(last?.status).toBe('success');
		expect(last?.ranNodes).toContain('Send the opening hours');
		const events = z
			.object({ data: z.array(z.object({ data: z.record(z.string(), z.unknown()) })) })
			.parse(await openRelayView(ready).call('GET', '/events?type=whatsapp.inbound'));
		expect(events.data.map(({ data }) => data)).toMatchObject([{ from: byWhatsapp, to: 'KOFISHOP', message: 'HOURS' }]);
	});

	test.each([
		['STOP', stopper, 'STOP'],
		['stop with a full stop', '+233244000333', ' stop. '],
		['STOP with the sender ID', '+233244000888', 'Stop Kofishop pls'],
		['its own sender ID', 'KOFISHOP', 'HOURS'],
		['another sender ID', 'AKWAABA', 'HOURS'],
		['the number it was sent to', '+233244000444', 'HOURS', '+233244000444'],
	])('does not reply to %s', async (_what, from, message, to = 'KOFISHOP') => {
		const sent = (await sandbox.messages()).length;
		const count = (await n8n.executions(workflowId)).length;
		expect((await post(inboundUrl(), { From: from, To: to, Message: message })).status).toBe(200);

		const last = (await n8n.executionsWhen(workflowId, count + 1)).at(-1);
		expect(last?.status).toBe('success');
		// The workflow attempted no send, so the sandbox had nothing to reject.
		expect(last?.ranNodes.toSorted()).toEqual(['Only phone numbers, no STOP', 'When a message arrives']);
		expect(await sandbox.messages()).toHaveLength(sent);
	});

	test('sends no reply to STOP from the phone page', async () => {
		const sent = (await sandbox.messages()).length;
		const count = (await n8n.executions(workflowId)).length;
		await page.goto(ready.phone.replace(encodeURIComponent('+233201234567'), encodeURIComponent(stopperOnPhone)));
		await typeOnPhone('STOP');
		await n8n.executionsWhen(workflowId, count + 1);
		expect(await page.locator('.bubble.received').count()).toBe(0);
		expect(await sandbox.messages()).toHaveLength(sent);
	});

	test('responds 404 at any other URL and starts no workflow', async () => {
		const url = await webhookUrl(workflowId);
		const count = (await n8n.executions(workflowId)).length;
		const text = { From: otherPerson, To: 'KOFISHOP', Message: 'HOURS' };
		const [, webhookId = ''] = /\/webhook\/([^/]+)\//.exec(url) ?? [];
		const others = [
			url.replace(webhookId, randomUUID()),
			url.replace(`/${webhookId}`, ''),
			url.slice(0, -1),
			`${url}/x`,
		];
		for (const other of others) expect((await post(other, text)).status).toBe(404);
		// An accepted message follows. If the others had started a workflow, there would be more than one execution.
		expect((await post(inboundUrl(), text)).status).toBe(200);
		expect(await n8n.executionsWhen(workflowId, count + 1)).toHaveLength(count + 1);
	});

	test('creates a credential that passes n8n’s test', async () => {
		const credential = readDemoMemory(state).credentials.messagingServiceApi;
		if (!credential) throw new Error('No credential');
		const requests = { id: credential.id, name: 'Messaging Service (sandbox)', type: 'messagingServiceApi' };
		const good = await testCredential(ready.n8nUrl, ready, { ...requests, data: credential.data });
		expect(good.status).toBe('OK');
		const wrongKey = { ...credential.data, apiKey: 'sk_sandbox_wrong' };
		const bad = await testCredential(ready.n8nUrl, ready, { ...requests, data: wrongKey });
		expect(bad.status).toBe('Error');
	});

	test('puts a STOP from the phone page on the opt-out list of the service, through the relay', async () => {
		const optOuts = async () => await sandbox.control<Array<{ number: string }>>('GET', '/opt-outs');
		await eventually('the opt-out', async () =>
			(await optOuts()).some(({ number }) => number === stopperOnPhone) ? true : undefined,
		);
	});

	test('gives a copy of the workflow every event, too, at a URL of its own', async () => {
		const { name, nodes, connections, settings } = await n8n.call<{
			name: string;
			nodes: object[];
			connections: object;
			settings: object;
		}>('GET', `/workflows/${workflowId}`);
		// A copy has the same webhook ID and node IDs.
		const { id } = await n8n.call<{ id: string }>('POST', '/workflows', { name, nodes, connections, settings });
		await n8n.call('POST', `/workflows/${id}/activate`);
		const [first, copy] = [await webhookUrl(workflowId), await webhookUrl(id)];
		expect(copy.split('/webhook/')[1]?.slice(0, 36)).toBe(first.split('/webhook/')[1]?.slice(0, 36));
		await openRelayView(ready).subscriptionOf(id);
		const count = (await n8n.executions(workflowId)).length;
		const stop = { From: stopper, To: 'KOFISHOP', Message: 'STOP', message_id: randomUUID() };
		expect((await post(inboundUrl(), stop)).status).toBe(200);
		expect((await n8n.executionsWhen(id, 1))[0]?.status).toBe('success');
		expect((await n8n.executionsWhen(workflowId, count + 1)).at(-1)?.status).toBe('success');
		await n8n.call('POST', `/workflows/${id}/deactivate`);
	});

	test('rejects a request to the trigger’s URL that the relay did not sign', async () => {
		const count = (await n8n.executions(workflowId)).length;
		const text = { From: otherPerson, To: 'KOFISHOP', Message: 'HOURS' };
		expect((await post(await webhookUrl(workflowId), text)).status).toBe(401);
		expect(await n8n.executions(workflowId)).toHaveLength(count);
	});

	test('runs a second workflow, with a secret in the URL, beside the first', async () => {
		const secret = randomBytes(20).toString('hex');
		const type = 'messagingServiceWebhookApi';
		const credential = await n8n.call<{ id: string }>('POST', '/credentials', {
			name: 'Secret',
			type,
			data: { secret, previousSecret: '' },
		});
		const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
			name: 'Second',
			settings: { executionOrder: 'v1' },
			connections: {},
			nodes: [
				{
					id: '4d2f9a52-35a8-4f4e-8f2b-55b0a3f0c001',
					name: 'Text',
					type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
					typeVersion: 1,
					position: [0, 0],
					webhookId: 'f2f3a3a6-63f6-49d5-a5a2-2b8a53f3c002',
					parameters: { triggerOn: ['inboundSms'], authentication: 'secret' },
					credentials: { [type]: { id: credential.id, name: 'Secret' } },
				},
			],
		});
		await n8n.call('POST', `/workflows/${id}/activate`);
		const second = await webhookUrl(id);
		const text = { From: thirdPerson, To: 'KOFISHOP', Message: 'HOURS' };
		const right = `${second}/${secret}`;
		await eventually('the second webhook', async () => ((await post(right, text)).status === 200 ? true : undefined));
		for (const wrong of ['x', secret.slice(1), `${secret}0`, 'f'.repeat(40)]) {
			expect(await post(`${second}/${wrong}`, text)).toEqual({ status: 404, body: '' });
		}
		// n8n itself responds with a text, too, so the explanation is compared.
		const unchanged = await post(`${second}/:secret`, text);
		expect(unchanged.status).toBe(404);
		expect(JSON.parse(unchanged.body)).toMatchObject({
			received: false,
			reason: 'the placeholder :secret in the path',
		});

		const count = (await n8n.executions(workflowId)).length;
		expect((await post(inboundUrl(), text)).status).toBe(200);
		expect((await n8n.executionsWhen(workflowId, count + 1)).at(-1)?.status).toBe('success');
		expect((await n8n.executionsWhen(id, 1))[0]?.status).toBe('success');
		await n8n.call('POST', `/workflows/${id}/deactivate`);
		await n8n.call('DELETE', `/credentials/${credential.id}`);
	});

	test('shows the workflow in the editor after a login with the printed password', async () => {
		const { context, strays } = await openProfile(browser);
		const editor = await context.newPage();
		await editor.goto(ready.editor);
		await editor.fill('input[name=emailOrLdapLoginId]', ready.email);
		await editor.fill('input[name=password]', ready.password);
		await editor.locator('[data-test-id=form-submit-button]').click();
		for (const name of [
			'When a message arrives',
			'Only phone numbers, no STOP',
			'Send the opening hours',
			'Send help',
		]) {
			await editor.locator('.vue-flow__node', { hasText: name }).first().waitFor();
		}
		await editor.locator('[data-test-id=suggested-actions-close]').click();
		await editor.locator('[data-test-id=zoom-to-fit]').click();
		await editor.locator('.vue-flow__node').first().hover();
		await editor.mouse.move(640, 700);
		await takePicture(editor, 'editor');
		// n8n offers to install a node whose package is missing.
		expect(await editor.getByText(/install (this )?node/i).count()).toBe(0);
		expect(strays).toEqual([]);
		await context.close();
	});

	// Many screenshots take long, and only a change of the docs needs them.
	const record = async () => {
		const count = (await n8n.executions(workflowId)).length;
		const { gif, frames, succeeded, strays } = await recordHours(browser, ready, pictured);

		const execution = (await n8n.executionsWhen(workflowId, count + 1)).at(-1);
		expect(execution?.status).toBe('success');
		expect(succeeded).toEqual(execution?.ranNodes.toSorted());
		expect(readAnimation(gif)).toMatchObject({ frames });
		keepAnimation('hours', gif);
		expect(strays).toEqual([]);
	};
	if (takesPictures()) test('records HOURS, the execution and the reply for the docs', record);

	test('has one animated picture of HOURS, the execution and the reply', () => {
		const gif = new Uint8Array(readFileSync(animationFile('hours')));
		const { differentFrames, ...shown } = readAnimation(gif);
		expect(shown).toMatchObject({ width: 960, height: 540, looped: true });
		// Empty, typing three times, sent, running, answered: the others may look alike on a slow machine.
		expect(differentFrames).toBeGreaterThanOrEqual(7);
		// A README that takes long to load is not read.
		expect(gif.length).toBeLessThan(900_000);
	});

	test('rejects a second start with the same state folder, and names the first', async () => {
		const second = startDemo(['--state', state]);
		expect(await second.ended()).toBe(1);
		expect(second.output()).toContain(`process ${demo.child.pid ?? 0}`);
		expect(second.output()).toContain(ready.editor);
		expect(await isReachable(ready.n8nUrl)).toBe(true);
	});

	test('ends every process of npm start on Ctrl-C', async () => {
		const groups = readGroups(state);
		expect(groups).toHaveLength(3);
		expect(groups.flatMap(membersOf).length).toBeGreaterThanOrEqual(4);
		demo.child.kill('SIGINT');
		expect(await demo.ended()).toBe(0);
		expect(groups.flatMap(membersOf)).toEqual([]);
		expect(await isReachable(ready.n8nUrl)).toBe(false);
		expect(await isReachable(ready.sandboxUrl)).toBe(false);
		expect(await isReachable(ready.relayUrl)).toBe(false);
		expect(existsSync(join(state, 'start.lock'))).toBe(false);
	});
});

describe('the second npm start', () => {
	test('installs nothing and keeps login, workflow and messages, on other ports', async () => {
		const first = ready;
		const firstWorkflow = workflowId;
		await open(startDemo(['--state', state, ...otherPorts]));

		expect(demo.output()).not.toContain('Installing');
		expect({ email: ready.email, password: ready.password }).toEqual({
			email: first.email,
			password: first.password,
		});
		expect(workflowId).toBe(firstWorkflow);
		expect((await n8n.call<{ data: unknown[] }>('GET', '/credentials')).data).toHaveLength(2);
		expect(ready.sandboxUrl).not.toBe(first.sandboxUrl);
		expect(ready.relayUrl).not.toBe(first.relayUrl);
		expect((await sandbox.messages()).length).toBeGreaterThan(1);
	});

	test('replies to HOURS on the new ports', async () => {
		const before = await sandbox.balance();
		await page.goto(ready.phone);
		const replies = page.locator('.bubble.received');
		await replies.first().waitFor();
		const seen = await replies.count();
		await typeOnPhone('hours');
		await replies.nth(seen).waitFor();
		expect(before - (await sandbox.balance())).toBeCloseTo(costOfOne, 6);
		const settings = await sandbox.control('GET', '/settings');
		expect(settings).toMatchObject({
			whatsapp_inbound_url: expect.stringMatching(new RegExp(`^${ready.relayUrl}/in/[^/]+/whatsapp$`)) as string,
		});
	});

	test('reports that n8n stopped, and ends the other processes', async () => {
		const groups = readGroups(state);
		const n8nGroup = groups.find(({ name }) => name === 'n8n')?.group;
		if (n8nGroup === undefined) throw new Error('n8n is not among the groups');
		process.kill(-n8nGroup, 'SIGKILL');
		expect(await demo.ended()).toBe(1);
		expect(demo.output()).toContain('n8n stopped unexpectedly (signal SIGKILL)');
		expect(groups.flatMap(membersOf)).toEqual([]);
		expect(await isReachable(ready.sandboxUrl)).toBe(false);
	});
});

describe('npm start after it was killed', () => {
	test('ends the processes that a killed start left behind', async () => {
		const killed = startDemo(['--state', state, ...otherPorts]);
		// The last of its processes.
		const left = await eventually('the process of n8n', () => {
			const groups = readGroups(state);
			return groups.some(({ name }) => name === 'n8n') ? groups : undefined;
		});
		killed.child.kill('SIGKILL');
		await killed.ended();
		expect(left.flatMap(membersOf)).not.toEqual([]);

		await open(startDemo(['--state', state, '--fresh', ...otherPorts]));
		expect(left.flatMap(membersOf)).toEqual([]);
	});

	test('starts with empty state with --fresh', async () => {
		expect(await sandbox.messages()).toEqual([]);
		expect(await n8n.executions(workflowId)).toEqual([]);
		demo.child.kill('SIGTERM');
		expect(await demo.ended()).toBe(0);
	});
});
