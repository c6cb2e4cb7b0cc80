import { contract, createClient, endpoints, type HttpRequest, type Transport } from '../../shared';

/** A client whose requests are recorded. All paths respond as the endpoint's example, and with the given headers. */
function recording(body: unknown, headers: Record<string, string>, relay?: boolean) {
	const requests: HttpRequest[] = [];
	const transport: Transport = {
		send: (request) => {
			requests.push(request);
			return Promise.resolve({ status: 200, headers, body: JSON.stringify(body) });
		},
		sleep: () => Promise.resolve(),
	};
	const client = createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1',
		transport,
		...(relay !== undefined && { relay }),
	});
	return { client, requests };
}

const keysIn = ({ headers, body }: HttpRequest) => [
	...Object.keys(headers).filter((name) => /idempoten/i.test(name)),
	...(/idempoten/i.test(body ?? '') ? ['body'] : []),
];

/** Whether a request only asks for a relay. */
const looksForRelay = ({ headers }: HttpRequest) => headers['Relay-Attempt'] === '0';

const relayHeaders = { 'relay-version': '1', 'relay-outcome': 'accepted' };

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_, endpoint) => {
	it.each([undefined, false])(
		'carries no idempotency key with the option relay: %s, even at a relay',
		async (relay) => {
			const { client, requests } = recording(endpoint.example.output, relayHeaders, relay);
			await client.call(endpoint, endpoint.example.input);
			expect(requests.map(keysIn)).toEqual([[]]);
		},
	);

	it('carries a key to a relay if it may cost or change something', async () => {
		const { client, requests } = recording(endpoint.example.output, relayHeaders, true);
		await client.call(endpoint, endpoint.example.input);
		const sent = requests.filter((request) => !looksForRelay(request));
		expect(sent.map(keysIn)).toEqual([endpoint.repeat === 'once' ? ['Idempotency-Key'] : []]);
	});
});

const message = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open' };

describe('a client for a relay', () => {
	it('sends nothing to an address that is not that of a relay', async () => {
		const { client, requests } = recording({ success: true }, {}, true);
		const outcome = await client.call(contract.sms.send, message);
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		// It has neither a key nor a body, so the service could send nothing.
		expect(requests).toEqual([
			{
				method: 'POST',
				url: 'https://service.example/api/v1/sms/send',
				headers: { Accept: 'application/json', 'Relay-Attempt': '0' },
				timeoutMs: 30_000,
				withoutKey: true,
			},
		]);
	});

	it('proves the relay without the API key, and only once', async () => {
		const { client, requests } = recording(contract.sms.send.example.output, relayHeaders, true);
		await client.call(contract.sms.send, message);
		await client.call(contract.sms.send, message);
		const proofs = requests.filter(looksForRelay);
		expect(proofs).toHaveLength(1);
		expect(JSON.stringify(proofs)).not.toContain('sk_test_1');
	});
});

describe('an idempotency key of the caller', () => {
	it('is rejected without a relay, and nothing is sent', async () => {
		const { client, requests } = recording(contract.sms.send.example.output, relayHeaders);
		const outcome = await client.call(contract.sms.send, message, { idempotencyKey: 'order-1' });
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		expect(requests).toEqual([]);
	});

	it.each([
		['empty', ''],
		['too long', 'k'.repeat(256)],
		['of other characters', 'Bestellung für Kofi'],
	])('is rejected if it is %s, without repeating it', async (_, idempotencyKey) => {
		const { client, requests } = recording(contract.sms.send.example.output, relayHeaders, true);
		const outcome = await client.call(contract.sms.send, message, { idempotencyKey });
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		if (idempotencyKey !== '') expect(JSON.stringify(outcome)).not.toContain(idempotencyKey);
		expect(requests).toEqual([]);
	});
});

describe('the time that a message was moved from', () => {
	const bulk = { ...message, to: [message.to], schedule_at: '2031-12-01 08:00:00' };

	it.each([
		['one key', { idempotencyKey: 'order-1' }],
		['a key for each recipient', { idempotencyKeys: ['order-1'] }],
	])('goes beside the key, and only if it is given: %s', async (_, keys) => {
		const body = { ...contract.sms.sendBulk.example.output, relay: { skipped: [] } };
		const { client, requests } = recording(body, relayHeaders, true);
		await client.call(contract.sms.sendBulk, bulk, { ...keys, movedFrom: 'now' });
		await client.call(contract.sms.sendBulk, bulk, { ...keys, movedFrom: '2031-11-30 21:00:00' });
		await client.call(contract.sms.sendBulk, bulk, keys);
		const sent = requests.filter((request) => !looksForRelay(request));
		expect(sent.map(({ headers }) => headers['Relay-Moved-From'])).toEqual(['now', '2031-11-30 21:00:00', undefined]);
	});

	it.each([
		['is no time', { idempotencyKey: 'a', movedFrom: 'tomorrow' }],
		['is without a key', { movedFrom: 'now' }],
	])('is rejected if it %s, and nothing is sent', async (_, options) => {
		const { client, requests } = recording(contract.sms.sendBulk.example.output, relayHeaders, true);
		const outcome = await client.call(contract.sms.sendBulk, bulk, options);
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		expect(JSON.stringify(outcome)).toContain('movedFrom');
		expect(requests).toEqual([]);
	});
});

describe('the maximum age of an idempotency key', () => {
	it.each([
		['sms.send', contract.sms.send, message, { idempotencyKey: 'order-1' }],
		['sms.sendBulk', contract.sms.sendBulk, { ...message, to: [message.to] }, { idempotencyKeys: ['order-1'] }],
	])('goes beside the key, and only if it is given: %s', async (_, endpoint, input, keys) => {
		const body = { ...endpoint.example.output, relay: { skipped: [] } };
		const { client, requests } = recording(body, relayHeaders, true);
		await client.call(endpoint, input, { ...keys, keyMaxAgeSeconds: 300 });
		await client.call(endpoint, input, keys);
		const sent = requests.filter((request) => !looksForRelay(request));
		expect(sent.map(({ headers }) => headers['Relay-Key-Max-Age'])).toEqual(['300', undefined]);
	});

	it.each([
		['is 0', { idempotencyKey: 'a', keyMaxAgeSeconds: 0 }],
		['has a fraction', { idempotencyKey: 'a', keyMaxAgeSeconds: 1.5 }],
		['is too high', { idempotencyKey: 'a', keyMaxAgeSeconds: 1_000_000 }],
		['is without a key', { keyMaxAgeSeconds: 300 }],
	])('is rejected if it %s, and nothing is sent', async (_, options) => {
		const { client, requests } = recording(contract.sms.send.example.output, relayHeaders, true);
		const outcome = await client.call(contract.sms.send, message, options);
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		expect(JSON.stringify(outcome)).toContain('keyMaxAgeSeconds');
		expect(requests).toEqual([]);
	});

	it('is rejected without a relay, and nothing is sent', async () => {
		const { client, requests } = recording(contract.sms.send.example.output, relayHeaders);
		const outcome = await client.call(contract.sms.send, message, { keyMaxAgeSeconds: 300 });
		expect(outcome).toMatchObject({ outcome: 'rejected', error: { sent: 'no' } });
		expect(requests).toEqual([]);
	});
});
