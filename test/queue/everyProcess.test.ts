import { randomBytes, randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually';
import { recipients, sending, countMessages } from '../support/queue/campaign';
import { executionsOf, inLine, ownNode, queueApi, createWebhookWorkflow } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { executionsStartedBy, executionsStartedByAny, bothWorkers, readSetup } from '../support/queue/queueSetup';

const sandbox = queueSandbox();
const customer = '+233201234567';

/** Creates a workflow with our nodes connected in a line. Returns its ID. */
async function createWorkflow(name: string, names: readonly string[], nodes: readonly object[]): Promise<string> {
	const { id } = await queueApi().call<{ id: string }>('POST', '/workflows', {
		name,
		settings: { executionOrder: 'v1' },
		nodes,
		connections: inLine(names),
	});
	return id;
}

let walletWorkflowId: string;

beforeAll(async () => {
	await sandbox.reset();
	await bothWorkers();
	const wallet = {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		triggerOn: ['lowBalance', 'newTransaction'],
		thresholdUnit: 'currency',
		threshold: 1000,
		options: { onlyTypes: 'adjustment' },
	};
	// `Send` stands in for any following node. Its output is the trigger's output.
	walletWorkflowId = await createWorkflow(
		'Wallet',
		['Wallet', 'Send'],
		[
			ownNode('Wallet', 'messagingServiceWalletTrigger', { parameters: wallet }, 0),
			{
				id: randomUUID(),
				name: 'Send',
				type: 'n8n-nodes-base.noOp',
				typeVersion: 1,
				position: [220, 0],
				parameters: {},
			},
		],
	);
	await queueApi().call('POST', `/workflows/${walletWorkflowId}/activate`);
});

test('both workers run executions with the installed package', async () => {
	// One worker runs five executions at a time, so six slow ones need both.
	const workflow = await createWebhookWorkflow('Both workers', sending('send', {}));
	await sandbox.fault({ endpoint: 'sms.send', kind: 'delay', milliseconds: 1500, times: 6 });
	const audience = recipients(31, 6);
	await Promise.all(audience.map(async (person) => await workflow.start({ people: [person] })));
	await workflow.ended(6);
	const executions = await workflow.all();
	expect(executions.map(({ status }) => status)).toEqual(Array(6).fill('success'));
	for (const worker of await bothWorkers()) {
		const started = executionsStartedBy(worker);
		expect(executions.some(({ id }) => started.includes(id))).toBe(true);
	}
	const counts = countMessages(await sandbox.messagesWith('Campaign 31'));
	expect(counts).toEqual(new Map(audience.map(({ to }) => [to, 1])));
});

describe('Messaging Service Trigger', () => {
	const secret = randomBytes(20).toString('hex');
	let workflowId: string;
	let path: string;

	beforeAll(async () => {
		const type = 'messagingServiceWebhookApi';
		const data = { secret, previousSecret: '' };
		const credential = await queueApi().call<{ id: string }>('POST', '/credentials', { name: type, type, data });
		const parameters = { triggerOn: ['inboundSms'], authentication: 'secret' };
		const trigger = {
			...ownNode('Text', 'messagingServiceTrigger', { parameters }, 0),
			credentials: { [type]: { id: credential.id, name: type } },
		};
		const { id, webhookId } = { id: '', webhookId: '', ...trigger };
		const reply = {
			resource: 'sms',
			operation: 'send',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.from }}',
			message: '=You wrote: {{ $json.message }}',
			options: {},
		};
		workflowId = await createWorkflow(
			'Reply',
			['Text', 'Send'],
			[trigger, ownNode('Send', 'messagingService', { parameters: reply }, 1)],
		);
		path = `/webhook/${webhookId}/${workflowId}/${id}`;
		await queueApi().call('POST', `/workflows/${workflowId}/activate`);
		await eventually('the webhook', async () => {
			const response = await fetch(`${readSetup().webhookUrl}${path}/not-the-secret`, { method: 'POST' });
			// Our trigger rejects a wrong secret with an empty 404. n8n describes a webhook that it does not
			// know.
			return response.status === 404 && (await response.text()) === '' ? true : undefined;
		});
	});

	test('receives an inbound message at the webhook processor, and a worker sends one reply', async () => {
		await sandbox.settings({ inbound_url: `${readSetup().webhookUrl}${path}/${secret}` });
		await sandbox.text(customer, 'KOFISHOP', 'hello queue');
		const execution = await executionsOf(workflowId).ended(1);
		expect(execution.status).toBe('success');
		expect(executionsStartedByAny()).toContain(execution.id);
		const replies = await sandbox.messagesWith('You wrote: hello queue');
		expect(countMessages(replies)).toEqual(new Map([[customer, 1]]));
		expect(execution.rows).toMatchObject([{ outcome: 'accepted', message_id: replies[0]?.message_id }]);
	});

	test('rejects a wrong secret at the webhook processor, and every webhook at the main process', async () => {
		const { mainUrl, webhookUrl } = readSetup();
		const body = new URLSearchParams({ From: customer, To: 'KOFISHOP', Message: 'forged' });
		const wrong = await fetch(`${webhookUrl}${path}/${'f'.repeat(64)}`, { method: 'POST', body });
		expect({ status: wrong.status, text: await wrong.text() }).toEqual({ status: 404, text: '' });
		const main = await fetch(`${mainUrl}${path}/${secret}`, { method: 'POST', body });
		expect(main.status).toBe(404);
		expect(await executionsOf(workflowId).all()).toHaveLength(1);
	});
});

test('polls the wallet once for all processes, runs the workflow on a worker and remembers the previous poll', async () => {
	const workflow = executionsOf(walletWorkflowId);
	const first = await workflow.ended(1);
	expect(first.rows).toMatchObject([{ event: 'wallet.low_balance', threshold: 1000, low: true }]);
	expect(executionsStartedByAny()).toContain(first.id);

	await sandbox.adjustWallet(1);
	// n8n polls once a minute. The balance is still low, and the first poll reported it.
	const second = await workflow.ended(2);
	expect(second.rows).toMatchObject([{ type: 'adjustment', amount: 1 }]);
	await queueApi().call('POST', `/workflows/${walletWorkflowId}/deactivate`);
});
