import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { logIn, openN8nApi, testCredential, type Editor, type N8nApi } from '../support/e2e/n8nApi';
import { startN8nServer, type N8nServer } from '../support/e2e/n8nServer';
import { startScriptedModel, type ScriptedModel } from '../support/e2e/scriptedModel';
import { createWebhookWorkflow, rowsOf, type Node, type WebhookWorkflow } from '../support/e2e/webhookWorkflow';
import { eventually } from '../support/eventually';
import { sandboxControl } from '../support/sandboxControl';
import { committedResults, keepResults, newResults } from './results';

const ours = 'n8n-nodes-messaging-service.messagingService';
const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const customer = '+233244000777';
/** A number that only the question with a limit uses. */
const lateApprover = '+233244000888';
const nodeTypes = z.array(z.looseObject({ name: z.string() }));

const installed = (process.env.TEST_N8N ?? '').split(delimiter).map((folder) => {
	const manifest = readFileSync(join(folder, 'node_modules', 'n8n', 'package.json'), 'utf8');
	return [z.object({ version: z.string() }).parse(JSON.parse(manifest)).version, folder] as const;
});

describe.each(installed)('n8n %s', (version, folder) => {
	// Within the project, the package would find the n8n-workflow and zod of the project instead of n8n's.
	const state = mkdtempSync(join(tmpdir(), 'compatibility-'));
	const results = newResults();
	let server: N8nServer;
	let sandbox: Sandbox;
	let model: ScriptedModel;
	let n8n: N8nApi;
	let editor: Editor;
	let credential: { id: string; name: string };
	let limited: WebhookWorkflow;

	const control = () => sandboxControl(sandbox);
	const messagesTo = async (to: string) => (await control().messages()).filter((message) => message.to === to);
	const linkIn = (text = '') => text.split('\n').at(-1) ?? '';
	const sms = (name: string, parameters: object, more: object = {}): Node => ({
		name,
		type: ours,
		parameters: { resource: 'sms', senderId, ...parameters },
		...more,
	});
	const credentials = () => ({ messagingServiceApi: credential });
	const workflowOf = async (nodes: readonly Node[], connections?: object) =>
		await createWebhookWorkflow(
			n8n,
			server.url,
			nodes.map((node) => (node.type.startsWith(ours) ? { credentials: credentials(), ...node } : node)),
			connections && { connections },
		);
	const after = (name: string): Node => ({ name, type: 'n8n-nodes-base.noOp', parameters: {} });
	const to = (...nodes: string[]) => ({ main: nodes.map((node) => [{ node, type: 'main', index: 0 }]) });
	const question = (more: object = {}) =>
		sms('Ask', { operation: 'sendAndWait', to: customer, message: 'Order 1042 for GHS 300: ship it?', ...more });
	const answer = async (link: string, given = 'approve') =>
		await fetch(link, { method: 'POST', body: new URLSearchParams({ answer: given }) });

	beforeAll(async () => {
		[sandbox, model, server] = await Promise.all([
			startSandbox({ clock: 'running' }),
			startScriptedModel('Your refund is on its way.'),
			startN8nServer(state, { installed: folder }),
		]);
		n8n = openN8nApi(server.url, server.apiKey);
		editor = await logIn(server.url, server);
		const data = { apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl, authHeader: 'X-API-Key' };
		credential = await createCredential('messagingServiceApi', data);
		// n8n looks for waits that are over once a minute. That may happen while the other tests run.
		const values = { limitType: 'afterTimeInterval', resumeAmount: 0.02, resumeUnit: 'minutes' };
		limited = await workflowOf(
			[question({ to: lateApprover, options: { limitWaitTime: { values } } }), after('Yes'), after('Late')],
			{
				Start: to('Ask'),
				Ask: to('Yes', 'Late'),
			},
		);
		await limited.start();
	});

	afterAll(async () => {
		keepResults(version, results);
		// The server is missing if n8n did not start.
		await Promise.all(
			[server, sandbox, model].map(async (started?: { stop(): Promise<void> }) => await started?.stop()),
		);
		rmSync(state, { recursive: true, force: true });
	});

	test('tests a credential', async () => {
		const data = { apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl, authHeader: 'X-API-Key' };
		const tested = { ...credential, type: 'messagingServiceApi' };
		expect(await testCredential(server.url, server, { ...tested, data })).toMatchObject({ status: 'OK' });
		const wrong = { ...data, apiKey: 'sk_sandbox_wrong' };
		expect(await testCredential(server.url, server, { ...tested, data: wrong })).toMatchObject({ status: 'Error' });
		results.credential = 'works';
	});

	test('lists the contacts of the account', async () => {
		const response = await editor('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
			path: 'parameters.to',
			methodName: 'searchContacts',
			nodeTypeAndVersion: { name: ours, version: 1 },
			currentNodeParameters: { resource: 'sms', operation: 'send', to: { __rl: true, mode: 'list', value: '' } },
			credentials: credentials(),
		});
		const { data } = (await response.json()) as { data?: { results: readonly { name: string }[] } };
		expect(data?.results[0]?.name).toMatch(/\(\+\d+\)$/);
		results.lists = 'works';
	});

	test('sends an SMS, and shows the service’s words if it rejects one', async () => {
		const workflow = await workflowOf([
			sms('Send', { operation: 'send', to: '020 123 4567', message: 'Your order is ready' }),
			sms('Rejected', { operation: 'send', to: '+233', message: 'Hello' }, { onError: 'continueRegularOutput' }),
		]);
		await workflow.start();
		const execution = await workflow.newest('success');
		expect(rowsOf(execution, 'Send')).toEqual([
			expect.objectContaining({ outcome: 'accepted', to: '+233201234567', message_id: expect.any(String) as string }),
		]);
		expect(JSON.stringify(rowsOf(execution, 'Rejected'))).toContain('Nothing was sent or charged.');
		results.send = 'works';
	});

	test('sends to many numbers, with a summary on the second output', async () => {
		const numbers = ['+233244000101', '+233244000102', '+233244000101'];
		const bulk = sms('Bulk', { operation: 'sendBulk', to: numbers.join('\n'), message: 'Closed on Friday' });
		const workflow = await workflowOf([bulk, after('Rows'), after('Summary')], {
			Start: to('Bulk'),
			Bulk: to('Rows', 'Summary'),
		});
		await workflow.start();
		const execution = await workflow.newest('success');
		expect(rowsOf(execution, 'Rows').map((row) => row.outcome)).toEqual(['accepted', 'accepted', 'skipped']);
		expect(rowsOf(execution, 'Summary')).toEqual([expect.objectContaining({ accepted: 2 })]);
		results.sendBulk = 'works';
	});

	test('sends a message with a Send Once Key once, in two executions', async () => {
		const recipient = '+233244000201';
		const workflow = await workflowOf([
			sms('Send', { operation: 'send', to: recipient, message: 'Paid', options: { sendOnceKey: 'order 1042' } }),
		]);
		await workflow.start();
		expect(rowsOf(await workflow.newest('success'), 'Send')[0]).toMatchObject({ outcome: 'accepted' });
		await workflow.start();
		await eventually('the second execution', async () =>
			rowsOf(await workflow.newest('success'), 'Send')[0]?.outcome === 'skipped' ? true : undefined,
		);
		expect(await messagesTo(recipient)).toHaveLength(1);
		results.sendOnce = 'works';
	});

	test('never repeats a message with an unknown outcome, with Retry On Fail', async () => {
		const lost = '+233990000007';
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1, onError: 'continueRegularOutput' };
		const workflow = await workflowOf([sms('Send', { operation: 'send', to: lost, message: 'Hello' }, retry)]);
		await workflow.start();
		expect(rowsOf(await workflow.newest('success'), 'Send')).toEqual([expect.objectContaining({ outcome: 'unknown' })]);
		expect(await messagesTo(lost)).toHaveLength(1);
		results.unknown = 'works';
	});

	test('starts a workflow for an inbound message once', async () => {
		const trigger = { triggerOn: ['inboundSms'] };
		const workflow = await triggered(`${ours}Trigger`, 'Inbound', trigger);
		const url = `${server.url}/webhook/${workflow.webhookId}/${workflow.id}/${workflow.nodeId}`;
		const event = { from: customer, to: 'KOFISHOP', message: 'HOURS', message_id: 'in-1' };
		await eventually('the webhook', async () =>
			(await fetch(url, { method: 'POST', body: new URLSearchParams() })).status === 422 ? true : undefined,
		);
		const post = async () => (await fetch(url, { method: 'POST', body: new URLSearchParams(event) })).status;
		expect([await post(), await post()]).toEqual([200, 200]);
		const [row] = await workflow.rows();
		expect(row).toMatchObject({ from: customer, message: 'HOURS' });
		expect(await n8n.executionsWhen(workflow.id, 1)).toHaveLength(1);
		results.trigger = 'works';
	});

	test('starts a workflow when the balance is low', async () => {
		const { balance } = await control().wallet();
		const workflow = await triggered(`${ours}WalletTrigger`, 'Low', {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			triggerOn: ['lowBalance'],
			thresholdUnit: 'currency',
			threshold: balance + 1,
		});
		// n8n polls when the workflow is activated.
		expect(await workflow.rows()).toEqual([expect.objectContaining({ threshold: balance + 1 })]);
		results.walletTrigger = 'works';
	});

	test('asks, rejects a changed link, and continues after the response', async () => {
		const approver = '+233244000301';
		const workflow = await workflowOf([question({ to: `${approver}, ${customer}` }), after('Yes')]);
		await workflow.start();
		const link = await openQuestion(approver, '1042');
		const forged = await Promise.all(
			[link.replace('a=0', 'a=0.1'), link.replace(/&signature=.*/, '')].map(
				async (changed) => (await answer(changed)).status,
			),
		);
		const rejected = forged.every((status) => status === 401);
		if (rejected) results.signedLinks = 'works';
		expect(forged).toEqual([401, 401]);
		expect((await answer(link)).status).toBe(200);
		expect(rowsOf(await workflow.newest('success'), 'Yes')).toEqual([
			expect.objectContaining({ outcome: 'accepted', data: expect.objectContaining({ approved: true }) as object }),
		]);
		expect(await (await answer(link)).text()).toMatch(/no action required/i);
		results.sendAndWait = 'works';
	});

	test('lets an agent send one message', async () => {
		const workflow = await agentWorkflow(2, '+233244000401');
		await workflow.start();
		const [row] = rowsOf(await workflow.newest('success'), 'Agent');
		expect(String(row?.output)).toContain('message_id');
		expect(await messagesTo('+233244000401')).toHaveLength(1);
		results.tool = 'works';
	});

	test('asks a person before an agent sends a message', async () => {
		const types = nodeTypes.parse(await (await editor('GET', '/types/nodes.json')).json());
		expect(types.map(({ name }) => name)).toContain(`${ours}Tool`);
		if (!types.some(({ name }) => name === `${ours}HitlTool`)) {
			results.humanReview = 'missing';
			return;
		}
		const recipient = '+233244000501';
		const workflow = await agentWorkflow(3, recipient, customer);
		await workflow.start();
		const link = await openQuestion(customer, recipient);
		expect(await messagesTo(recipient)).toEqual([]);
		expect((await answer(link)).status).toBe(200);
		await workflow.newest('success');
		expect(await messagesTo(recipient)).toHaveLength(1);
		results.humanReview = 'works';
	});

	test('continues on No Response when the time is up, or rejects the limit before it sends', async () => {
		const ended = await limited.ended(150_000);
		const { error, runData } = ended.data.resultData;
		if (ended.status === 'error') {
			expect(error?.message).toContain('needs n8n 2.39 or later');
			expect(JSON.stringify(error)).toContain('Nothing was sent or charged.');
			expect(await messagesTo(lateApprover)).toEqual([]);
			results.noResponse = 'message';
			return;
		}
		expect(runData).not.toHaveProperty('Yes');
		expect(rowsOf(ended, 'Late')).toEqual([expect.objectContaining({ outcome: 'accepted', timed_out: true })]);
		results.noResponse = 'works';
	}, 200_000);

	test('has the results of docs/compatibility.json (otherwise: UPDATE_COMPATIBILITY=1)', () => {
		if (process.env.UPDATE_COMPATIBILITY !== '1') expect(results).toEqual(committedResults(version));
	});

	/** Waits until a question is open, and returns its link. The public API of n8n 1 does not list waiting executions. */
	async function openQuestion(approver: string, words: string): Promise<string> {
		return await eventually('an open question', async () => {
			const asked = (await messagesTo(approver)).find(({ message }) => message.includes(words));
			if (!asked) return undefined;
			const link = linkIn(asked.message);
			return (await (await fetch(link)).text()).includes('KOFISHOP asks:') ? link : undefined;
		});
	}

	/** Creates a credential as the editor does. The public API of n8n 1 demands fields that no one entered. */
	async function createCredential(type: string, data: object): Promise<{ id: string; name: string }> {
		const response = await editor('POST', '/rest/credentials', { name: type, type, data });
		const created = z.object({ data: z.object({ id: z.string() }) }).parse(await response.json());
		return { id: created.data.id, name: type };
	}

	/** Publishes a workflow that begins with one of our triggers. */
	async function triggered(type: string, name: string, parameters: object) {
		const node = { name, type, typeVersion: 1, parameters, position: [0, 0], credentials: credentials() };
		const end = { ...after('After'), typeVersion: 1, position: [200, 0] };
		const [nodeId, webhookId] = [crypto.randomUUID(), crypto.randomUUID()];
		const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
			name,
			settings: { executionOrder: 'v1' },
			connections: { [name]: to('After') },
			nodes: [
				{ ...node, id: nodeId, webhookId },
				{ ...end, id: crypto.randomUUID() },
			],
		});
		await n8n.call('POST', `/workflows/${id}/activate`);
		return {
			id,
			nodeId,
			webhookId,
			rows: async () => {
				await n8n.executionsWhen(id, 1);
				const found = await n8n.call<{ data: Parameters<typeof rowsOf>[0][] }>(
					'GET',
					`/executions?workflowId=${id}&includeData=true`,
				);
				const [execution] = found.data;
				return execution ? rowsOf(execution, 'After') : [];
			},
		};
	}

	/** A workflow with an agent whose model sends a message to a number; a reviewer is asked before. */
	async function agentWorkflow(typeVersion: number, recipient: string, reviewer?: string): Promise<WebhookWorkflow> {
		const openAiApi = await createCredential('openAiApi', { apiKey: 'none', url: model.url, header: false });
		const nodes: Node[] = [
			{
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion,
				parameters: { promptType: 'define', text: `Tell ${recipient}`, options: { enableStreaming: false } },
			},
			{
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,
				parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
				credentials: { openAiApi },
			},
			{
				...sms('Send SMS', {
					operation: 'send',
					to: "={{ $fromAI('to', '', 'string') }}",
					message: "={{ $fromAI('message', '', 'string') }}",
				}),
				type: `${ours}Tool`,
			},
			{
				...sms('Review', { operation: 'sendAndWait', responseType: 'approval', to: reviewer }),
				type: `${ours}HitlTool`,
			},
		];
		const into = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
		const reviewed = reviewer !== undefined;
		return await workflowOf(reviewed ? nodes : nodes.slice(0, -1), {
			Start: into('Agent', 'main'),
			Model: into('Agent', 'ai_languageModel'),
			'Send SMS': into(reviewed ? 'Review' : 'Agent', 'ai_tool'),
			...(reviewed && { Review: into('Agent', 'ai_tool') }),
		});
	}
});
