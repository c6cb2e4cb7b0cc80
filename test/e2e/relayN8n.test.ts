import type { Subscription } from '../../relay/subscriptions/schema';
import type { N8nApi } from '../support/e2e/n8nApi';
import { openSharedN8n, type SharedN8n } from '../support/e2e/sharedN8n';
import { eventually } from '../support/eventually';
import { accept, createToken } from '../support/relay/api';
import { startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { temporaryFolder } from '../support/temporaryFolder';
import {
	createRelayWorkflow,
	openRelayWorkflow,
	PATIENCE_MS,
	postReceipt,
	postSteadily,
	type SteadyReceipts,
	startsPerEvent,
	type RelayWorkflow,
} from '../support/relay/relayWorkflow';
import { inbound } from '../support/relay/requests';

const relayFolder = temporaryFolder();
const RECEIPTS = { receiveThrough: 'relay', triggerOn: ['deliveryReceipt'] };

let server: SharedN8n;
let n8n: N8nApi;
let relay: RelayProcess;
let credential: string;

/** Ends what a test leaves, in reverse order: a test that fails must not disturb the next one. */
const leftovers: Array<() => Promise<unknown>> = [];

/** Starts the relay at its former address, which the credential has. */
async function startRelayAgain(): Promise<void> {
	relay = await startRelayProcess({ folder: relayFolder, port: Number(new URL(relay.url).port) });
}

async function activeWorkflow(parameters: object = RECEIPTS): Promise<RelayWorkflow> {
	const workflow = await createRelayWorkflow(n8n, credential, parameters);
	await activate(workflow);
	return workflow;
}

async function activate(workflow: RelayWorkflow): Promise<void> {
	leftovers.push(workflow.deactivate);
	await workflow.activate();
	await stateOf(workflow, 'active');
}

/** n8n registers and removes a trigger after it has responded. */
async function stateOf(workflow: RelayWorkflow, state: Subscription['state']): Promise<Subscription> {
	return await eventually(
		`the subscription to be ${state}`,
		async () => {
			const found = await workflow.subscription(relay);
			return found?.state === state ? found : undefined;
		},
		PATIENCE_MS,
	);
}

function startLoad(perSecond: number): SteadyReceipts {
	const load = postSteadily(relay, perSecond);
	leftovers.push(load.stop);
	return load;
}

async function postMany(count: number): Promise<string[]> {
	const ids = await Promise.all(Array.from({ length: count }, async () => await postReceipt(relay)));
	return ids.filter((id) => id !== undefined);
}

/** Expects that each event started one execution, and that no other event did. */
async function expectOnce(workflow: RelayWorkflow, events: readonly string[]): Promise<void> {
	const starts = startsPerEvent(await workflow.settled(relay));
	const wrong = events.filter((id) => starts.get(id) !== 1);
	expect(wrong.slice(0, 5).map((id) => ({ id, starts: starts.get(id) ?? 0 }))).toEqual([]);
	expect(starts.size).toBe(events.length);
}

beforeAll(async () => {
	relay = await startRelayProcess({ folder: relayFolder });
	server = await openSharedN8n();
	({ n8n } = server);
	const data = { relayUrl: relay.url, relayToken: await createToken(relay, 'n8n') };
	({ id: credential } = await n8n.call<{ id: string }>('POST', '/credentials', {
		name: 'Relay',
		type: 'messagingServiceRelayApi',
		data,
	}));
});

afterEach(async () => {
	for (const end of leftovers.splice(0).reverse()) await end();
});

afterAll(async () => {
	await relay.kill();
	// Nothing in n8n asked for another host.
	expect(await server.close()).toEqual([]);
});

test('registers at activation, starts each keyword at its output, and leaves at deactivation', async () => {
	const parameters = {
		receiveThrough: 'relay',
		triggerOn: ['inboundSms'],
		customKeywords: 'HOURS, PRICE LIST',
		routeByKeyword: true,
	};
	const outputs = ['Stop', 'Start', 'Help', 'Hours', 'Prices', 'Other'];
	const workflow = await createRelayWorkflow(n8n, credential, parameters, outputs);
	expect(await workflow.subscription(relay)).toBeUndefined();
	await activate(workflow);
	const registered = await stateOf(workflow, 'active');
	expect(registered).toMatchObject({ types: ['sms.inbound'], kind: 'n8n' });

	const words = ['Hours!', 'price list', 'STOP', 'See you at 5'];
	const bodies = words.map((message) => inbound({ message }));
	const ids: string[] = [];
	for (const body of bodies) ids.push(String((await accept(relay, body)).id));
	await accept(relay, { message_id: 'msg_other_type', status: 'delivered' });
	await expectOnce(workflow, ids);
	const executions = await workflow.executions();
	const byEvent = new Map(executions.map((execution) => [execution.events[0], execution]));
	expect(ids.map((id) => byEvent.get(id)?.ranNodes.at(-1))).toEqual(['Hours', 'Prices', 'Stop', 'Other']);
	expect(ids.map((id) => byEvent.get(id)?.items[0])).toMatchObject(
		['HOURS', 'PRICE LIST', 'stop', null].map((keyword, index) => ({
			event: 'sms.inbound',
			message: words[index],
			keyword,
			event_id: ids[index],
		})),
	);

	await workflow.deactivate();
	expect(await stateOf(workflow, 'leaving')).toMatchObject({ id: registered.id });
});

test('starts one execution with an item for each event of a batch', async () => {
	const options = { batchSize: 40 };
	const workflow = await activeWorkflow({ ...RECEIPTS, options });
	const events = await postMany(120);
	await expectOnce(workflow, events);
	const sizes = (await workflow.executions()).map(({ items }) => items.length);
	expect(Math.max(...sizes)).toBe(40);
	expect(sizes.length).toBeLessThan(12);
});

test('delivers each event to a workflow, to its copy, and to a test in the editor', async () => {
	const workflow = await activeWorkflow();
	const copy = await openRelayWorkflow(n8n, workflow.content);
	await activate(copy);
	const listening = await server.editor('POST', `/rest/workflows/${workflow.id}/run`, {
		triggerToStartFrom: { name: 'Trigger' },
	});
	expect(await listening.json()).toMatchObject({ data: { waitingForWebhook: true } });
	expect(await workflow.subscription(relay, { test: true })).toMatchObject({ state: 'active' });

	const [event = ''] = await postMany(1);
	await eventually(
		'the test to end',
		async () =>
			(await workflow.executions()).some(({ mode, events }) => mode === 'manual' && events.includes(event)) ||
			undefined,
	);
	await eventually('the subscription of the test to be removed', async () =>
		(await workflow.subscription(relay, { test: true })) ? undefined : true,
	);
	const later = await postMany(5);
	await expectOnce(workflow, [event, ...later]);
	await expectOnce(copy, [event, ...later]);
	expect((await workflow.executions()).filter(({ mode }) => mode === 'manual')).toHaveLength(1);
});

test('loses and repeats no event while a changed workflow is published under load, and runs only the new version soon', async () => {
	const VERSIONS = ['Done', 'Version 2'];
	const workflow = await activeWorkflow();
	const load = startLoad(12);
	const more = async (count: number) => {
		const enough = load.acknowledged().length + count;
		await eventually(`${enough} events`, () => load.acknowledged().length >= enough || undefined, PATIENCE_MS);
	};
	/** How many events the relay had acknowledged soon after each version ran for the first time. */
	const seenAfter = [0];
	for (const version of VERSIONS.slice(1)) {
		await more(10);
		await workflow.deactivate();
		await workflow.activate();
		await more(6);
		await workflow.publish({ outputs: [version] });
		await eventually(
			`${version} to run`,
			async () => (await workflow.latest()).some(({ ranNodes }) => ranNodes.includes(version)) || undefined,
			PATIENCE_MS,
		);
		// Requests that were in flight are acknowledged by then, so that all later events arrive after the change.
		await more(6);
		seenAfter.push(load.acknowledged().length);
	}
	await more(10);
	const events = await load.stop();
	await expectOnce(workflow, events);

	const ranNodes = new Map(
		(await workflow.executions()).map((execution) => [execution.events[0], execution.ranNodes] as const),
	);
	const ran = events.map((event) => VERSIONS.filter((version) => ranNodes.get(event)?.includes(version)));
	expect(ran.filter((versions) => versions.length !== 1)).toEqual([]);
	const numbers = ran.map(([version = '']) => VERSIONS.indexOf(version));
	expect(new Set(numbers)).toEqual(new Set(VERSIONS.keys()));
	for (const [number, after] of seenAfter.entries()) {
		expect(numbers.slice(after).filter((later) => later < number)).toEqual([]);
	}
});

test('starts each event once if the relay is killed and starts again while events wait', async () => {
	const workflow = await activeWorkflow();
	const events = await postMany(40);
	await eventually('the first executions', async () => ((await workflow.executions()).length > 5 ? true : undefined));
	await relay.kill();
	await startRelayAgain();
	expect(events).toHaveLength(40);
	await expectOnce(workflow, events);
});
