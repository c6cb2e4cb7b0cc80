import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { closedPort } from '../../support/closedPort';
import { startEngine, type Engine } from '../../support/n8n/engine';
import { lossyProxy } from '../../support/lossyProxy';
import { startRelay, type Relay } from '../../support/relay/relay';
import { useSandbox } from '../../support/useSandbox';
import { gatewayEnv } from '../../support/relay/gateway';

/** n8n's test of a credential with a relay as Base URL. */
const { sandbox } = useSandbox();
let relay: Relay;
let engine: Engine;
beforeAll(async () => {
	relay = await startRelay({ env: gatewayEnv(sandbox.baseUrl) });
	engine = await startEngine({});
}, 120_000);
afterAll(async () => await relay.stop());

const test = async (more: ICredentialDataDecryptedObject) =>
	await engine.testCredential('messagingServiceApi', {
		baseUrl: `${relay.url}/api/v1/`,
		apiKey: sandbox.apiKey,
		authHeader: 'X-API-Key',
		baseUrlIsRelay: true,
		...more,
	});

it.each(['X-API-Key', 'Authorization'])('accepts a relay and a known key in the header %s', async (authHeader) => {
	expect(await test({ authHeader })).toEqual({
		status: 'OK',
		message: 'The relay was found, and the service knows this key',
	});
});

it('looks for the relay without the key, beside the Base URL', async () => {
	await using proxy = await lossyProxy(relay.url);
	expect(await test({ baseUrl: `${proxy.url}/api/v1/` })).toMatchObject({ status: 'OK' });
	const [first, second, ...others] = proxy.requests;
	expect([first?.path, second?.path, others]).toEqual(['/v1/me', '/api/v1/balance', []]);
	expect(JSON.stringify(first?.headers)).not.toContain(sandbox.apiKey);
});

it('rejects a wrong key behind a relay', async () => {
	expect(await test({ apiKey: 'sk_sandbox_wrong' })).toMatchObject({ status: 'Error' });
});

it('names the switch if the address is that of the service, not of a relay', async () => {
	const { status, message } = await test({ baseUrl: sandbox.baseUrl });
	expect(status).toBe('Error');
	expect(message).toMatch(/^Base URL Is a Relay is on\. Base URL is not the address of a relay/);
});

it('names the switch if no relay responds', async () => {
	const { status, message } = await test({ baseUrl: `http://127.0.0.1:${await closedPort()}/api/v1/` });
	expect(status).toBe('Error');
	expect(message).toMatch(/^Base URL Is a Relay is on\. /);
});

it.each([false, 'false'])('does not look for a relay while the switch is %p', async (baseUrlIsRelay) => {
	const result = await test({ baseUrl: sandbox.baseUrl, baseUrlIsRelay });
	expect(result).toEqual({ status: 'OK', message: 'The service knows this key' });
});

it.each([
	['baseUrlIsRelay', 'Base URL Is a Relay'],
	['privateOverHttp', 'Allow HTTP to Private Address'],
])('rejects an expression in %s that gives neither true nor false', async (field, label) => {
	const { status, message } = await test({ [field]: 'maybe' });
	expect(status).toBe('Error');
	expect(message.startsWith(`${label} `)).toBe(true);
});

it('accepts plain http to a private address only if the switch allows it', async () => {
	const live = { baseUrl: 'http://relay.internal:1/api/v1/', apiKey: 'sk_live_1', baseUrlIsRelay: false };
	expect((await test(live)).message).toContain('plain http');
	const allowed = await test({ ...live, privateOverHttp: true });
	expect(allowed.status).toBe('Error');
	expect(allowed.message).not.toContain('plain http');
	const open = await test({ ...live, baseUrl: 'http://relay.example/api/v1/', privateOverHttp: true });
	expect(open.message).toContain('plain http');
});
