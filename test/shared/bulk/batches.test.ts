import {
	contract,
	createClient,
	readRecipients,
	recipientResults,
	sendBatches,
	skippedResults,
	summarize,
	type Batch,
	type BatchResult,
	type HttpResponse,
} from '../../../shared';
import { planBatches, type BatchOptions } from '../../../shared/bulk/batches';
import { virtualTime } from '../../support/virtualTime';

const text = { sender_id: 'KOFISHOP', message: 'Akwaaba' };
const number = (index: number) => `+23320${String(index).padStart(7, '0')}`;
const listOf = (count: number) =>
	readRecipients([{ value: Array.from({ length: count }, (_, index) => number(index)), source: 0 }], {}).recipients;
const json = (status: number, body: unknown): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });
const taken = (to: readonly string[]) => json(200, { batch_id: `b${to[0]}`, status: 'queued', cost: to.length * 0.1 });

/** A service that responds to each batch according to its recipients. */
function service(reply: (to: readonly string[]) => HttpResponse) {
	const requests: string[][] = [];
	const { transport } = virtualTime((request) => {
		const { to } = JSON.parse(request.body ?? '{}') as { to: string[] };
		requests.push(to);
		return Promise.resolve(reply(to));
	});
	const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport });
	const send = async (batches: Batch[], options?: BatchOptions): Promise<BatchResult[]> =>
		await Array.fromAsync(
			sendBatches(async ({ input }, _, call) => await client.call(contract.sms.sendBulk, input, call), batches, {
				concurrency: 1,
				...options,
			}),
		);
	return { asked: requests, send };
}

const rows = (results: readonly BatchResult[]) =>
	results
		.flatMap(recipientResults)
		.sort((a, b) => a.position - b.position)
		.map(({ to, outcome }) => [to, outcome]);

