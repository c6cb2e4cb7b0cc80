import {
	contract,
	createClient,
	mapCalls,
	recipientsOf,
	throttledTransport,
	type Client,
	type HttpResponse,
	type InputOf,
	type MapOptions,
	type MapResult,
} from '../../shared';
import { virtualTime } from '../support/virtualTime';

type Send = typeof contract.sms.send;
const { input: example } = contract.sms.send.example;
const to = (number: number) => `+2332${String(number).padStart(8, '0')}`;
const inputs = (count: number): Array<InputOf<Send>> =>
	Array.from({ length: count }, (_, index) => ({ ...example, to: to(index) }));
const response = (status: number, body: unknown, headers = {}): HttpResponse => ({
	status,
	headers,
	body: JSON.stringify(body),
});
const accepted = (recipient: string) => response(200, { message_id: recipient, status: 'submitted' });

/** A service in virtual time that takes 10 ms for each call, and records the calls in flight. */
function service(reply: (recipient: string, call: number) => HttpResponse = accepted, perSecond?: number) {
	const seen: string[] = [];
	const leftAt: number[] = [];
	const underWay = new Set<string>();
	let most = 0;
	let duplicated = false;
	const time = virtualTime(async (request) => {
		const { to: recipient } = JSON.parse(request.body ?? '{}') as { to: string };
		const call = seen.push(recipient);
		leftAt.push(time.now());
		duplicated ||= underWay.has(recipient);
		underWay.add(recipient);
		most = Math.max(most, underWay.size);
		await time.wait(10);
		underWay.delete(recipient);
		return reply(recipient, call);
	});
	const client = createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1',
		transport: throttledTransport(time.transport, { perSecond, basePauseMs: 1, longestPauseMs: 30_000 }),
		retry: { baseMs: 1 },
	});
	return { client, seen, leftAt, most: () => most, doubled: () => duplicated };
}

async function collect(
	{ client }: ReturnType<typeof service>,
	all: Iterable<InputOf<Send>>,
	options?: MapOptions,
): Promise<Array<MapResult<InputOf<Send>, unknown>>> {
	return await Array.fromAsync(sendAll(client, all, options));
}

function sendAll(client: Client, all: Iterable<InputOf<Send>>, options: MapOptions = {}) {
	return mapCalls((input, _, call) => client.call(contract.sms.send, input, call), all, recipientsOf, options);
}

const outcomes = (results: ReadonlyArray<MapResult<InputOf<Send>, unknown>>) => results.map(({ outcome }) => outcome);

