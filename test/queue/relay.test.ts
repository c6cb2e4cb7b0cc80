import { eventually } from '../support/eventually';
import { createToken } from '../support/relay/api';
import { startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';
import {
	createRelayWorkflow,
	PATIENCE_MS,
	postReceipt,
	startsPerEvent,
	type RelayWorkflow,
} from '../support/relay/relayWorkflow';
import { queueApi } from '../support/queue/n8nQueue';
import { restartMain } from '../support/queue/queueSetup';

const RECEIPTS = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt'] };
const RECEIPTS_AND_ALERTS = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt', 'lowBalance'] };

const folder = temporaryFolder();
let relay: RelayProcess;
let credential: string;

async function post(count: number): Promise<string[]> {
	const ids = await Promise.all(Array.from({ length: count }, async () => await postReceipt(relay)));
	return ids.filter((id) => id !== undefined);
}

/** n8n registers and removes a trigger after it has responded. */
async function subscriptionHas(
	workflow: RelayWorkflow,
	wanted: { readonly state: string; readonly types?: readonly string[] },
): Promise<void> {
	await eventually(
		`the subscription to have ${JSON.stringify(wanted)}`,
		async () => {
			const { state, types } = (await workflow.subscription(relay)) ?? {};
			const hasTypes = wanted.types === undefined || wanted.types.join() === types?.join();
			return (state === wanted.state && hasTypes) || undefined;
		},
		PATIENCE_MS,
	);
}

beforeAll(async () => {
	relay = await startRelayProcess({ folder });
	({ id: credential } = await queueApi().call<{ id: string }>('POST', '/credentials', {
		name: 'Relay',
		type: 'messagingServiceRelayApi',
		data: { relayUrl: relay.url, relayToken: await createToken(relay, 'n8n') },
	}));
});

afterAll(async () => await relay.kill());

test('keeps a workflow active, and delivers its events once, if the main process starts while the relay is away', async () => {
	const workflow = await createRelayWorkflow(queueApi(), credential, RECEIPTS);
	await workflow.activate();
	await subscriptionHas(workflow, { state: 'active' });
	const events = await post(10);
	await eventually('the first executions', async () => (await workflow.executions())[0], PATIENCE_MS);
	const mainIsReady = await restartMain();
	// The webhook processor and the workers go on without the main process.
	events.push(...(await post(10)));
	await relay.kill();
	await mainIsReady();
	expect(await queueApi().workflow(workflow.id)).toMatchObject({ active: true });

	relay = await startRelayProcess({ folder, port: Number(new URL(relay.url).port) });
	events.push(...(await post(10)));
	// The new main process registers, and the webhook processor receives.
	await workflow.publish({ parameters: RECEIPTS_AND_ALERTS });
	await subscriptionHas(workflow, { state: 'active', types: ['message.status', 'wallet.low_balance'] });
	events.push(...(await post(10)));
	expect(events).toHaveLength(40);
	const starts = startsPerEvent(await workflow.settled(relay));
	expect(events.map((id) => starts.get(id))).toEqual(events.map(() => 1));

	await workflow.deactivate();
	await subscriptionHas(workflow, { state: 'leaving' });
});
