import { inspect } from 'node:util';
import { Logger } from '@n8n/backend-common';
import { type INode, LoggerProxy } from 'n8n-workflow';
import { closedPort } from '../support/closedPort';
import { stubServer, type StubResponse } from '../support/stubServer';
import { startEngine } from '../support/n8n/engine';

const CODE = '493021';

const responded = (status: number, body: unknown): StubResponse => ({
	status,
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
/** Ways a check can fail, on a service that repeats the code wherever it can. */
const failures: Record<string, StubResponse> = {
	'wrong (200)': responded(200, { valid: false, message: `The code ${CODE} is wrong`, code: CODE, otp: Number(CODE) }),
	'wrong, deep in data': responded(200, { data: { valid: false, attempts: [{ tried: CODE }], message: `${CODE}?` } }),
	'wrong (422)': responded(422, { code: 'wrong_code', message: `${CODE} is wrong` }),
	'expired (422)': responded(422, { error: { code: 'expired', message: `${CODE} has expired` } }),
	'too many tries (422)': responded(422, { errors: [{ message: `Too many tries, last with "${CODE}"` }] }),
	'validation (422)': responded(422, { errors: { code: [`The code ${CODE} must be a string`] } }),
	'invalid key (401)': responded(401, { message: `Unauthorized: {"code":"${CODE}"}` }),
	'not found (404)': responded(404, `Cannot POST /verify/check {"verification_id":1001,"code":"${CODE}"}`),
	'rate limit (429)': {
		...Object(responded(429, { message: `Slow down, ${CODE}` })),
		headers: { 'Retry-After': '120' },
	} as StubResponse,
	'server error (500)': responded(500, `<h1>Error</h1><pre>body: {"code":"${CODE}"}</pre>`),
	'success: false (200)': responded(200, { success: false, message: `Not checked: ${CODE}` }),
	'unreadable (200)': responded(200, { received: { code: CODE } }),
	'a web page (200)': responded(200, `<p>You typed ${CODE}</p>`),
	'half a response (200)': responded(200, `{"valid": false, "code": "${CODE}", "mess`),
	'redirected (302)': { status: 302, headers: { Location: `https://service.example/?code=${CODE}` } },
	'cut before the request was read': 'reset before reading',
	'cut after the request was read': 'reset after reading',
	'closed without a response': 'close after reading',
	'cut in the middle of the response': 'truncate',
	'no response in time': 'hang',
};

/** Everything that n8n, this process or the node logs, at every level. */
let logged: unknown[];

beforeEach(() => {
	logged = [];
	const keep = (...args: unknown[]) => {
		logged.push(args);
	};
	for (const level of ['error', 'warn', 'info', 'debug'] as const) {
		jest.spyOn(Logger.prototype, level).mockImplementation(keep);
		jest.spyOn(console, level).mockImplementation(keep);
	}
	LoggerProxy.init({ error: keep, warn: keep, info: keep, debug: keep });
});
afterEach(() => {
	jest.restoreAllMocks();
});

async function check(baseUrl: string, onError: INode['onError']) {
	const engine = await startEngine({
		messagingServiceApi: { baseUrl, apiKey: 'sk_sandbox_demo', authHeader: 'X-API-Key' },
	});
	const parameters = {
		resource: 'verification',
		operation: 'check',
		verificationId: 1001,
		code: "={{ $('Items').first().json.typed.code }}",
	};
	const result = await engine.run({ parameters, items: [{ typed: { code: CODE } }], settings: { onError } });
	// n8n puts the input item beside an error on the error output. That copy of the code is the user's own.
	for (const item of result.outputs.flat()) delete item.json.typed;
	return result;
}

const everything = (...values: unknown[]) =>
	inspect(values, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null });

describe.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'the code appears in no output, error or log (%s)',
	(onError) => {
		it.each(Object.keys(failures))('Check Code does not reveal the code: %s', async (name) => {
			const soon = AbortSignal.timeout.bind(AbortSignal);
			if (failures[name] === 'hang') jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => soon(1500));
			await using server = await stubServer(failures[name] ?? 'hang');
			const result = await check(server.baseUrl, onError);
			if (failures[name] !== 'reset before reading') expect(server.received[0]?.body).toContain(CODE);
			expect(everything(result.error, result.outputs, result.hints, result.kept)).not.toContain(CODE);
			expect(JSON.stringify([result.outputs, result.kept])).not.toContain(CODE);
			expect(everything(logged)).not.toContain(CODE);
		});

		it('Check Code does not reveal the code if no server listens', async () => {
			jest.spyOn(Math, 'random').mockReturnValue(0);
			const result = await check(`http://127.0.0.1:${await closedPort()}`, onError);
			expect(result.error ?? result.outputs.flat()[0]).toBeDefined();
			expect(everything(result, logged)).not.toContain(CODE);
		});
	},
);

it('the search for the code finds it in a log line', () => {
	LoggerProxy.debug('checking', { code: CODE });
	expect(everything(logged)).toContain(CODE);
});
