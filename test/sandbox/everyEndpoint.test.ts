import { z } from 'zod/v4';
import { contract, endpoints } from '../../shared/contract';
import type { Endpoint } from '../../shared/contract/endpoint';
import { findFields, findList, isObject } from '../../shared/contract/find';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

const idBody = z.looseObject({
	message_id: z.string().optional(),
	reference: z.string().optional(),
	verification_id: z.number().optional(),
});

async function post(sandbox: TestSandbox, path: string, body: unknown) {
	return idBody.parse((await sandbox.api('POST', path, body)).body);
}

/** Input of an example, with IDs that exist in the sandbox. */
async function prepare(sandbox: TestSandbox, { id, example }: Endpoint): Promise<Record<string, unknown>> {
	const future = { schedule_at: '2099-12-24 08:30:00' };
	switch (id) {
		case 'sms.sendBulk':
			return { ...example.input, ...future };
		case 'sms.get':
		case 'message.get':
			return { id: (await sandbox.sent()).message_id };
		case 'wallet.getTopUp':
			return { reference: (await post(sandbox, 'wallet/topup', { amount: 50 })).reference };
		case 'verification.check': {
			const { verification_id } = await post(sandbox, 'verify/start', { phone: PHONE, sender_id: 'KOFISHOP' });
			return { verification_id, code: '123456' };
		}
		case 'contact.list':
			await sandbox.api('POST', 'contacts', { phone: PHONE, name: 'Ama' });
			return {};
		default:
			return { ...example.input };
	}
}

async function call(sandbox: TestSandbox, { method, path }: Endpoint, input: Record<string, unknown>) {
	const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
	const filled = path.slice(1).replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(input[name])));
	const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.has(name)));
	if (method === 'POST') return await sandbox.api(method, filled, rest);
	const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)]));
	return await sandbox.api(method, `${filled}?${query}`);
}

/** Finds the output in a response as a tolerant reader does. */
function find({ response, output }: Endpoint, body: unknown): unknown {
	if (response.kind === 'list') return findList(body);
	const shape = output instanceof z.ZodObject ? z.record(z.string(), z.custom<z.ZodType>()).parse(output.shape) : {};
	return isObject(body) ? findFields(body, shape, { aliases: response.aliases }) : body;
}

describe.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))('%s', (_id, endpoint) => {
	it('responds to its example as the contract says', async () => {
		await using sandbox = await run();
		const response = await call(sandbox, endpoint, await prepare(sandbox, endpoint));
		expect(response.status).toBe(200);
		expect(response.body).toMatchObject({ success: true });
		endpoint.output.parse(find(endpoint, response.body));
	});

	it.each([
		{ record_shape: 'data', list_shape: 'bare' },
		{ record_shape: 'named', list_shape: 'named' },
		{ record_shape: 'flat', list_shape: 'paged', number_shape: 'text' },
		{ record_shape: 'named', list_shape: 'bare', number_shape: 'text' },
	])('can be read in the shape %j', async (shapes) => {
		await using sandbox = await run();
		const input = await prepare(sandbox, endpoint);
		await sandbox.control('PUT', 'settings', shapes);
		const { status, body } = await call(sandbox, endpoint, input);
		expect(status).toBe(200);
		const found = endpoint.output.parse(find(endpoint, body));
		await using plain = await run();
		const same = await call(plain, endpoint, await prepare(plain, endpoint));
		const plainly = endpoint.output.parse(find(endpoint, same.body));
		for (const name of ['cost', 'balance', 'amount', 'fee', 'valid', 'status']) {
			const known = endpoint.output instanceof z.ZodObject && name in endpoint.output.shape;
			if (known && isObject(plainly) && isObject(found)) expect(found[name]).toEqual(plainly[name]);
		}
		if (Array.isArray(plainly)) expect(found).toHaveLength(plainly.length);
	});

	it('applies faults', async () => {
		await using sandbox = await run();
		const input = await prepare(sandbox, endpoint);
		for (const kind of ['drop_before', 'truncate', 'drop_after']) {
			await sandbox.control('POST', 'faults', { endpoint: endpoint.id, kind });
			await expect(call(sandbox, endpoint, input)).rejects.toThrow();
		}
		await sandbox.control('POST', 'faults', {
			endpoint: endpoint.id,
			kind: 'answer',
			status: 503,
			body: { message: 'no' },
		});
		expect(await call(sandbox, endpoint, input)).toMatchObject({ status: 503, body: { message: 'no' } });
	});

	it('needs a key and counts requests', async () => {
		await using sandbox = await run();
		const path = endpoint.path.slice(1).replace(/\{\w+\}/, 'x');
		const response = await sandbox.api(endpoint.method, path, endpoint.method === 'POST' ? {} : undefined, {});
		expect(response).toMatchObject({ status: 401, body: { code: 'invalid_key' } });
		await sandbox.control('PUT', 'settings', { requests_per_second: 0.001 });
		await sandbox.api('GET', 'balance');
		expect((await sandbox.api(endpoint.method, path, endpoint.method === 'POST' ? {} : undefined)).status).toBe(429);
	});
});

it.each(endpoints.filter(({ method }) => method === 'POST').map(({ id, path }) => [id, path]))(
	'%s rejects a body without its fields and changes nothing',
	async (_id, path) => {
		await using sandbox = await run();
		expect(await sandbox.api('POST', path.slice(1), {})).toMatchObject({
			status: 422,
			body: { success: false, code: 'validation' },
		});
		expect((await sandbox.wallet()).balance).toBe(40);
	},
);

it.each([
	['flat', { success: false, code: 'not_found', message: 'There is no message with the ID x.' }],
	['nested', { error: { code: 'not_found', message: 'There is no message with the ID x.' } }],
	['list', { errors: [{ code: 'not_found', message: 'There is no message with the ID x.' }] }],
	[
		'fields',
		{ message: 'There is no message with the ID x.', errors: { not_found: ['There is no message with the ID x.'] } },
	],
	['text', { error: 'There is no message with the ID x.', error_code: 'not_found' }],
])('writes an error in the shape %s', async (error_shape, body) => {
	await using sandbox = await run();
	await sandbox.control('PUT', 'settings', { error_shape });
	expect(await sandbox.api('GET', contract.message.get.path.slice(1).replace('{id}', 'x'))).toMatchObject({
		status: 404,
		body,
	});
	expect((await sandbox.api('GET', 'balance', undefined, {})).body).not.toEqual({});
});
