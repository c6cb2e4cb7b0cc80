import { inspect } from 'node:util';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../support/sandboxControl';
import { cacheServer, type CacheServer } from '../support/zapier/cacheServer';
import { executeEvent, handler, methods, type Account } from '../support/zapier/zapierTestApp';

/** User input and codes. Apart from the HTTP requests, Zapier's log must not contain any of it. */
const to = '+233201234567';
const message = 'Dear Ama Mensah, your PIN is 482913';
const inputs = { to, sender_id: 'KOFISHOP', message };
const PRIVATE = [to, '201234567', 'Ama Mensah', '482913'];

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let cache: CacheServer;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
	cache = await cacheServer();
});
afterEach(() => cache[Symbol.asyncDispose]());

interface Line {
	readonly message: string;
	readonly data: { readonly log_type: string };
}

/** Runs a step that fails. @returns the error, and everything that Zapier's core logs */
async function failing(method: string, inputData: Readonly<Record<string, unknown>>, more: Account = {}) {
	const lines: Line[] = [];
	const account = { base_url: sandbox.baseUrl, api_key: sandbox.apiKey, ...more };
	const event = executeEvent(method, account, inputData, { rpc_base: cache.rpcBase });
	const customLogger = (text: string, data: Line['data']) => lines.push({ message: text, data });
	const error: unknown = await handler({ ...event, customLogger }).then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Error)) throw new Error('The step succeeded');
	const own = lines.filter(({ data }) => data.log_type !== 'http');
	const shown = [error.message, error.stack, ...own.map((line) => inspect(line, { depth: 9 }))].join('\n');
	return { name: error.name, shown, http: inspect(lines, { depth: 9 }), own };
}

const rejected = (status: number, more: object = {}) => ({
	kind: 'answer',
	status,
	body: { message: 'Not now' },
	...more,
});

describe("Zapier's log of a failed step", () => {
	it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
		['HaltedError', {}, { ...inputs, sender_id: '' }],
		['HaltedError', rejected(422, { body: { code: 'opted_out', message: 'Opted out' } }), inputs],
		['HaltedError', { kind: 'drop_after' }, inputs],
		['HaltedError', rejected(500), inputs],
		['AppError', { kind: 'drop_after' }, { ...inputs, send_once_key: 'order 7' }],
		['AppError', rejected(403), inputs],
		['ThrottledError', rejected(429), inputs],
		['ExpiredAuthError', rejected(401), inputs],
	])('contains no private data, with a %s after %j', async (name, fault, inputData) => {
		if ('kind' in fault) await control.fault({ endpoint: 'sms.send', ...fault });
		if (name === 'ExpiredAuthError') await control.fault({ endpoint: 'wallet.getBalance', ...rejected(401) });
		const failed = await failing(methods.sendSms, inputData);
		expect(failed.name).toBe(name);
		expect(failed.own).not.toEqual([]);
		for (const secret of [...PRIVATE, sandbox.apiKey]) expect(failed.shown).not.toContain(secret);
		expect(failed.http).not.toContain(sandbox.apiKey);
	});

	it.each([
		['a code that is checked', methods.checkVerificationCode, { verification_id: '1', code: '482913' }],
		['a search', methods.findContact, { phone: to, name: 'Ama Mensah' }],
		['a trigger', methods.newContact, {}],
		['a dropdown', methods.senderIds, {}],
	])('contains no private data when the connection expires in %s', async (_, method, inputData) => {
		const failed = await failing(method, inputData, { api_key: 'sk_sandbox_another' });
		expect(failed.name).toBe('ExpiredAuthError');
		for (const secret of [...PRIVATE, 'sk_sandbox_another']) expect(failed.shown).not.toContain(secret);
	});

	it('names no more than the key and the recipient of the step when a Send Once Key belongs to another one', async () => {
		const keyed = { ...inputs, send_once_key: 'order 7' };
		await handler(
			executeEvent(methods.sendSms, { base_url: sandbox.baseUrl, api_key: sandbox.apiKey }, keyed, {
				rpc_base: cache.rpcBase,
			}),
		);
		const failed = await failing(methods.sendSms, { ...keyed, to: '+233209876543' });
		expect(failed.name).toBe('HaltedError');
		expect(failed.shown).toContain('+233209876543');
		for (const secret of [...PRIVATE, sandbox.apiKey]) expect(failed.shown).not.toContain(secret);
	});

	it.each([
		['X-API-Key', ''],
		['Authorization', ''],
		['X-API-Key', ' '],
		['Authorization', ' '],
	])('omits a key that the service echoes: sent as %s, with “%s” around it', async (header, space) => {
		const key = 'sk_sandbox_demo';
		const body = { message: `Cannot take “${message}” from ${key}` };
		await control.fault({ endpoint: 'sms.send', kind: 'answer', status: 500, body });
		const failed = await failing(methods.sendSms, inputs, { header, api_key: `${space}${key}${space}` });
		expect(failed.name).toBe('HaltedError');
		for (const secret of [...PRIVATE, key]) expect(failed.shown).not.toContain(secret);
		expect(failed.http).not.toContain(key);
	});
});
