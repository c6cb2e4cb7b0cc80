import { eventually } from '../support/eventually';
import { createToken } from '../support/relay/api';
import { startRelayProcess, temporaryFolder, type RelayProcess } from '../support/relay/relayProcess';
import { createRelayWorkflow, PATIENCE_MS, postReceipt, startsPerEvent } from '../support/relay/relayWorkflow';
import { queueApi } from '../support/queue/n8nQueue';
import { restartMain } from '../support/queue/queueSetup';

const folder = temporaryFolder();
let relay: RelayProcess;

async function post(count: number): Promise<string[]> {
	const ids = await Promise.all(Array.from({ length: count }, async () => await postReceipt(relay)));
	return ids.filter((id) => id !== undefined);
}

beforeAll(async () => {
	relay = await startRelayProcess({ folder });
});

afterAll(async () => await relay.kill());

test('keeps a workflow active, and delivers its events once, if the main process starts while the relay is away', async () => {
	const n8n = queueApi();
	const data = { relayUrl: relay.url, relayToken: await createToken(relay, 'n8n') };
	const { id: credential } = await n8n.call<{ id: string }>('POST', '/credentials', {
		name: 'Relay',
		type: 'messagingServiceRelayApi',
		data,
	});
	const parameters = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt'] };
	const workflow = await createRelayWorkflow(n8n, credential, parameters);
	await workflow.activate();
	// n8n registers and removes a trigger after it has responded.
	const becomes = async (state: string) =>
		await eventually(
			`the subscription to be ${state}`,
			async () => ((await workflow.subscription(relay))?.state === state ? true : undefined),
			PATIENCE_MS,
		);
	await becomes('active');
	const events = await post(10);
	await eventually('the first executions', async () => (await workflow.executions())[0], PATIENCE_MS);

	const mainIsReady = await restartMain();
	// The webhook processor and the workers go on without the main process.
	events.push(...(await post(10)));
	await relay.kill();
	await mainIsReady();
	expect(await n8n.workflow(workflow.id)).toMatchObject({ active: true });

	relay = await startRelayProcess({ folder, port: Number(new URL(relay.url).port) });
	events.push(...(await post(10)));
	expect(events).toHaveLength(30);
	const starts = startsPerEvent(await workflow.settled(relay));
	expect(events.map((id) => starts.get(id))).toEqual(events.map(() => 1));
	await workflow.deactivate();
	await becomes('leaving');
});