describe('sendBatches', () => {
	it.each([
		[1, 1000, 1],
		[1000, 1000, 1],
		[1001, 1000, 2],
		[10, 3, 4],
	])('splits %i recipients into requests of at most %i', async (count, size, requests) => {
		const { asked, send } = service(taken);
		await send(planBatches(listOf(count), text, size));
		expect(asked).toHaveLength(requests);
		expect(asked.flat()).toEqual(listOf(count).map(({ to }) => to));
	});

	it('reports each recipient of a rejected batch as rejected, and does not resend the batch', async () => {
		const { asked, send } = service((to) =>
			to.includes(number(4)) ? json(422, { message: `${number(4)} has opted out` }) : taken(to),
		);
		const results = await send(planBatches(listOf(6), text, 3));
		expect(asked).toHaveLength(2);
		expect(rows(results).map(([, outcome]) => outcome)).toEqual([
			...Array<string>(3).fill('accepted'),
			...Array<string>(3).fill('rejected'),
		]);
	});

	it('finds the rejected numbers by halves, and sends no message twice', async () => {
		const out = [number(2), number(7)];
		const { asked, send } = service((to) =>
			to.some((one) => out.includes(one)) ? json(422, { message: 'opted out' }) : taken(to),
		);
		const results = await send(planBatches(listOf(10), text, 10), { skipRejectedNumbers: true });
		const failed = rows(results).filter(([, outcome]) => outcome !== 'accepted');
		expect(failed).toEqual(out.map((to) => [to, 'rejected']));
		const accepted = asked.filter((to) => !to.some((one) => out.includes(one))).flat();
		expect(accepted.sort()).toEqual(
			listOf(10)
				.map(({ to }) => to)
				.filter((to) => !out.includes(to)),
		);
		expect(new Set(results.map(({ input }) => input.name)).size).toBe(results.length);
	});

	it.each([
		['an empty wallet', 422, { code: 'insufficient_balance', message: 'Insufficient balance' }],
		['a sender that is not approved', 422, { code: 'sender_not_approved', message: 'Sender ID not approved' }],
		['a server error', 500, { message: 'Oops' }],
		['a failure in a 200 without numbers', 200, { success: false, message: 'Some failed' }],
		['a rejection with a batch ID', 422, { message: '1 recipient has opted out', batch_id: 'b1' }],
		['a rejection with a cost', 422, { message: 'Some failed', data: { cost: 0.1 } }],
		['a rejection that says queued', 422, { message: 'Some failed', status: 'queued' }],
		['a rate limit with a batch ID', 429, { message: 'Too fast', batch_id: 'b1' }],
	])('splits no batch after %s', async (_, status, body: object) => {
		const { asked, send } = service(() => json(status, body));
		const results = await send(planBatches(listOf(4), text, 4), { skipRejectedNumbers: true });
		expect(asked).toHaveLength(1);
		const certain = 'code' in body || 'success' in body;
		expect(rows(results).every(([, outcome]) => outcome === (certain ? 'rejected' : 'unknown'))).toBe(true);
	});

	it.each([
		[100, 1000],
		[1000, 1000],
		[10_000, 1000],
		[1000, 50],
	])('stops in the words of a gateway that is down, with %i recipients in requests of %i', async (count, size) => {
		const { asked, send } = service(() => json(422, { code: 'failed_send', message: 'The gateway is down.' }));
		const results = await send(planBatches(listOf(count), text, size), { skipRejectedNumbers: true });
		const planned = Math.ceil(count / size);
		expect(asked.length).toBeLessThanOrEqual(planned + 45);
		expect(rows(results)).toHaveLength(count);
		for (const result of results) {
			const error = result.outcome === 'not_attempted' ? result.reason : 'error' in result && result.error;
			expect(error).toMatchObject({ message: expect.stringContaining('The gateway is down') as string });
		}
	});

	it('stops if the gateway goes down in the middle of a run', async () => {
		let left = 3;
		const { asked, send } = service((to) => (left-- > 0 ? taken(to) : json(422, { message: 'The gateway is down.' })));
		const results = await send(planBatches(listOf(10_000), text, 1000), { skipRejectedNumbers: true });
		expect(asked.length).toBeLessThan(65);
		expect(rows(results).filter(([, outcome]) => outcome === 'accepted')).toHaveLength(3000);
	});

	it('reports the rejection of the batch if its parts get a 429', async () => {
		let first = true;
		const { send } = service(() => {
			const reply = first ? json(422, { message: 'Some number is wrong.' }) : json(429, { message: 'Too many' });
			first = false;
			return reply;
		});
		const results = await send(planBatches(listOf(10), text), { skipRejectedNumbers: true });
		const reasons = results.map((result) => (result.outcome === 'not_attempted' ? result.reason : undefined));
		expect(reasons.map((reason) => (reason instanceof Error ? reason.message : reason))).toEqual(
			results.map(() => 'Some number is wrong.'),
		);
	});

	it.each([0.01, 0.3, 0.5])('finds rejected numbers that no response names, for a share of %d', async (share) => {
		const wrong = (to: string) => (Number(to.slice(-4)) * 7919) % 100 < share * 100;
		const { send } = service((to) => (to.some(wrong) ? json(422, { message: 'A number is wrong.' }) : taken(to)));
		const all = listOf(500);
		const results = await send(planBatches(all, text), { skipRejectedNumbers: true });
		expect(rows(results)).toEqual(all.map(({ to }) => [to, wrong(to) ? 'rejected' : 'accepted']));
	});

	it.each([760, 240])('sends to the right numbers of a list whose first %i are wrong', async (count) => {
		const out = new Set(listOf(count).map(({ to }) => to));
		const { send } = service((to) =>
			to.some((one) => out.has(one)) ? json(422, { message: 'A number is wrong.' }) : taken(to),
		);
		const results = await send(planBatches(listOf(1000), text), { skipRejectedNumbers: true });
		expect(rows(results).filter(([, outcome]) => outcome === 'accepted')).toHaveLength(1000 - count);
	});

	it('stops after an unknown batch if failures end the run, but not after rejected numbers', async () => {
		const { asked, send } = service((to) => {
			if (to.includes(number(5))) return json(500, { message: 'Oops' });
			return to.includes(number(0)) ? json(422, { message: 'opted out' }) : taken(to);
		});
		const options = { skipRejectedNumbers: true, stopOnFailure: true };
		const results = await send(planBatches(listOf(6), text, 2), options);
		expect(asked).toEqual([
			[number(0), number(1)],
			[number(2), number(3)],
			[number(4), number(5)],
		]);
		expect(rows(results).map(([, outcome]) => outcome)).toEqual([
			...Array<string>(2).fill('not_attempted'),
			...Array<string>(2).fill('accepted'),
			...Array<string>(2).fill('unknown'),
		]);
	});

	it('attempts no further batch after the wallet is empty', async () => {
		const { asked, send } = service((to) =>
			to.includes(number(0)) ? taken(to) : json(402, { code: 'insufficient_balance', message: 'Top up' }),
		);
		const results = await send(planBatches(listOf(6), text, 2), { skipRejectedNumbers: true });
		expect(asked).toHaveLength(2);
		expect(results.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'not_attempted']);
	});
});

