import { endRetryWaits } from '../support/endRetryWaits';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { heldServer } from '../support/heldServer';
import { stubServer, type StubResponse } from '../support/stubServer';
import { onceSteps } from '../support/zapier/endpointSteps';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

endRetryWaits();

/** Calls that only read are retried. Calls that send or change something are not. */
const found = { status: 200, body: '{"data": {"status": "sent"}}' };
const find = async (baseUrl: string) =>
	await driveApp({ base_url: baseUrl, api_key: 'sk_1' }).attempt(methods.findMessage, { message_id: 'msg_1' });

async function realMoment(): Promise<void> {
	await new Promise<void>((resolve) => {
		// setInterval is the only real timer of this test.
		const interval = setInterval(() => {
			clearInterval(interval);
			resolve();
		}, 5);
	});
}

/** Advances the clock until `happening` settles. Sockets need real time, so the clock runs slowly. */
async function passTimeUntil<T>(happening: Promise<T>): Promise<T> {
	const state = { happened: false };
	const done = happening.finally(() => (state.happened = true));
	while (!state.happened) {
		jest.advanceTimersByTime(10);
		await realMoment();
	}
	return await done;
}

const to = '+233201234567';

describe('number of attempts', () => {
	it.each<[keyof typeof methods, Record<string, unknown>]>([
		['findMessage', { message_id: 'msg_1' }],
		['findWalletBalance', {}],
		['findWalletTopUp', { reference: 'top_1' }],
		['findContact', { phone: to }],
		['senderIds', {}],
		['contacts', {}],
		['newContact', {}],
		['newWalletTransaction', {}],
	])('attempts %s three times, because it only reads', async (name, inputs) => {
		await using server = await stubServer('reset after reading');
		const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
		expect(await app.failure(methods[name], inputs)).toMatchObject({ name: 'AppError' });
		expect(server.received).toHaveLength(3);
	});

	it.each(onceSteps)(
		'attempts $name once, because it sends, changes or costs something',
		async ({ method, inputs }) => {
			await using server = await stubServer('reset after reading');
			await driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).attempt(method, inputs);
			expect(server.received).toHaveLength(1);
		},
	);
});

describe('call that only reads', () => {
	it.each<[string, StubResponse]>([
		['a cut connection', 'reset after reading'],
		['a 500', { status: 500 }],
		['a web page', { status: 200, body: '<h1>Back soon</h1>' }],
		['a 429 that asks for a second', { status: 429, headers: { 'Retry-After': '1' } }],
	])('retries a read call after %s', async (_, behavior) => {
		await using server = await stubServer(behavior, behavior, found);
		expect(await find(server.baseUrl)).toMatchObject({ results: [{ message_id: 'msg_1', status: 'sent' }] });
		expect(server.received).toHaveLength(3);
	});

	it('makes a read call at most three times', async () => {
		await using server = await stubServer({ status: 503, body: '{"message": "We are down"}' });
		const { failure } = await find(server.baseUrl);
		expect(failure).toMatchObject({ name: 'AppError', status: 503 });
		expect(failure?.message).toMatch(/^We are down\./);
		expect(server.received).toHaveLength(3);
	});

	it('throttles a step after a 429 that asks for a longer wait', async () => {
		await using server = await stubServer({ status: 429, headers: { 'Retry-After': '5' } });
		expect(await find(server.baseUrl)).toMatchObject({ failure: { name: 'ThrottledError', delay: 5 } });
		expect(server.received).toHaveLength(1);
	});

	it.each([400, 401, 403, 404, 422])('does not retry a read call after a %i', async (status) => {
		await using server = await stubServer({ status });
		await find(server.baseUrl);
		expect(server.received.filter(({ url }) => url.endsWith('msg_1'))).toHaveLength(1);
	});

	describe('to a slow service', () => {
		beforeEach(() => fakeTimeouts());
		afterEach(() => jest.useRealTimers());

		it('ends before Zapier ends the step, all attempts included', async () => {
			await using server = await heldServer();
			const began = performance.now();
			const ending = find(server.baseUrl);
			const respond = await server.arrived();
			jest.advanceTimersByTime(9_000);
			respond(503, {});
			await passTimeUntil(server.arrived());
			jest.advanceTimersByTime(25_000 - (performance.now() - began));
			expect(await ending).toMatchObject({ failure: { name: 'AppError' } });
			expect(server.urls).toHaveLength(2);
		});

		it('does not retry a read call after 10 seconds', async () => {
			await using server = await heldServer();
			const ending = find(server.baseUrl);
			const respond = await server.arrived();
			jest.advanceTimersByTime(10_100);
			respond(503, { message: 'We are down' });
			expect(await ending).toMatchObject({ failure: { status: 503 } });
			expect(server.urls).toHaveLength(1);
		});
	});
});
