import { z } from 'zod/v4';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { contract } from '../../shared';
import { sendsSomething } from '../support/operationCases';
import { eventually } from '../support/eventually';
import { fakeTimeouts } from '../support/fakeTimeouts';
import { sandboxControl } from '../support/sandboxControl';
import { onceSteps, type EndpointStep } from '../support/zapier/endpointSteps';
import { driveApp, methods, type Ending } from '../support/zapier/zapierTestApp';

/**
 * Faults in every step that may cost money or change something: which error Zapier gets, and that nothing is done twice
 * when Zapier reruns the step.
 */
const to = '+233201234567';
const sender_id = 'KOFISHOP';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let app: ReturnType<typeof driveApp>;
/** The verification to check. */
let verification: unknown;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	app = driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
	verification = await app.run(methods.sendVerificationCode, { phone: '+233201234599', sender_id });
});

/** Counts of everything that the service accepted, and of wallet transactions. */
async function done() {
	const { transactions } = await control.wallet();
	const [messages, contacts, topUps] = [await control.messages(), await list('contacts'), await list('top-ups')];
	return { messages: messages.length, contacts: contacts.length, topUps: topUps.length, paid: transactions.length };
}

async function list(path: string): Promise<unknown[]> {
	const found: unknown = await (await fetch(`${sandbox.url}/_sandbox/${path}`)).json();
	return z.array(z.unknown()).parse(found);
}

/** Runs a step as Zapier does with Autoreplay: reruns it up to five times after an error or a throttle. */
async function runAsZapier({ method, endpoint, inputs: given }: EndpointStep): Promise<readonly Ending[]> {
	const endings: Ending[] = [];
	for (let replay = 0; replay <= 5; replay++) {
		const { verification_id } = z.looseObject({ verification_id: z.unknown() }).parse(verification);
		const inputs = { ...given, ...(reading.has(endpoint.id) && { verification_id }) };
		const ending = await app.attempt(method, inputs);
		endings.push(ending);
		const { failure } = ending;
		if (!failure || failure.name === 'HaltedError' || failure.name === 'ExpiredAuthError') break;
	}
	return endings;
}

const fault = async ({ endpoint }: EndpointStep, more: Readonly<Record<string, unknown>>) =>
	await control.fault({ endpoint: endpoint.id, ...more });

/** Expects at most one new record of each kind. */
async function expectDoneOnce(before: Awaited<ReturnType<typeof done>>) {
	const after = await done();
	for (const kind of ['messages', 'contacts', 'topUps', 'paid'] as const) {
		expect([kind, after[kind] - before[kind] <= 1]).toEqual([kind, true]);
	}
}

/** Endpoints that add no record, so that only the result shows a call. */
const reading = new Set<string>([contract.verification.check.id]);

describe.each(onceSteps)('$name', (step) => {
	const { id } = step.endpoint;
	// Zapier replays an error, and a code that arrives hours later is useless.
	const late = id === contract.verification.start.id;

	it.each<[string, Record<string, unknown>, number | undefined]>([
		['with Retry-After', { headers: { 'Retry-After': '17' } }, 17],
		['without Retry-After', {}, undefined],
	])('is throttled after a 429 %s, and then done once', async (_, more, delay) => {
		const before = await done();
		await fault(step, { kind: 'answer', status: 429, body: { message: 'Slower, please' }, ...more });
		const [first, second, ...others] = await runAsZapier(step);
		expect(first?.failure).toMatchObject({ name: 'ThrottledError', ...(delay !== undefined && { delay }) });
		expect(first?.failure?.message).toContain('Slower, please');
		expect([second?.failure, others]).toEqual([undefined, []]);
		await expectDoneOnce(before);
		if (!reading.has(id)) expect(await done()).not.toEqual(before);
	});

	it.each<[string, Record<string, unknown>]>([
		['a 500', { kind: 'answer', status: 500, body: { message: 'Out of order' } }],
		['a web page with 502', { kind: 'html', status: 502 }],
		['a web page with 200', { kind: 'html', status: 200 }],
		['a connection cut before', { kind: 'drop_before' }],
		['a connection cut after', { kind: 'drop_after' }],
		['half of a response', { kind: 'half_json' }],
	])('ends after %s without a replay', async (_, more) => {
		const before = await done();
		await fault(step, more);
		const endings = await runAsZapier(step);
		expectUnknown(endings, step);
		await expectDoneOnce(before);
	});

	describe('without a complete response in time', () => {
		beforeEach(() => fakeTimeouts({ realPerformance: true }));
		afterEach(() => jest.useRealTimers());

		it.each(['hang', 'truncate'])('ends without a replay after the fault %s', async (kind) => {
			const before = await done();
			const requests = (await control.requests()).length;
			await fault(step, { kind });
			const sandbox = runAsZapier(step);
			await eventually(
				'the request of the step',
				async () => ((await control.requests()).length > requests ? true : undefined),
				10_000,
			);
			// Let the sandbox finish its work on the request.
			for (let settling = 0; settling < 20; settling++) await control.requests();
			jest.advanceTimersByTime(25_000);
			expectUnknown(await sandbox, step);
			await expectDoneOnce(before);
		});
	});

	it("expires the connection after two 401s, with the service's message", async () => {
		const before = await done();
		await fault(step, { kind: 'answer', status: 401, body: { message: 'This key was revoked' } });
		await control.fault({ endpoint: 'wallet.getBalance', kind: 'answer', status: 401 });
		const [{ failure } = {}, ...others] = await runAsZapier(step);
		expect(failure).toMatchObject({ name: 'ExpiredAuthError' });
		expect(failure?.message).toMatch(/^This key was revoked\. Check the API key/);
		expect([others, await done()]).toEqual([[], before]);
	});

	it.each([403, 404, 409])("fails with the service's message, code and status after a %i", async (status) => {
		const before = await done();
		await fault(step, { kind: 'answer', status, body: { code: 'E42', message: 'Not today' }, times: 6 });
		const endings = await runAsZapier(step);
		for (const { failure } of endings) {
			expect(failure).toMatchObject(late ? { name: 'HaltedError' } : { name: 'AppError', code: 'E42', status });
		}
		expect(endings[0]?.failure?.message).toMatch(/^Not today\. /);
		expect(await done()).toEqual(before);
	});

	it('treats success: false as a failure', async () => {
		const before = await done();
		await fault(step, { kind: 'answer', status: 200, body: { success: false, message: 'The gateway is closed' } });
		const [first] = await runAsZapier(step);
		if (reading.has(id)) expect(first?.results).toMatchObject({ valid: false });
		else
			expect(first?.failure).toMatchObject({
				name: late ? 'HaltedError' : 'AppError',
				message: expect.stringMatching(/^The gateway is closed\. /) as string,
			});
		await expectDoneOnce(before);
	});
});

/** Bulk reports it in its rows. Other steps halt, and say where to look and what a replay would do. */
function expectUnknown(endings: readonly Ending[], { endpoint }: EndpointStep) {
	expect(endings).toHaveLength(1);
	const [{ results, failure } = {}] = endings;
	if (endpoint.id === contract.sms.sendBulk.id) {
		expect(results).toMatchObject({ outcome: 'unknown', accepted: 0, unknown: 1, unknown_numbers: [to] });
	} else {
		const { hints, charges } = endpoint;
		expect(failure?.name).toBe('HaltedError');
		expect(failure?.message).toContain(hints?.unknown ?? 'It may have been accepted and charged. Look for it in ');
		if (charges && sendsSomething(endpoint)) expect(failure?.message).toContain(' would send it again.');
	}
}
