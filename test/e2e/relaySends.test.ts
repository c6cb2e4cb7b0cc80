import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { parseBaseUrl } from '../../shared';
import { gatewayEnv } from '../support/relay/gateway';
import { testCredential, type N8nApi } from '../support/e2e/n8nApi';
import { openSharedN8n, type SharedN8n } from '../support/e2e/sharedN8n';
import { eventually } from '../support/eventually';
import { startRelay, type Relay } from '../support/relay/relay';
import { sandboxControl } from '../support/sandboxControl';

const type = 'messagingServiceApi';

let server: SharedN8n;
let n8n: N8nApi;
let relay: Relay;
let sandbox: Sandbox;
let data: Record<string, string | boolean>;

/** The base URL of the relay at an address of this machine in a private network. */
function privateBaseUrl(): string {
	const { port } = new URL(relay.url);
	const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
	for (const { address, internal, family } of addresses) {
		const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/api/v1/`;
		if (!internal && 'baseUrl' in parseBaseUrl(url, 'sk_live_1', { privateOverHttp: true })) return url;
	}
	throw new Error('This machine has no address in a private network');
}

const testWith = async (more: Record<string, string | boolean> = {}) =>
	await testCredential(server.url, server, { id: '', name: 'Relay', type, data: { ...data, ...more } });

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	relay = await startRelay({ env: gatewayEnv(sandbox.baseUrl, { RELAY_HOST: '::' }) });
	server = await openSharedN8n();
	({ n8n } = server);
	data = {
		baseUrl: privateBaseUrl(),
		apiKey: sandbox.apiKey,
		authHeader: 'X-API-Key',
		baseUrlIsRelay: true,
		privateOverHttp: true,
	};
});

afterAll(async () => {
	await relay.stop();
	await sandbox.stop();
	// Nothing in n8n asked for another host.
	expect(await server.close()).toEqual([]);
});

/** Creates a workflow that returns the rows of the node to the caller of its webhook. */
async function rowsBy(parameters: object): Promise<() => Promise<Array<Record<string, unknown>>>> {
	const { id: credential } = await n8n.call<{ id: string }>('POST', '/credentials', { name: 'Relay', type, data });
	const path = randomUUID();
	const node = (name: string, type: string, parameters: object, more: object) => ({
		...{ id: randomUUID(), name, type, parameters, position: [0, 0] },
		...more,
	});
	const webhook = { path, httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' };
	const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
		name: path,
		settings: { executionOrder: 'v1' },
		connections: { Start: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
		nodes: [
			node('Start', 'n8n-nodes-base.webhook', webhook, { typeVersion: 2, webhookId: path }),
			node('Send', 'n8n-nodes-messaging-service.messagingService', parameters, {
				typeVersion: 1,
				credentials: { [type]: { id: credential, name: 'Relay' } },
			}),
		],
	});
	await n8n.call('POST', `/workflows/${id}/activate`);
	return async () => {
		// n8n reports the workflow as active before its webhook works.
		const response = await eventually('the webhook', async () => {
			const tried = await fetch(`${server.url}/webhook/${path}`, { method: 'POST' });
			return tried.status === 404 ? undefined : tried;
		});
		return z.array(z.record(z.string(), z.unknown())).parse(await response.json());
	};
}

test('tests a relay at a private address through the server of n8n, with the switches and without them', async () => {
	const live = { apiKey: 'sk_live_1' };
	expect(await testWith()).toEqual({ status: 'OK', message: 'The relay was found, and the service knows this key' });
	expect((await testWith({ ...live, privateOverHttp: false })).message).toContain('Base URL is plain http');
	const unknown = await testWith(live);
	expect(unknown.status).toBe('Error');
	expect(unknown.message).toContain('Check the API key');
	const direct = await testWith({ baseUrl: sandbox.baseUrl });
	expect(direct.message).toContain('Base URL is not the address of a relay');
});

test('returns the first message of a Send Once Key in the next execution', async () => {
	const { messages } = sandboxControl(sandbox);
	const parameters = {
		resource: 'sms',
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '+233201234567',
		options: { sendOnceKey: 'order-1' },
	};
	const send = await rowsBy({ ...parameters, operation: 'send', message: 'Your order is ready' });
	const sendBulk = await rowsBy({ ...parameters, operation: 'sendBulk', message: 'We are open' });
	const [first] = await send();
	const [firstOfBulk] = await sendBulk();
	expect([first, firstOfBulk]).toMatchObject([{ outcome: 'accepted' }, { outcome: 'accepted' }]);
	const { message_id } = first ?? {};
	const sentBefore = { outcome: 'skipped', reason: 'already_sent' };
	expect(await send()).toMatchObject([{ ...sentBefore, message_id, first_outcome: 'accepted' }]);
	expect(await sendBulk()).toMatchObject([{ ...sentBefore, to: '+233201234567', message_id: firstOfBulk?.message_id }]);
	expect(await messages()).toHaveLength(2);
});
