import {
	contract,
	createClient,
	readRecipients,
	recipientResults,
	sendBatches,
	summarize,
	type BatchResult,
	type HttpResponse,
} from '../../../shared';
import { planBatches } from '../../../shared/bulk/batches';
import { virtualTime } from '../../support/virtualTime';

const text = { sender_id: 'KOFISHOP', message: 'Akwaaba' };
const number = (index: number) => `+23320${String(index).padStart(7, '0')}`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => number(index));
const recipientsOf = (value: readonly string[]) => readRecipients([{ value, source: 0 }], {}).recipients;
const json = (status: number, body: unknown): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });

/** Sends to a service that rejects a request with a recipient from `out`, with a body that the test chooses. */
async function send(
	to: readonly string[],
	out: readonly string[],
	words: (found: readonly string[]) => string,
	{ size = 1000, signal, stopAfter = Infinity }: { size?: number; signal?: AbortSignal; stopAfter?: number } = {},
) {
	const requests: string[][] = [];
	const stopping = new AbortController();
	const { transport } = virtualTime((request) => {
		const asked = (JSON.parse(request.body ?? '{}') as { to: string[] }).to;
		requests.push(asked);
		if (requests.length >= stopAfter) stopping.abort();
		const found = asked.filter((one) => out.includes(one));
		return Promise.resolve(
			found.length > 0
				? json(422, { code: 'opted_out', message: words(found) })
				: json(200, { batch_id: `b${requests.length}` }),
		);
	});
	const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport });
	const results: BatchResult[] = await Array.fromAsync(
		sendBatches(
			// A signal that ends the run must not cancel requests in flight.
			async ({ input }) => await client.call(contract.sms.sendBulk, input),
			planBatches(recipientsOf(to), text, size),
			{ concurrency: 1, skipRejectedNumbers: true, signal: signal ?? stopping.signal },
		),
	);
	const rows = results.flatMap(recipientResults).sort((a, b) => a.position - b.position);
	const of = (outcome: string) => rows.filter((row) => row.outcome === outcome).map((row) => row.to);
	return { requests, results, rows, of, summary: summarize(results, rows) };
}

const accepted = (requests: readonly string[][], out: readonly string[]) =>
	requests.filter((to) => !to.some((one) => out.includes(one))).flat();

describe('a rejected request whose response names the rejected numbers', () => {
	const out = [number(3), number(500), number(998)];

	it.each<[string, (found: readonly string[]) => string]>([
		['in E.164', (found) => `${found.join(', ')} have opted out`],
		['without the plus', (found) => `Opted out: ${found.map((one) => one.slice(1)).join(' ')}`],
		['as at home', (found) => `Opted out: ${found.map((one) => `0${one.slice(4)}`).join('; ')}.`],
		[
			'in groups',
			(found) =>
				found.map((one) => `${one.slice(0, 4)} ${one.slice(4, 6)} ${one.slice(6, 9)}-${one.slice(9)}`).join(', '),
		],
	])('resends a rejected request once, without the named numbers: %s', async (_, words) => {
		const { requests, of, summary } = await send(numbers(1000), out, words);
		expect(requests).toHaveLength(2);
		expect(of('rejected')).toEqual(out);
		expect(of('accepted')).toHaveLength(997);
		expect(accepted(requests, out)).toHaveLength(997);
		expect(summary.requests).toBe(2);
	});

	it('needs one more request for each number if the response names only the first', async () => {
		const { requests, of } = await send(numbers(1000), out, ([first]) => `${first} has opted out`);
		expect(requests).toHaveLength(4);
		expect(of('rejected')).toEqual(out);
		expect(new Set(accepted(requests, out)).size).toBe(997);
	});

	it('halves a request if the response names no number, and counts every sent request', async () => {
		const { requests, of, summary } = await send(numbers(100), [number(3)], () => 'A recipient has opted out');
		expect(of('rejected')).toEqual([number(3)]);
		expect(of('accepted')).toHaveLength(99);
		expect(requests.length).toBeGreaterThan(10);
		expect(summary.requests).toBe(requests.length);
	});

	it.each<[string, string]>([
		['a code that is no number', 'Request 4711 failed, error 20112233'],
		['too few digits', 'Number ending in 0000003 has opted out'],
		['a number that is not in the request', '+233209999999 has opted out'],
		['every number in the request', `Not sent to ${numbers(4).join(', ')}`],
	])('removes no recipient for %s', async (_, words) => {
		const { requests, of } = await send(numbers(4), [number(3)], () => words);
		expect(requests[1]).toHaveLength(2);
		expect(of('rejected')).toEqual([number(3)]);
		expect(of('accepted')).toEqual(numbers(3));
	});

	it('removes no recipient for digits at the end of two numbers', async () => {
		const both = ['+233201234567', '+254201234567'];
		const { of } = await send([...both, number(1)], [both[0] ?? ''], () => '0201234567 has opted out');
		expect(of('rejected')).toEqual([both[0]]);
		expect(of('accepted')).toEqual([both[1], number(1)]);
	});

	it('reports the other numbers as not attempted if the run ends before the second request', async () => {
		const { requests, rows, of, summary } = await send(
			numbers(10),
			[number(3)],
			([first]) => `${first} has opted out`,
			{ stopAfter: 1 },
		);
		expect(requests).toHaveLength(1);
		expect(of('rejected')).toEqual([number(3)]);
		expect(of('not_attempted')).toHaveLength(9);
		expect(rows).toHaveLength(10);
		expect(summary.requests).toBe(1);
	});

	it('does not count a request that was not sent', async () => {
		const { requests, summary } = await send([number(1), `+${'9'.repeat(20)}`], [], () => '');
		expect(requests).toHaveLength(1);
		expect(summary.requests).toBe(1);
		const results: BatchResult[] = [];
		const client = createClient({
			baseUrl: 'https://service.example',
			apiKey: 'sk_test_1',
			transport: virtualTime(() => Promise.reject(new Error('a request left'))).transport,
		});
		const batches = planBatches(recipientsOf([number(1)]), { ...text, message: '' });
		for await (const result of sendBatches(
			async ({ input }) => await client.call(contract.sms.sendBulk, input),
			batches,
		))
			results.push(result);
		expect(summarize(results, results.flatMap(recipientResults))).toMatchObject({ rejected: 1, requests: 0 });
	});
});