describe('the report of a bulk send', () => {
	it('reads the result of each number from the response', async () => {
		const { send } = service(() =>
			json(200, {
				batch_id: 7,
				results: [
					{ to: number(0).slice(1), message_id: 'm0', status: 'queued' },
					{ to: number(1), message_id: null, status: 'failed', error: 'Unreachable' },
					{ to: number(2), message_id: null, status: 'on hold' },
				],
				skipped: [number(4)],
			}),
		);
		const results = await send(planBatches(listOf(5), text));
		expect(results.flatMap(recipientResults)).toMatchObject([
			{ outcome: 'accepted', message_id: 'm0', batch_id: '7', status: 'queued' },
			{ outcome: 'rejected', message: 'Unreachable', status: 'failed' },
			{ outcome: 'unknown', error: { message: 'The service responded with "on hold" for this number.' } },
			{ outcome: 'accepted', batch_id: '7' },
			{ outcome: 'skipped', reason: 'skipped_by_service' },
		]);
	});

	it.each([
		['rejected', 'rejected'],
		['invalid_numbers', 'rejected'],
		['opted_out', 'rejected'],
		['skipped', 'skipped'],
	])('reads a list of numbers under %s', async (key, outcome) => {
		const { send } = service(() => json(200, { batch_id: 'b', accepted: [number(0)], [key]: [number(1), 'x', null] }));
		const results = await send(planBatches(listOf(3), text));
		// The third number is not in the list of accepted ones, and the failure has no number.
		expect(rows(results).map(([, reported]) => reported)).toEqual(['accepted', outcome, 'unknown']);
	});

	it('adds up costs without binary rounding errors', async () => {
		const { recipients, skipped } = readRecipients([{ value: ['0201234567', '0201234567', 'x'], source: 0 }], {});
		const { send } = service(() => json(200, { batch_id: 'b', cost: '0.1', balance: 39.9 }));
		const [one] = await send(planBatches(recipients, { ...text, message: 'x'.repeat(161) }));
		if (!one) throw new Error('no result');
		const all = [...recipientResults(one), ...skippedResults(skipped)];
		expect(summarize([one, one, one], all)).toEqual({
			total: 3,
			accepted: 1,
			rejected: 0,
			unknown: 0,
			not_attempted: 0,
			skipped: 2,
			skipped_by_reason: { duplicate: 1, invalid_number: 1 },
			requests: 3,
			total_segments: 6,
			cost: 0.3,
			balance: 39.9,
		});
	});

	it('gives the lowest balance of all responses, because they arrive in any order', async () => {
		const balances = [39.85, 39.75, 39.8];
		const { send } = service(() => json(200, { batch_id: 'b', balance: balances.pop() }));
		const results = await send(planBatches(listOf(3), text, 1));
		expect(balances).toEqual([]);
		expect(summarize(results, results.flatMap(recipientResults)).balance).toBe(39.75);
	});

	it('gives no total cost if a batch has none', async () => {
		const { send } = service((to) => (to.includes(number(0)) ? taken(to) : json(200, { batch_id: 'b' })));
		const results = await send(planBatches(listOf(2), text, 1));
		expect(summarize(results, results.flatMap(recipientResults))).not.toHaveProperty('cost');
	});
});
