import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod/v4';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { bulkOutput, numbers, toLines, toList } from '../support/zapier/bulkStep';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

/** Output size at which the core fails a step, set lower than Zapier may have it. */
const ZAPIER_LIMIT = 5_000_000;

// On a busy machine, a long list must not run out of time.
beforeEach(() => fakeTimeouts());
afterEach(() => jest.useRealTimers());

const bulkRequest = z.object({ to: z.array(z.string()) });

/** A service that responds by the index of a request and its numbers. */
async function service(reply: (request: number, to: readonly string[]) => { status: number; body: unknown }) {
	const statuses: number[] = [];
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const replied = reply(statuses.length, bulkRequest.parse(JSON.parse(body)).to);
			statuses.push(replied.status);
			response.writeHead(replied.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(replied.body));
		});
	});
	// A long list may take longer than the default keep-alive.
	server.keepAliveTimeout = 600_000;
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		statuses,
		account: driveApp({ base_url: `http://127.0.0.1:${port}/api/v1/`, api_key: 'sk_1' }, { outputLimit: ZAPIER_LIMIT }),
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}

const accepted = {
	status: 200,
	body: { success: true, batch_id: 'bulk_01a2016bed97a776602e9f2129c9', status: 'queued' },
};

describe('bulk send to 50,000 numbers', () => {
	it('returns totals, and only the rows that were not accepted', async () => {
		const all = numbers(50_000);
		const out = all[77] ?? '';
		await using gateway = await service((_, to) =>
			to.includes(out) ? { status: 422, body: { code: 'opted_out', message: `${out} has opted out` } } : accepted,
		);
		const output = await gateway.account.run(methods.sendBulkSms, toList(all));
		expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(ZAPIER_LIMIT);
		const result = bulkOutput.parse(output);
		expect(result).toMatchObject({ total: 50_000, accepted: 49_999, rejected: 1, rows_left_out: 49_999 });
		expect(result.results).toMatchObject([{ to: out, outcome: 'rejected', line: 78 }]);
		expect(gateway.statuses.filter((status) => status === 200)).toHaveLength(50);
	}, 60_000);

	it('returns every number to send again, and as many rows as fit', async () => {
		await using gateway = await service((request) =>
			request === 2 ? { status: 403, body: { message: 'x'.repeat(400) } } : accepted,
		);
		const output = await gateway.account.run(methods.sendBulkSms, toList(numbers(50_000)));
		expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThan(ZAPIER_LIMIT);
		const result = bulkOutput.parse(output);
		expect(result.unknown).toBe(0);
		expect(result.numbers_to_send_again).toHaveLength(50_000 - result.accepted);
		expect(result.results.every(({ outcome }) => outcome !== 'accepted')).toBe(true);
		expect(result.results.length + result.rows_left_out).toBe(50_000);
		expect(result.results.length).toBeGreaterThan(1000);
	}, 60_000);
});

it('a bulk send returns every row if all fit', async () => {
	await using gateway = await service(() => accepted);
	const result = bulkOutput.parse(await gateway.account.run(methods.sendBulkSms, toList(numbers(3000))));
	expect(result).toMatchObject({ accepted: 3000, rows_left_out: 0 });
	expect(result.results).toHaveLength(3000);
});

it('a bulk send rejects lines that its output could not return, without a request', async () => {
	await using gateway = await service(() => accepted);
	const lines = numbers(3000).map((line_to, index) => ({ line_to, line_message: `${index} ${'₵'.repeat(1500)}` }));
	expect(await gateway.account.failure(methods.sendBulkSms, toLines(lines))).toMatchObject(haltedFor('Lines'));
	expect(gateway.statuses).toEqual([]);
});
