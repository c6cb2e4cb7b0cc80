import { stubServer } from '../support/stubServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const searches = [
	['Find Message', methods.findMessage, { message_id: 'm1' }, 'Message'],
	['Find Wallet Top-Up', methods.findWalletTopUp, { reference: 'r1' }, 'Top-up'],
] as const;

describe.each(searches)('%s', (_, method, inputs, record) => {
	const search = async (status: number, body: string) => {
		await using server = await stubServer({ status, body });
		return await driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }).attempt(method, inputs);
	};

	it.each([
		[404, { code: 'not_found', message: `${record} not found` }],
		[422, { message: `${record} not found` }],
		[400, { error: { message: `No such ${record.toLowerCase()}` } }],
		[200, { success: false, message: `${record} not found` }],
		[200, { status: 'error', message: `${record} does not exist` }],
	])('returns no result if the record does not exist: %i %j', async (status, body) => {
		expect(await search(status, JSON.stringify(body))).toEqual({ results: [] });
	});

	it.each([
		[404, '<html><h1>404 Not Found</h1></html>'],
		[404, ''],
		[404, '{"message":"The route could not be found."}'],
		[422, '{"message":"The ID is malformed"}'],
		[200, '{"success":false,"message":"Try again later"}'],
	])('does not treat an error as no result: %i %s', async (status, body) => {
		const { results, failure } = await search(status, body);
		expect(results).toBeUndefined();
		expect(failure?.message).toMatch(/\S/);
	});
});
