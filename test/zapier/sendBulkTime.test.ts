import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { NOTHING_SENT } from '../support/promises';
import { bulkOutput, numbers, toLines, toList } from '../support/zapier/bulkStep';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Requests of Send Bulk SMS in flight at once. */
const AT_A_TIME = 5;

beforeEach(() => fakeTimeouts());
afterEach(() => jest.useRealTimers());

/** A service that responds once a round of requests is complete, `milliseconds` later by the test's clock. */
async function slowService(milliseconds: (round: number) => number, roundSize = AT_A_TIME) {
	let rounds = 0;
	let waiting: Array<() => void> = [];
	const server = createServer((request, response) => {
		request.resume().on('end', () => {
			waiting.push(() => response.writeHead(200).end('{"batch_id": "b"}'));
			if (waiting.length < roundSize) return;
			jest.advanceTimersByTime(milliseconds(rounds++));
			for (const respond of waiting) respond();
			waiting = [];
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		account: driveApp({ base_url: `http://127.0.0.1:${port}/api/v1/`, api_key: 'sk_1' }),
		rounds: () => rounds,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}

const lines = (count: number) => numbers(count).map((line_to, index) => ({ line_to, line_message: `Hi no. ${index}` }));

describe('bulk send to a slow service', () => {
	it.each([
		[1_000, 24],
		[2_500, 9],
		[5_000, 4],
		[8_000, 2],
	])('with responses after %i ms, makes %i rounds of requests in time', async (milliseconds, rounds) => {
		await using service = await slowService(() => milliseconds);
		const result = bulkOutput.parse(await service.account.run(methods.sendBulkSms, toLines(lines(300))));
		expect(service.rounds()).toBe(rounds);
		expect(result).toMatchObject({
			outcome: 'partly_accepted',
			accepted: rounds * AT_A_TIME,
			unknown: 0,
			not_attempted: 300 - rounds * AT_A_TIME,
			requests: rounds * AT_A_TIME,
		});
		expect(result.lines_to_send_again).toHaveLength(300 - rounds * AT_A_TIME);
		expect(result.results.at(-1)?.reason).toMatch(/no time/);
	});

	it('measures by the slowest response', async () => {
		await using service = await slowService((round) => (round === 1 ? 7_000 : 500));
		const result = bulkOutput.parse(await service.account.run(methods.sendBulkSms, toLines(lines(300))));
		// From 7.5 s on, a request needs 14 s left, so requests start until 11 s.
		expect(service.rounds()).toBe(10);
		expect(result.unknown).toBe(0);
	});

	it('fails if there was no time to send anything', async () => {
		let passed = false;
		await using service = await slowService(() => 0, 1);
		const now = jest.spyOn(performance, 'now').mockImplementation(() => {
			const late = passed ? 24_000 : 0;
			passed = true;
			return late;
		});
		const failed = await service.account.failure(methods.sendBulkSms, toList(numbers(2)));
		now.mockRestore();
		expect(failed).toMatchObject({ name: 'AppError' });
		expect(failed.message).toMatch(/no time/);
		expect(failed.message).toContain(NOTHING_SENT);
		expect(service.rounds()).toBe(0);
	});
});
