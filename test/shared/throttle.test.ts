import { throttledTransport } from '../../shared/client/throttle';
import type { HttpRequest, HttpResponse } from '../../shared';
import { virtualTime } from '../support/virtualTime';

const request: HttpRequest = { method: 'GET', url: 'https://service.example/', headers: {}, timeoutMs: 1000 };
const options = { basePauseMs: 100, longestPauseMs: 5_000 };
const ok: HttpResponse = { status: 200, headers: {}, body: '{}' };
const busy = (retryAfter?: string): HttpResponse => ({
	status: 429,
	headers: { 'retry-after': retryAfter },
	body: '{}',
});

/** Sends several requests at the same time and records when each starts. */
function departures(count: number, perSecond: number | undefined, script: HttpResponse[]) {
	const left: number[] = [];
	const time = virtualTime(() => {
		left.push(time.now());
		return script[left.length - 1] ?? ok;
	});
	const paced = throttledTransport(time.transport, { ...options, perSecond });
	const send = async () => await paced.send(request);
	return { left, send, time, all: async () => await Promise.all(Array.from({ length: count }, send)) };
}

describe('a rate-limited transport', () => {
	it('sends all requests at the same time without a rate limit', async () => {
		const { left, all } = departures(4, undefined, []);
		await all();
		expect(left).toEqual([0, 0, 0, 0]);
	});

	it('spaces requests evenly', async () => {
		const { left, all } = departures(5, 10, []);
		await all();
		expect(left).toEqual([0, 100, 200, 300, 400]);
	});

	it('delays all requests by the time that one response asks for', async () => {
		const { left, send, all } = departures(3, undefined, [busy('2')]);
		await send();
		await all();
		expect(left).toEqual([0, 2000, 2000, 2000]);
	});

	it('waits longer after each 429 without a time, up to the maximum', async () => {
		const { left, send } = departures(
			0,
			undefined,
			Array.from({ length: 9 }, () => busy()),
		);
		for (let index = 0; index < 9; index++) await send();
		const waits = left.slice(1).map((at, index) => at - (left[index] ?? 0));
		expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
	});

	it('resets the backoff after a success', async () => {
		const { left, send } = departures(0, undefined, [busy(), busy(), ok, busy(), ok]);
		for (let index = 0; index < 5; index++) await send();
		expect(left).toEqual([0, 100, 300, 300, 400]);
	});

	it('counts rejections of requests in flight at the same time as one', async () => {
		const { left, send, all } = departures(3, undefined, [busy(), busy(), busy()]);
		await all();
		await send();
		expect(left).toEqual([0, 0, 0, 100]);
	});

	it('ends a wait when it is canceled, and sends nothing', async () => {
		const { left, send, time } = departures(0, undefined, [busy('60')]);
		const paced = throttledTransport(time.transport, options);
		await send();
		await paced.send(request);
		expect(left).toHaveLength(2);
		const slow = throttledTransport(time.transport, { ...options, perSecond: 0.001 });
		await slow.send(request);
		const controller = new AbortController();
		const sending = slow.send({ ...request, signal: controller.signal });
		controller.abort();
		await expect(sending).rejects.toMatchObject({ left: 'no', aborted: true });
		expect(left).toHaveLength(3);
	});
});
