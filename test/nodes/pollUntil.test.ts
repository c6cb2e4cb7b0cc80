import { pollUntil } from '../../nodes/MessagingService/runtime/pollUntil';
import { createClient, contract } from '../../shared';
import { virtualTime } from '../fixtures/virtualTime';

interface Answer {
	readonly status: number;
	readonly body: string;
	readonly headers: Readonly<Record<string, string>>;
}
const response = (status: string): Answer => ({ status: 200, body: JSON.stringify({ status }), headers: {} });
const failure = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
	status,
	body: '{"message": "Not now"}',
	headers,
});

/** Polls a service that gives these answers, the last one for ever; in virtual time and without the client's retries. */
function poll(responses: readonly Answer[], limitMs: number, signal?: AbortSignal) {
	const requests: number[] = [];
	const time = virtualTime(() => {
		requests.push(time.now());
		const given = responses[Math.min(requests.length, responses.length) - 1];
		if (!given) throw new Error('No answer');
		return given;
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
	return { asked: requests, result, wait: async (milliseconds: number) => await time.wait(milliseconds) };
}

describe('pollUntil', () => {
	it('asks once where the answer is final', async () => {
		const { asked, result } = poll([response('delivered')], 60_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'delivered', timed_out: false } });
		expect(asked).toEqual([0]);
	});

	it('pauses twice as long each time, up to half a minute, and asks a last time when the time is up', async () => {
		const { asked, result } = poll([response('sent')], 100_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'sent', timed_out: true } });
		expect(asked).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 100].map((seconds) => seconds * 1000));
	});

	it('gives the final answer that came at the last moment', async () => {
		const { result } = poll([response('sent'), response('sent'), response('delivered')], 2000);
		expect(await result).toMatchObject({ output: { status: 'delivered', timed_out: false } });
	});

	it('asks once with a limit of 0', async () => {
		const { asked, result } = poll([response('sent')], 0);
		expect(await result).toMatchObject({ output: { timed_out: true } });
		expect(asked).toEqual([0]);
	});

	it('lets no field of the service take the place of its own', async () => {
		const body = JSON.stringify({ status: 'sent', timed_out: false });
		const { result } = poll([{ status: 200, body, headers: {} }], 0);
		expect(await result).toMatchObject({ output: { timed_out: true } });
	});

	it.each([503, 429])('goes on when the service answers %i for a while', async (status) => {
		const { asked, result } = poll([response('sent'), failure(status), failure(status), response('delivered')], 60_000);
		expect(await result).toMatchObject({ output: { status: 'delivered', timed_out: false } });
		expect(asked).toEqual([0, 1000, 3000, 7000]);
	});

	it('waits as long as the service asks to', async () => {
		const { asked, result } = poll([failure(429, { 'retry-after': '45' }), response('delivered')], 60_000);
		expect((await result).outcome).toBe('accepted');
		expect(asked).toEqual([0, 45_000]);
	});

	it('gives what was known last where the service went away meanwhile', async () => {
		const { result } = poll([response('sent'), failure(503)], 10_000);
		expect(await result).toEqual({ outcome: 'accepted', output: { status: 'sent', timed_out: true } });
	});

	it('fails where there never was an answer', async () => {
		const { result } = poll([failure(503)], 10_000);
		expect(await result).toMatchObject({ outcome: 'rejected', error: { status: 503, message: 'Not now' } });
	});

	it.each([401, 404, 422])('ends with a %i, which asking again does not change', async (status) => {
		const { asked, result } = poll([response('sent'), failure(status)], 60_000);
		expect(await result).toMatchObject({ outcome: 'rejected', error: { status } });
		expect(asked).toHaveLength(2);
	});

	it('ends at once when the run ends, and asks no more', async () => {
		const run = new AbortController();
		const { asked, result, wait } = poll([response('sent')], 60_000, run.signal);
		await wait(2000);
		run.abort();
		expect(await result).toMatchObject({ outcome: 'rejected', error: { name: 'CanceledError' } });
		expect(asked).toEqual([0, 1000]);
	});
});
