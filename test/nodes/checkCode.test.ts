import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { executeFilter, Workflow, type FilterValue, type INodeParameters, type INodeTypes } from 'n8n-workflow';
import { z } from 'zod/v4';
import { approval, notACode, numbersFrom, rejectionOf, rejection, showsSuccess } from '../support/checkBodies';
import { runCount } from '../support/random';
import { stubServer, type StubServer } from '../support/stubServer';
import { startEngine, type Engine, type NodeResult } from '../support/n8n/engine';

let server: StubServer;
let engine: Engine;
let body: string;

beforeAll(async () => {
	server = await stubServer(() => ({ status: 200, body }));
	engine = await startEngine({
		messagingServiceApi: { baseUrl: server.baseUrl, apiKey: 'sk_test_1', authHeader: 'X-API-Key' },
	});
});
afterAll(() => server[Symbol.asyncDispose]());

const check = async (response: unknown, options?: INodeParameters): Promise<NodeResult> => {
	body = JSON.stringify(response);
	const fields = { verificationId: 1001, code: '493021', ...(options && { options }) };
	return await engine.run({ parameters: { resource: 'verification', operation: 'check', ...fields } });
};
const rowOf = ({ outputs }: NodeResult) => outputs[0]?.[0]?.json;

/** The first rule of the Switch node behind Check Code in the example. */
const example = z
	.object({
		nodes: z.array(z.looseObject({ name: z.string(), type: z.string(), parameters: z.looseObject({}) })),
		connections: z.record(z.string(), z.object({ main: z.array(z.array(z.object({ node: z.string() }))) })),
	})
	.parse(JSON.parse(readFileSync(join(__dirname, '..', '..', 'examples', 'one-time-code-login.json'), 'utf8')));
const [next] = example.connections['Check the code']?.main[0] ?? [];
const decision = example.nodes.find(({ name }) => name === next?.node);
const [rule] = z
	.object({ rules: z.object({ values: z.array(z.object({ conditions: z.custom<INodeParameters>() })) }) })
	.parse(decision?.parameters).rules.values;
const entrance = rule?.conditions ?? {};
const filter = z.custom<FilterValue>((value) => typeof value === 'object');
const nodeTypes = z.custom<INodeTypes>((value) => typeof value === 'object');

/** Whether the example logs the customer in after this run of Check Code. n8n itself evaluates the condition. */
function admits({ outputs, error }: NodeResult): boolean {
	const items = outputs[0] ?? [];
	if (error !== undefined || items.length === 0) return false;
	const type = { description: { properties: [] } };
	const workflow = new Workflow({
		nodes: [{ id: 's', name: 'Switch', type: 'switch', typeVersion: 3.4, position: [0, 0], parameters: {} }],
		connections: {},
		active: false,
		nodeTypes: nodeTypes.parse({ getByNameAndVersion: () => type, getByName: () => type, getKnownTypes: () => ({}) }),
	});
	return items.some((_, itemIndex) => {
		const read = workflow.expression.getParameterValue(entrance, null, 0, itemIndex, 'Switch', items, 'manual', {});
		try {
			return executeFilter(filter.parse(read), { itemIndex });
		} catch (error) {
			// n8n ends the execution if a value has another type or cannot be read.
			if (!(error instanceof Error) || error.name !== 'FilterError') throw error;
			return false;
		}
	});
}

describe('the example of a login by one-time code', () => {
	it('leads to the page for customers only from the first rule of its Switch node', () => {
		const [first, ...others] = example.connections['Code correct?']?.main ?? [];
		expect(first?.map(({ node }) => node)).toEqual(['Logged in']);
		expect(others.flat().map(({ node }) => node)).not.toContain('Logged in');
	});

	it('logs no one in after any generated rejection', async () => {
		const random = numbersFrom(3);
		const bodies = [...notACode, ...Array.from({ length: runCount(500) }, () => rejection(random))];
		const admitted: unknown[] = [];
		for (const response of bodies) if (admits(await check(response))) admitted.push(response);
		expect(admitted).toEqual([]);
	}, 120_000);

	it('logs the customer in after each generated approval', async () => {
		const random = numbersFrom(4);
		const notAdmitted: unknown[] = [];
		for (let run = 0; run < runCount(50); run++) {
			const response = approval(random);
			if (!admits(await check(response))) notAdmitted.push(response);
		}
		expect(notAdmitted).toEqual([]);
	}, 60_000);
});

