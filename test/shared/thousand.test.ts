import { contract, createClient, mapCalls, recipientsOf, type MakeCall } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { stubServer, type StubResponse } from '../support/stubServer';

const accepted: StubResponse = { status: 200, body: JSON.stringify(contract.sms.send.example.output) };
const faults: StubResponse[] = [
	'reset before reading',
	'reset after reading',
	'truncate',
	{ status: 500, body: '{}' },
	{ status: 200, body: '<html>' },
	{ status: 429, headers: { 'Retry-After': '0' }, body: '{}' },
	{ status: 429, headers: { 'Retry-After': new Date(0).toUTCString() }, body: '{}' },
	{ status: 429, headers: { 'Retry-After': 'soon' }, body: '{}' },
	{ status: 429, body: '{}' },
	{ status: 422, body: '{"message": "no"}' },
];

it('sends each of a thousand messages at most once, except after a 429, over sockets that fail in every way', async () => {
	const script = Array.from(
		{ length: 3000 },
		(_, index) => [accepted, ...faults][(index * 7) % (faults.length + 1)] ?? accepted,
	);
	await using server = await stubServer(...script);
	const client = createClient({
		baseUrl: server.baseUrl,
		apiKey: 'sk_test_1',
		transport: undiciTransport(),
		retry: { attempts: 15, baseMs: 1 },
	});
	const inputs = Array.from({ length: 1000 }, (_, index) => ({
		...contract.sms.send.example.input,
		to: `+23320${String(index).padStart(7, '0')}`,
	}));
	const make: MakeCall<(typeof inputs)[number], unknown> = (input, _, options) =>
		client.call(contract.sms.send, input, options);
	const tally: Record<string, number> = {};
	for await (const { outcome } of mapCalls(make, inputs, recipientsOf, { concurrency: 8 })) {
		tally[outcome] = (tally[outcome] ?? 0) + 1;
	}
	// Requests read in full, by recipient, without the rejections (429) after which a retry is right.
	const read = new Map<string, number>();
	for (const { body, answered } of server.received) {
		const { to } = JSON.parse(body) as { to: string };
		if (answered !== 429) read.set(to, (read.get(to) ?? 0) + 1);
	}
	expect(Math.max(...read.values())).toBe(1);
	expect(Object.values(tally).reduce((sum, count) => sum + count)).toBe(1000);
	for (const outcome of ['accepted', 'rejected', 'unknown']) expect(tally[outcome]).toBeGreaterThan(50);
});
