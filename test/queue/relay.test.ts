import { eventually } from '../support/eventually';
import { createToken } from '../support/relay/api';
import { expectNoneLost, expectRepeatsNotAccepted } from '../support/relay/expectDelivered';
import { startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';
import {
	createRelayWorkflow,
	PATIENCE_MS,
	postReceipt,
	postSteadily,
	startsPerEvent,
	type RelayWorkflow,
	type SteadyReceipts,
} from '../support/relay/relayWorkflow';
import { queueApi } from '../support/queue/n8nQueue';
import { bothWorkers, executionsStartedBy, killWorker, restartMain } from '../support/queue/queueSetup';

/** A worker of `npm run test:queue` has this many executions at once. */
const CONCURRENCY = 5;

const RECEIPTS = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt'] };
const RECEIPTS_AND_ALERTS = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt', 'lowBalance'] };

const folder = temporaryFolder();
let relay: RelayProcess;
let credential: string;
let workflow: RelayWorkflow;
let load: SteadyReceipts | undefined;

async function post(count: number): Promise<string[]> {
	const ids = await Promise.all(Array.from({ length: count }, async () => await postReceipt(relay)));
	return ids.filter((id) => id !== undefined);
}

/** Waits until the relay has acknowledged so many more events. */
async function moreEvents({ acknowledged }: SteadyReceipts, count: number): Promise<void> {
	const { length } = acknowledged();
	await eventually(`${count} more events`, () => acknowledged().length >= length + count || undefined);
}

/** n8n registers and removes a trigger after it has responded. */
async function subscriptionHas(wanted: { readonly state: string; readonly types?: readonly string[] }): Promise<void> {
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

beforeEach(async () => {
	workflow = await createRelayWorkflow(queueApi(), credential, RECEIPTS);
	await workflow.activate();
	await subscriptionHas({ state: 'active' });
});

afterEach(async () => {
	await load?.stop();
	await workflow.deactivate();
	await subscriptionHas({ state: 'leaving' });
});

afterAll(async () => await relay.kill());

test('keeps a workflow active, and delivers its events once, if the main process starts while the relay is away', async () => {
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
	expect(events).toHaveLength(30);
	const starts = startsPerEvent(await workflow.settled(relay));
	expect(events.map((id) => starts.get(id))).toEqual(events.map(() => 1));
});

test('loses no event, and repeats none that n8n accepted, while a worker is killed and starts again', async () => {
	const workers = await bothWorkers();
	const [killed] = workers;
	if (!killed) throw new Error('There is no worker');
	load = postSteadily(relay, 5);
	const former = executionsStartedBy(killed).length;
	// More than both workers can run at once, so that the kill comes in the middle of executions.
	const burst = await post(60);
	await eventually(
		'the worker to be busy',
		() => executionsStartedBy(killed).length >= former + 3 * CONCURRENCY || undefined,
		PATIENCE_MS,
	);
	killWorker(killed);
	await moreEvents(load, 20);
	const [restarted] = (await bothWorkers()).filter(({ logFile }) => workers.every((one) => one.logFile !== logFile));
	if (!restarted) throw new Error('The worker did not start again');
	await eventually('the new worker to work', () => executionsStartedBy(restarted)[0], PATIENCE_MS);
	const events = [...burst, ...(await load.stop())];

	const starts = await expectNoneLost(workflow, relay, events);
	await expectRepeatsNotAccepted(relay, starts);
	expect(events.length - starts.size).toBeLessThanOrEqual(CONCURRENCY);
});

test('loses no event, and repeats none that n8n accepted, while a changed workflow is published under load', async () => {
	load = postSteadily(relay, 10);
	await moreEvents(load, 20);
	await workflow.publish({ parameters: RECEIPTS_AND_ALERTS });
	await subscriptionHas({ state: 'active', types: ['message.status', 'wallet.low_balance'] });
	await moreEvents(load, 20);
	await workflow.deactivate();
	await subscriptionHas({ state: 'leaving' });
	await moreEvents(load, 20);
	await workflow.activate();
	await subscriptionHas({ state: 'active' });
	await moreEvents(load, 20);
	await workflow.publish({ parameters: RECEIPTS });
	await subscriptionHas({ state: 'active', types: ['message.status'] });
	await moreEvents(load, 20);
	const events = await load.stop();

	const starts = await expectNoneLost(workflow, relay, events);
	await expectRepeatsNotAccepted(relay, starts);
	expect(events.filter((id) => !starts.has(id))).toEqual([]);
});