describe('Check Code with a response that does not say whether the code is right', () => {
	it.each([{ success: true }, { success: true, message: 'OK' }])(
		'reports an unclear response as not valid and names Accept Success as Valid: %j',
		async (response) => {
			const row = rowOf(await check(response));
			expect(row).toMatchObject({ valid: false, reason: 'unclear' });
			expect(row?.message).toContain('Accept Success as Valid');
			expect(row).not.toHaveProperty('verdict');
		},
	);

	it('does not name Accept Success as Valid if the option would not help', async () => {
		const row = rowOf(await check({ status: 'pending' }));
		expect(row).toMatchObject({ valid: false, reason: 'unclear' });
		expect(row?.message).toEqual(expect.any(String));
		expect(row?.message).not.toContain('Accept Success as Valid');
	});

	it('accepts success alone as a valid code with Accept Success as Valid', async () => {
		const options = { acceptSuccess: true };
		const row = rowOf(await check({ success: true, message: 'OK' }, options));
		expect(row).toMatchObject({ valid: true });
		expect(row).not.toHaveProperty('reason');
	});

	it('logs no one in after any generated rejection with Accept Success as Valid', async () => {
		const random = numbersFrom(5);
		const admitted: unknown[] = [];
		for (let run = 0; run < runCount(200); run++) {
			const response = rejectionOf(random);
			if (admits(await check(response, { acceptSuccess: true }))) admitted.push(response);
		}
		expect(admitted).toEqual([]);
	}, 60_000);

	it.each([
		{ success: true, data: { attempts_left: 2, verified: null } },
		{ success: true, message: 'Wrong code' },
		{ success: true, status: 'pending' },
		{ success: true, valid: 'maybe' },
		{ status: 'success' },
		{},
	])('reports %j as not valid with Accept Success as Valid', async (response) => {
		expect(rowOf(await check(response, { acceptSuccess: true }))).toMatchObject({ valid: false });
	});
});

describe('The row of Check Code', () => {
	it('leads with valid and has no field that means success if the code is not valid', async () => {
		const random = numbersFrom(7);
		const bodies = [...notACode, ...Array.from({ length: runCount(100) }, () => rejection(random))];
		for (const response of bodies) {
			const row = rowOf(await check(response));
			expect([response, Object.keys(row ?? {})[0], row?.valid]).toEqual([response, 'valid', false]);
			expect([response, row, showsSuccess({ ...row, message: undefined })]).toEqual([response, row, false]);
		}
	}, 60_000);

	it('keeps the facts of a wrong code', async () => {
		const facts = { verification_id: 1001, status: 'wrong_code', tries_left: 1, data: { expired: true } };
		expect(rowOf(await check({ success: true, valid: false, ...facts }))).toEqual({
			valid: false,
			reason: 'wrong_code',
			...facts,
		});
	});

	it('leads with valid and has no success or outcome for a right code', async () => {
		const row = rowOf(await check({ success: true, verification_id: 7, valid: true, status: 'verified' }));
		expect(row).toEqual({ valid: true, verification_id: 7, status: 'verified' });
		expect(Object.keys(row ?? {})[0]).toBe('valid');
	});

	it('has the outcome of a check that failed', async () => {
		body = '<p>Please wait';
		const parameters = { resource: 'verification', operation: 'check', verificationId: 1001, code: '493021' };
		const result = await engine.run({ parameters, settings: { onError: 'continueRegularOutput' } });
		expect(rowOf(result)).toMatchObject({ outcome: 'unknown' });
	});
});

describe('Check Code with a wrong code', () => {
	it.each([
		[{ success: false, message: "Code doesn't match" }, 'wrong_code'],
		[{ success: true, code: 'OTP_EXPIRED' }, 'expired_code'],
		[{ success: true, valid: false, message: 'Code already used' }, 'used_code'],
		[{ success: true, is_verified: false }, 'wrong_code'],
		[{ success: false, data: { message: 'Too many attempts' } }, 'too_many_tries'],
		[{ valid: false, message: 'Unable to reach the code store' }, 'not_valid'],
		[{ success: true, message: 'Wrong code' }, 'unclear'],
	])('reads the reason a code is not valid from %j: %s', async (response, reason) => {
		expect(rowOf(await check(response))).toMatchObject({ valid: false, reason });
	});

	it('reports a response with deep nesting as not valid, without an error', async () => {
		const deep = `{"valid":false,"trace":${'['.repeat(200)}1${']'.repeat(200)}}`;
		const row = rowOf(await check(JSON.parse(deep)));
		expect(row).toMatchObject({ valid: false });
	});
});
