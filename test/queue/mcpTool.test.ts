import { randomUUID } from 'node:crypto';
import { eventually } from '../support/eventually';
import { sending } from '../support/queue/campaign';
import { connectMcp } from '../support/queue/mcpClient';
import { executionsOf, ownNode, queueApi } from '../support/queue/n8nQueue';
import { queueSandbox } from '../support/queue/queueSandbox';
import { bothWorkers, executionsStartedBy, readSetup } from '../support/queue/queueSetup';
import { createRelayedCredential } from '../support/queue/relaySends';
import { useDatabase } from '../support/relay/databases';
import type { RelayProcess } from '../support/relay/relayProcess';

/** Calls of an MCP client with the same message. Several workers get them. */
const CALLS = 12;

const sandbox = queueSandbox();
const database = useDatabase('folder');
let relay: RelayProcess;

beforeAll(async () => {
	await sandbox.reset();
	await sandbox.adjustWallet(100);
	await bothWorkers();
	relay = await database().startProcess({ env: { RELAY_SERVICE_URL: `${readSetup().sandboxUrl}/api/v1` } });
});

/** Publishes our node as a tool of an MCP Server Trigger. */
async function publishTool(): Promise<{ readonly id: string; readonly url: string }> {
	const path = randomUUID();
	const { parameters } = sending('send', {});
	const api = queueApi();
	const { id } = await api.call<{ id: string }>('POST', '/workflows', {
		name: 'MCP in queue mode',
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				id: randomUUID(),
				name: 'MCP Server Trigger',
				type: '@n8n/n8n-nodes-langchain.mcpTrigger',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: { path },
			},
			ownNode(
				'send_sms',
				'messagingServiceTool',
				{
					parameters: {
						...parameters,
						to: "={{ $fromAI('to', '', 'string') }}",
						message: "={{ $fromAI('message', '', 'string') }}",
					},
				},
				1,
				await createRelayedCredential(relay),
			),
		],
		connections: { send_sms: { ai_tool: [[{ node: 'MCP Server Trigger', type: 'ai_tool', index: 0 }]] } },
	});
	await api.call('POST', `/workflows/${id}/activate`);
	const url = `${readSetup().webhookUrl}/mcp/${path}`;
	await eventually('the MCP server', async () => {
		const { status } = await fetch(url, { method: 'DELETE' });
		return status === 404 ? undefined : true;
	});
	return { id, url };
}

test('an MCP client that repeats a call sends one message, whichever workers get the calls', async () => {
	const { id, url } = await publishTool();
	const client = await connectMcp(url);
	const message = { to: '+233201234567', message: 'Your order is ready' };
	const rows: unknown[] = [];
	for (let call = 0; call < CALLS; call += 1) {
		const [row] = JSON.parse(await client.call('send_sms', message)) as unknown[];
		rows.push(row);
	}
	expect(rows[0]).toMatchObject({ outcome: 'accepted' });
	for (const row of rows.slice(1)) expect(row).toMatchObject({ outcome: 'skipped', reason: 'already_sent' });
	expect(await sandbox.messagesWith(message.message)).toHaveLength(1);
	await executionsOf(id).ended(CALLS);
	const executions = new Set((await executionsOf(id).all()).map((one) => one.id));
	expect(executions.size).toBe(CALLS);
	const workers = readSetup().workers.filter((worker) =>
		executionsStartedBy(worker).some((one) => executions.has(one)),
	);
	expect(workers).toHaveLength(2);
});
