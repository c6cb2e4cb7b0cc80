import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { contract, createClient } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';

/**
 * Compares the client with bare undici in one run, over loopback: the same concurrent requests for a balance and an SMS.
 * Prints ratios of throughput (goal: at least 0.9). Run: `npm run bench`.
 */
const CONNECTIONS = 8;
const CALLS = 4_000;
const ROUNDS = 7;

const balance = JSON.stringify({ success: true, balance: 40, currency: 'GHS' });
const sent = JSON.stringify(contract.sms.send.example.output);
const server = createServer((incoming, response) => {
	incoming.resume().on('end', () => {
		response.setHeader('Content-Type', 'application/json').end(incoming.method === 'GET' ? balance : sent);
	});
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`;
const dispatcher = new Agent({ connections: CONNECTIONS });
const apiKey = 'sk_sandbox_bench';
const client = createClient({ baseUrl, apiKey, transport: undiciTransport({ dispatcher }) });
const { input } = contract.sms.send.example;

const headers = { 'X-API-Key': apiKey, Accept: 'application/json' };
const bare = {
	balance: async () => {
		const { body } = await request(`${baseUrl}balance`, { dispatcher, headers });
		return await body.json();
	},
	send: async () => {
		const { body } = await request(`${baseUrl}sms/send`, {
			dispatcher,
			method: 'POST',
			headers: { ...headers, 'Content-Type': 'application/json' },
			body: JSON.stringify(input),
		});
		return await body.json();
	},
};
const ours = {
	balance: async () => await client.wallet.getBalance(),
	send: async () => await client.sms.send(input),
};

/** Concurrent calls per second. */
async function measure(call: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	let left = CALLS;
	const worker = async () => {
		while (left-- > 0) await call();
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
	return (CALLS / (performance.now() - began)) * 1000;
}

for (const kind of ['balance', 'send'] as const) {
	await measure(bare[kind]);
	await measure(ours[kind]);
	const ratios: number[] = [];
	// In turn, so other load on the machine affects both.
	for (let round = 0; round < ROUNDS; round++) {
		const theirs = await measure(bare[kind]);
		ratios.push((await measure(ours[kind])) / theirs);
	}
	ratios.sort((a, b) => a - b);
	const median = ratios[Math.floor(ROUNDS / 2)] ?? 0;
	console.log(
		`client ${kind}: ${median.toFixed(2)}x the throughput of bare undici (${ratios.map((r) => r.toFixed(2)).join(', ')})`,
	);
}
await dispatcher.close();
server.close();
