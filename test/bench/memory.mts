import { contract, createClient, mapCalls, recipientsOf } from '../../shared';

/**
 * Sends a million rate-limited messages through `client.map` to a stub, and prints the heap in use at intervals, each time
 * after a garbage collection. It must not grow. Run: `npm run bench` (needs --expose-gc).
 */
const COUNT = 1_000_000;
const response = { status: 200, headers: {}, body: JSON.stringify(contract.sms.send.example.output) };
const client = createClient({
	baseUrl: 'https://service.example',
	apiKey: 'sk_test_1',
	transport: { send: () => Promise.resolve(response), sleep: () => Promise.resolve() },
});

function* inputs() {
	for (let index = 0; index < COUNT; index++) {
		yield { ...contract.sms.send.example.input, to: `+2332${String(index).padStart(8, '0')}` };
	}
}

function heapInUse(): number {
	globalThis.gc?.();
	return process.memoryUsage().heapUsed / 1e6;
}

const heaps: number[] = [];
const began = performance.now();
for await (const { index } of mapCalls(
	(input, _, options) => client.call(contract.sms.send, input, options),
	inputs(),
	recipientsOf,
	{
		concurrency: 16,
		signal: new AbortController().signal,
	},
)) {
	if (index % 200_000 === 199_999) heaps.push(heapInUse());
}
const seconds = (performance.now() - began) / 1000;
console.log(
	`memory: ${heaps.map((heap) => heap.toFixed(1)).join(', ')} MB at each 200,000 of ${COUNT} calls (${seconds.toFixed(0)} s)`,
);