describe('mapCalls', () => {
	it('gives a result for each input in order, whatever the duration of each call', async () => {
		const sandbox = service();
		const all = inputs(50);
		const results = await collect(sandbox, all, { concurrency: 7 });
		expect(results.map(({ index, input }) => [index, input.to])).toEqual(all.map((input, index) => [index, input.to]));
		expect(new Set(outcomes(results))).toEqual(new Set(['accepted']));
		expect(sandbox.most()).toBe(7);
	});

	it('never has two messages to one recipient in flight', async () => {
		const sandbox = service();
		const all = Array.from({ length: 60 }, (_, index) => ({ ...example, to: to(index % 3) }));
		const results = await collect(sandbox, all, { concurrency: 8 });
		expect(sandbox.doubled()).toBe(false);
		expect(sandbox.most()).toBe(3);
		expect(outcomes(results).filter((outcome) => outcome === 'accepted')).toHaveLength(60);
	});

	it('keeps the order of the inputs if one recipient has two of them', async () => {
		const [a, b, c] = inputs(3);
		for (const concurrency of [1, 2]) {
			const sandbox = service();
			await collect(
				sandbox,
				[a, a, b, c, a].flatMap((input) => input ?? []),
				{ concurrency },
			);
			const order = concurrency === 1 ? [0, 0, 1, 2, 0] : [0, 1, 0, 2, 0];
			expect(sandbox.seen).toEqual(order.map(to));
		}
	});

	it('distinguishes accepted, rejected and unknown', async () => {
		const sandbox = service((recipient) => {
			if (recipient === to(1)) return response(422, { message: 'No' });
			if (recipient === to(2)) return response(500, {});
			return accepted(recipient);
		});
		const wrong = { ...example, to: 'Kofi' };
		const results = await collect(sandbox, [...inputs(4), wrong]);
		expect(outcomes(results)).toEqual(['accepted', 'rejected', 'unknown', 'accepted', 'rejected']);
	});

	it.each([
		['a rejected key', response(401, { message: 'Revoked' }), 'AuthError'],
		['an empty wallet', response(422, { code: 'insufficient_balance', message: 'Empty' }), 'InsufficientBalanceError'],
	])('starts no further call after %s', async (_, rejection, name) => {
		const sandbox = service((recipient, call) => (call <= 6 ? accepted(recipient) : rejection));
		const results = await collect(sandbox, inputs(40), { concurrency: 3 });
		// Calls in flight at the same time are not affected.
		expect(sandbox.seen.length).toBeLessThanOrEqual(9);
		const rest = results.slice(sandbox.seen.length);
		expect(new Set(outcomes(rest))).toEqual(new Set(['not_attempted']));
		expect(rest.at(-1)).toMatchObject({ outcome: 'not_attempted', reason: { name } });
		expect(results).toHaveLength(40);
	});

	it('continues after a rejection of one message', async () => {
		const sandbox = service(() => response(422, { code: 'opted_out', message: 'Opted out' }));
		expect(outcomes(await collect(sandbox, inputs(10)))).toEqual(Array(10).fill('rejected'));
	});

	it('stops when it is canceled, and reports the rest as not attempted', async () => {
		const controller = new AbortController();
		const sandbox = service((recipient, call) => {
			if (call === 5) controller.abort();
			return accepted(recipient);
		});
		const results = await collect(sandbox, inputs(30), { concurrency: 1, signal: controller.signal });
		expect(outcomes(results).slice(5)).toEqual(Array(25).fill('not_attempted'));
		expect(sandbox.seen).toHaveLength(5);
	});

	it('starts no further call after the loop ends', async () => {
		const sandbox = service();
		for await (const { index } of sendAll(sandbox.client, inputs(1000), { concurrency: 2 })) {
			if (index === 3) break;
		}
		expect(sandbox.seen.length).toBeLessThan(20);
	});

	it.each([401, 422])('sends no waiting request after a %i ends the run', async (status) => {
		const sandbox = service(() => response(status, { code: 'insufficient_balance', message: 'Empty' }), 1);
		const results = await collect(sandbox, inputs(20), { concurrency: 8 });
		expect(sandbox.seen).toHaveLength(1);
		expect(outcomes(results)).toEqual(['rejected', ...Array<string>(19).fill('not_attempted')]);
	});

	it('sends no waiting request after the loop ends', async () => {
		const sandbox = service(accepted, 1);
		for await (const { outcome } of sendAll(sandbox.client, inputs(50), { concurrency: 8 })) {
			expect(outcome).toBe('accepted');
			break;
		}
		expect(sandbox.seen.length).toBeLessThanOrEqual(2);
	});

	it('sends at the requested rate', async () => {
		const sandbox = service(accepted, 10);
		await collect(sandbox, inputs(5));
		expect(sandbox.leftAt).toEqual([0, 100, 200, 300, 400]);
	});

	it('never has two bulk sends with a common recipient in flight', async () => {
		let underWay: string[] = [];
		let common = false;
		const time = virtualTime(async (request) => {
			const { to: recipients } = JSON.parse(request.body ?? '{}') as { to: string[] };
			common ||= recipients.some((recipient) => underWay.includes(recipient));
			underWay = [...underWay, ...recipients];
			await time.wait(10);
			underWay = underWay.filter((recipient) => !recipients.includes(recipient));
			return response(200, { success: true });
		});
		const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport: time.transport });
		const bulks = [1, 2, 3, 4].map((number) => ({ ...example, to: [to(number), to(number + 1), to(9)] }));
		const results = await Array.fromAsync(
			mapCalls((input, _, call) => client.call(contract.sms.sendBulk, input, call), bulks, recipientsOf, {}),
		);
		expect(results.map(({ outcome }) => outcome)).toEqual(Array(4).fill('accepted'));
		expect(common).toBe(false);
	});

	it('ends the run if the service keeps asking for fewer requests', async () => {
		const sandbox = service(() => response(429, {}, { 'retry-after': '3600' }));
		const results = await collect(sandbox, inputs(30), { concurrency: 1 });
		expect(sandbox.seen).toHaveLength(1);
		expect(outcomes(results).slice(1)).toEqual(Array(29).fill('not_attempted'));
	});

	it('delays all calls when one response asks for fewer requests', async () => {
		const sandbox = service((recipient, call) =>
			call === 1 ? response(429, {}, { 'retry-after': '1' }) : accepted(recipient),
		);
		expect(new Set(outcomes(await collect(sandbox, inputs(20))))).toEqual(new Set(['accepted']));
		expect(sandbox.seen).toHaveLength(21);
		// Four more were in flight. All others were sent a second later.
		expect(sandbox.leftAt.filter((at) => at < 1000)).toHaveLength(5);
	});
});
