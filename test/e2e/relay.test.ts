import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { endAllDemos, readDemoMemory, startDemo, type Ready } from '../support/e2e/demo';
import { openN8nApi, type N8nApi } from '../support/e2e/n8nApi';
import { openRelayView, type RelayView } from '../support/e2e/relayView';
import { openSandboxView, type SandboxView } from '../support/e2e/sandboxView';
import { eventually } from '../support/eventually';
import { startReceiver } from '../support/relay/receiver';
import { zapierHooks, type Zap, type ZapierHooks } from '../support/zapier/zapierHooks';

const state = join(__dirname, '..', '..', '.local', 'e2e', 'relay');
const ports = ['--port', '4760', '--sandbox-port', '4780', '--relay-port', '4790'];
const kofi = '+233244000801';
const ama = '+233244000802';

let ready: Ready;
let n8n: N8nApi;
let sandbox: SandboxView;
let relay: RelayView;
/** The workflow of npm start, and one that only receives. */
let workflows: readonly [replies: string, receives: string];
let hooks: ZapierHooks;
let zaps: { readonly withoutOptOuts: Zap; readonly withOptOuts: Zap };

beforeAll(async () => {
	rmSync(state, { recursive: true, force: true });
	ready = await startDemo(['--state', state, ...ports]).ready();
	const memory = readDemoMemory(state);
	n8n = openN8nApi(ready.n8nUrl, memory.apiKey);
	sandbox = openSandboxView(ready.sandboxUrl);
	relay = openRelayView(ready);
	workflows = [memory.workflowId, await activateReceiver(memory.credentials.messagingServiceRelayApi?.id)];
	for (const id of workflows) await relay.subscriptionOf(id);

	const created = await relay.call('POST', '/tokens', { name: 'Zapier of Ama', kind: 'zapier' });
	hooks = await zapierHooks({
		base_url: `${ready.sandboxUrl}/api/v1/`,
		api_key: 'sk_sandbox_demo',
		relay_url: ready.relayUrl,
		relay_token: z.object({ token: z.string() }).parse(created).token,
	});
	zaps = {
		withoutOptOuts: await hooks.turnOn('new_inbound_sms'),
		withOptOuts: await hooks.turnOn('new_inbound_sms', { include_opt_outs: true }),
	};
});

afterAll(async () => {
	await hooks[Symbol.asyncDispose]();
	await endAllDemos();
});

/** Creates and activates a workflow with only a trigger, which receives through the relay. @returns its ID */
async function activateReceiver(credentialId: string | undefined): Promise<string> {
	const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
		name: 'Receives',
		settings: { executionOrder: 'v1' },
		connections: {},
		nodes: [
			{
				id: '4d2f9a52-35a8-4f4e-8f2b-55b0a3f0c801',
				name: 'Message',
				type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
				typeVersion: 1,
				position: [0, 0],
				webhookId: 'f2f3a3a6-63f6-49d5-a5a2-2b8a53f3c802',
				parameters: { triggerOn: ['inboundSms'], receiveThrough: 'relay' },
				credentials: { messagingServiceRelayApi: { id: credentialId, name: 'Relay' } },
			},
		],
	});
	await n8n.call('POST', `/workflows/${id}/activate`);
	return id;
}

/** Waits until each workflow has this number of executions and all have succeeded. */
async function executedTimes(count: number): Promise<void> {
	for (const id of workflows) {
		const statuses = (await n8n.executionsWhen(id, count)).map(({ status }) => status);
		expect(statuses).toEqual(Array.from({ length: count }, () => 'success'));
	}
}

/** Waits until no delivery of the relay is pending. */
async function settled(): Promise<void> {
	await eventually('all deliveries', async () => {
		const pending = (await relay.subscriptions()).map(({ health }) => health.pending);
		return pending.every((count) => count === 0) ? true : undefined;
	});
}

async function messagesTo(number: string): Promise<number> {
	return (await sandbox.messages()).filter(({ to }) => to === number).length;
}

test('one message from a phone starts two workflows and two Zaps, once each, and gets one reply', async () => {
	await sandbox.text(kofi, 'KOFISHOP', 'HOURS');
	await executedTimes(1);
	await settled();
	for (const { runs } of [zaps.withoutOptOuts, zaps.withOptOuts]) {
		expect(runs).toMatchObject([{ from: kofi, to: 'KOFISHOP', message: 'HOURS' }]);
	}
	expect(zaps.withOptOuts.runs[0]?.id).toBe(zaps.withoutOptOuts.runs[0]?.id);
	expect(await messagesTo(kofi)).toBe(1);
});

test('a receiver that is killed and comes back gets every message once, and no other receiver waits for it', async () => {
	const receiver = await startReceiver();
	const { url } = receiver;
	await relay.call('POST', '/subscriptions', { url, types: ['sms.inbound'], label: 'Receiver that is killed' });
	await receiver.close();
	const words = ['One', 'Two', 'Three'];
	for (const word of words) await sandbox.text(kofi, 'KOFISHOP', word);
	await executedTimes(1 + words.length);
	await eventually('the Zaps', () =>
		Object.values(zaps).every(({ runs }) => runs.length === 1 + words.length) ? true : undefined,
	);

	const back = await startReceiver(Number(new URL(url).port));
	try {
		const events = await back.waitFor(words.length, 120_000);
		await settled();
		expect(events.map(({ data }) => data.message).sort()).toEqual(words.sort());
		expect(back.events()).toHaveLength(words.length);
	} finally {
		await back.close();
	}
	const found = (await relay.subscriptions()).find((one) => one.url === url);
	await relay.call('DELETE', `/subscriptions/${found?.id ?? ''}`);
	await executedTimes(1 + words.length);
});

test('a STOP reaches the opt-out list of the service and the Zap that asks for it, and gets no reply', async () => {
	const before = zaps.withOptOuts.runs.length;
	await sandbox.text(ama, 'KOFISHOP', 'Stop!');
	await eventually('the opt-out', async () => {
		const optOuts = await sandbox.control<Array<{ number: string }>>('GET', '/opt-outs');
		return optOuts.some(({ number }) => number === ama) ? true : undefined;
	});
	await executedTimes(5);
	await settled();
	expect(zaps.withOptOuts.runs.slice(before)).toMatchObject([{ from: ama, message: 'Stop!', keyword: 'stop' }]);
	expect(zaps.withoutOptOuts.runs).toHaveLength(before);
	expect(await messagesTo(ama)).toBe(0);

	const headers = { 'X-API-Key': 'sk_sandbox_demo', 'content-type': 'application/json' };
	const body = JSON.stringify({ to: ama, message: 'Hello', sender_id: 'KOFISHOP' });
	const send = await fetch(`${ready.sandboxUrl}/api/v1/sms/send`, { method: 'POST', headers, body });
	expect(send.status).toBe(422);
});

test('a Zap that is turned off gets nothing more', async () => {
	const before = zaps.withoutOptOuts.runs.length;
	await zaps.withOptOuts.turnOff();
	const stopped = zaps.withOptOuts.runs.length;
	await sandbox.text(kofi, 'KOFISHOP', 'Four');
	await executedTimes(6);
	await settled();
	expect(zaps.withoutOptOuts.runs).toHaveLength(before + 1);
	expect(zaps.withOptOuts.runs).toHaveLength(stopped);
});
