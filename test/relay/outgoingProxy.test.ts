import { startOutgoingProxy, type OutgoingProxy } from '../support/outgoingProxy';
import { eventually } from '../support/eventually';
import { accept, eventWhere, subscribe } from '../support/relay/api';
import { gatewayEnv, sendThrough } from '../support/relay/gateway';
import { startReceiver } from '../support/relay/receiver';
import { startRelayProcess, type RelayProcess } from '../support/relay/relayProcess';
import { inbound, receipt } from '../support/relay/requests';

describe('a relay behind a proxy for outgoing requests', () => {
	let proxy: OutgoingProxy;
	let relay: RelayProcess;

	beforeAll(async () => {
		proxy = await startOutgoingProxy();
		const env = gatewayEnv('https://service.example.test/api/v1', {
			...proxy.env,
			RELAY_CALLBACK_URL: 'https://callback.example.test/hook',
		});
		relay = await startRelayProcess({ env });
	});
	afterAll(async () => {
		await relay.kill();
		await proxy[Symbol.asyncDispose]();
	});

	it('calls the service through the proxy, and knows that a rejected call did not leave', async () => {
		const { status, outcome, text } = await sendThrough(relay, undefined, { key: 'proxied' });
		expect([status, outcome]).toEqual([502, 'rejected']);
		expect(text).toContain('PROXY_REJECTED');
		expect(proxy.targets).toContain('service.example.test:443');
	});

	it('delivers and forwards through the proxy, and to receivers of RELAY_ALLOW without it', async () => {
		const receiver = await startReceiver();
		const types = ['message.status'];
		await subscribe(relay, { url: 'https://hooks.example.test/one', types });
		await subscribe(relay, { url: receiver.url, types });
		const { id } = await accept(relay, receipt('proxied', 'sent'));
		await accept(relay, inbound(), { path: '/sms' });
		await receiver.waitFor(1);
		await receiver.close();
		const { deliveries } = await eventWhere(relay, id ?? '', (event) =>
			event.deliveries.every(({ attempts }) => attempts > 0),
		);
		const errors = deliveries.flatMap(({ tries }) => tries.map(({ error }) => error));
		expect(errors).toContain('The proxy did not connect to the receiver');
		await eventually(
			'forwards',
			() =>
				['hooks', 'callback', 'service'].every((name) => proxy.targets.includes(`${name}.example.test:443`)) ||
				undefined,
		);
		expect(new Set(proxy.targets).size).toBe(3);
	});
});
