import { pollUntil } from '../../nodes/MessagingService/execution/polling/waitOperation';
import { createClient, contract } from '../../shared';
import { virtualTime } from '../support/virtualTime';

interface Reply {
	readonly status: number;
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
}
const response = (status: string): Reply => ({ status: 200, body: JSON.stringify({ status }), headers: {} });
const failure = (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
	status,
	body: '{"message": "Not now"}',
	headers,
});

/** Polls a service with these responses, the last one repeated, in virtual time and without the client's retries. */
function poll(responses: readonly Reply[], limitMs: number, signal?: AbortSignal) {
	const requests: number[] = [];
	const time = virtualTime(() => {
		requests.push(time.now());
		const reply = responses[Math.min(requests.length, responses.length) - 1];
		if (!reply) throw new Error('No response');
		return reply;
	});
	const client = createClient({
		baseUrl: 'https://service.example/api/v1/',
		apiKey: 'sk_1',
		transport: time.transport,
		retry: { attempts: 1 },
	});
	const result = pollUntil({
		ask: async () => await client.call(contract.message.get, { id: 'm' }, { waitSignal: signal }),
		isFinal: ({ status }) => status === 'delivered',
		limitMs,
		sleep: async (milliseconds) => await time.transport.sleep(milliseconds, signal),
		now: () => time.now(),
	});
	return { requestTimes: requests, result, wait: async (milliseconds: number) => await time.wait(milliseconds) };
}

describe('pollUntil', () => {
	it('polls once if the response is final', async () => {
		const { requestTimes, result } = poll([response('delivered')], 60_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'delivered', timed_out: false } });
		expect(requestTimes).toEqual([0]);
	});

	it('doubles the pause up to half a minute, and polls a last time at the time limit', async () => {
		const { requestTimes, result } = poll([response('sent')], 100_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'sent', timed_out: true } });
		expect(requestTimes).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 100].map((seconds) => seconds * 1000));
	});

	it('returns a final response that arrives at the last moment', async () => {
		const { result } = poll([response('sent'), response('sent'), response('delivered')], 2000);
		expect(await result).toMatchObject({ output: { status: 'delivered', timed_out: false } });
	});

	it('polls once with a limit of 0', async () => {
		const { requestTimes, result } = poll([response('sent')], 0);
		expect(await result).toMatchObject({ output: { timed_out: true } });
		expect(requestTimes).toEqual([0]);
	});

	it('does not let a field of the service replace timed_out', async () => {
		const body = JSON.stringify({ status: 'sent', timed_out: false });
		const { result } = poll([{ status: 200, body, headers: {} }], 0);
		expect(await result).toMatchObject({ output: { timed_out: true } });
	});

	it.each([503, 429])('continues after the service responds with %i', async (status) => {
		const { requestTimes, result } = poll(
			[response('sent'), failure(status), failure(status), response('delivered')],
			60_000,
		);
		expect(await result).toMatchObject({ output: { status: 'delivered', timed_out: false } });
		expect(requestTimes).toEqual([0, 1000, 3000, 7000]);
	});

	it('waits as long as Retry-After says', async () => {
		const { requestTimes, result } = poll([failure(429, { 'retry-after': '45' }), response('delivered')], 60_000);
		expect((await result).outcome).toBe('accepted');
		expect(requestTimes).toEqual([0, 45_000]);
	});

	it('returns the last known status if the service becomes unavailable', async () => {
		const { result } = poll([response('sent'), failure(503)], 10_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'sent', timed_out: true } });
	});

	it('fails if the service never responds with a status', async () => {
		const { result } = poll([failure(503)], 10_000);
		expect(await result).toMatchObject({ outcome: 'rejected', error: { status: 503, message: 'Not now' } });
	});

	it.each([401, 404, 422])('stops at a %i, which does not change with another poll', async (status) => {
		const { requestTimes, result } = poll([response('sent'), failure(status)], 60_000);
		expect(await result).toMatchObject({ outcome: 'rejected', error: { status } });
		expect(requestTimes).toHaveLength(2);
	});

	it('stops at once when the run is canceled', async () => {
		const run = new AbortController();
		const { requestTimes, result, wait } = poll([response('sent')], 60_000, run.signal);
		await wait(2000);
		run.abort();
		expect(await result).toMatchObject({ outcome: 'rejected', error: { name: 'CanceledError' } });
		expect(requestTimes).toEqual([0, 1000]);
	});
});
