import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { bulkOutput, numbers, toLines, toList } from './bulkStep';
import { driveApp, methods } from './zapierTestApp';

// Everything but setTimeout and the clock of the step, so that time passes only when the service lets it.
const REAL = [
	'nextTick',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
	'Date',
	'hrtime',
	'queueMicrotask',
] as const;
/** Requests that Send Bulk SMS makes at a time. */
const AT_A_TIME = 5;

beforeEach(() => jest.useFakeTimers({ doNotFake: [...REAL] }));
afterEach(() => jest.useRealTimers());

/** A service that responds to a round of requests when all of it has come in, so much later by the test's clock. */
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

describe('a bulk send to a slow service', () => {
	it.each([
		[1_000, 24],
		[2_500, 9],
		[5_000, 4],
		[8_000, 2],
	])('goes on as long as the next responses of %i ms come in time: %i rounds', async (milliseconds, rounds) => {
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
		expect(result.results.at(-1)?.reason).toBe('There was no time left for it.');
	});

	it('takes the slowest response for the measure', async () => {
		await using service = await slowService((round) => (round === 1 ? 7_000 : 500));
		const result = bulkOutput.parse(await service.account.run(methods.sendBulkSms, toLines(lines(300))));
		// From 7.5 s on, 14 s have to be left: up to 11 s.
		expect(service.rounds()).toBe(10);
		expect(result.unknown).toBe(0);
	});

	it('is an error if there was no time for anything, and nothing was sent', async () => {
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
		expect(failed.message).toMatch(/^There was no time left to send anything\. Nothing was sent or charged\. /);
		expect(service.rounds()).toBe(0);
	});
});
