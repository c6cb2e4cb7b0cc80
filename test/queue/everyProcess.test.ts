import { randomUUID } from 'node:crypto';
import { eventually } from '../e2e/eventually';
import { people, sending, textsTo } from './campaign';
import { executionsOf, inLine, ownNode, queueApi, startedByPost } from './n8nQueue';
import { queueSandbox } from './queueSandbox';
import { begunBy, bothWorkers, readAccount, readSetup } from './queueSetup';

const sandbox = queueSandbox();
const customer = '+233201234567';

beforeAll(async () => {
	await sandbox.reset();
	await bothWorkers();
});

test('both workers send, each with the package it has', async () => {
	// One worker takes five at a time: six that take a while need both.
	const workflow = await startedByPost('Both workers', sending('send', {}));
	await sandbox.fault({ endpoint: 'sms.send', kind: 'delay', milliseconds: 1500, times: 6 });
	const audience = people(31, 6);
	await Promise.all(audience.map(async (person) => await workflow.start({ people: [person] })));
	await workflow.ended(6);
	const executions = await workflow.all();
	expect(executions.map(({ status }) => status)).toEqual(Array(6).fill('success'));
	for (const worker of await bothWorkers()) {
		const begun = begunBy(worker);
		expect(executions.some(({ id }) => begun.includes(id))).toBe(true);
	}
	const counts = textsTo(await sandbox.messagesWith('Campaign 31'));
	expect(counts).toEqual(new Map(audience.map(({ to }) => [to, 1])));
});

describe('Messaging Service Trigger', () => {
	let workflowId: string;
	let path: string;

	beforeAll(async () => {
		const api = queueApi();
		const trigger = { ...ownNode('Text', 'messagingServiceTrigger', { parameters: { triggerOn: ['inboundSms'] } }, 0) };
		const { id, webhookId } = { id: '', webhookId: '', ...trigger };
		const reply = {
			resource: 'sms',
			operation: 'send',
			senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
			to: '={{ $json.from }}',
			message: '=You wrote: {{ $json.message }}',
			options: {},
		};
		const workflow = await api.call<{ id: string }>('POST', '/workflows', {
			name: `Reply ${randomUUID()}`,
			settings: { executionOrder: 'v1' },
			nodes: [trigger, ownNode('Send', 'messagingService', { parameters: reply }, 1)],
			connections: inLine(['Text', 'Send']),
		});
		workflowId = workflow.id;
		path = `/webhook/${webhookId}/${workflowId}/${id}`;
		await api.call('POST', `/workflows/${workflowId}/activate`);
		await eventually('the webhook', async () => {
			const response = await fetch(`${readSetup().webhookUrl}${path}/not-the-secret`, { method: 'POST' });
			// Our trigger refuses a wrong secret with nothing at all; n8n describes a webhook it does not know.
			return response.status === 404 && (await response.text()) === '' ? true : undefined;
		});
	});

	test('takes a text at the webhook processor, and a worker answers it once', async () => {
		await sandbox.settings({ inbound_url: `${readSetup().webhookUrl}${path}/${readAccount().webhookSecret}` });
		await sandbox.text(customer, 'KOFISHOP', 'hello queue');
		const execution = await executionsOf(workflowId).ended(1);
		expect(execution.status).toBe('success');
		expect((await bothWorkers()).flatMap(begunBy)).toContain(execution.id);
		const replies = await sandbox.messagesWith('You wrote: hello queue');
		expect(textsTo(replies)).toEqual(new Map([[customer, 1]]));
		expect(execution.rows).toMatchObject([{ outcome: 'accepted', message_id: replies[0]?.message_id }]);
	});

	test('refuses a wrong secret there, and the main process takes no text at all', async () => {
		const { mainUrl, webhookUrl } = readSetup();
		const { webhookSecret } = readAccount();
		const body = new URLSearchParams({ From: customer, To: 'KOFISHOP', Message: 'forged' });
		const wrong = await fetch(`${webhookUrl}${path}/${'f'.repeat(64)}`, { method: 'POST', body });
		expect({ status: wrong.status, text: await wrong.text() }).toEqual({ status: 404, text: '' });
		const main = await fetch(`${mainUrl}${path}/${webhookSecret}`, { method: 'POST', body });
		expect(main.status).toBe(404);
		expect(await executionsOf(workflowId).all()).toHaveLength(1);
	});
});
