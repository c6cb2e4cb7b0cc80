import { contract, createClient, type Transport } from '../../shared';
import { approval, notACode, numbersFrom, rejection } from '../support/checkBodies';
import { runCount } from '../support/random';

const { input } = contract.verification.check.example;

/** Checks a code against a service that responds with this body. */
async function check(body: unknown) {
	const transport: Transport = {
		send: () =>
			Promise.resolve({ status: 200, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }),
		sleep: () => Promise.resolve(),
	};
	const client = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1', transport });
	return await client.call(contract.verification.check, input);
}

const verdictOf = async (body: unknown) => {
	const outcome = await check(body);
	return outcome.outcome === 'accepted' ? outcome.output : undefined;
};

describe('the check of a one-time code', () => {
	it.each(notACode)('does not accept a code for %j', async (body) => {
		expect((await verdictOf(body))?.valid).toBe(false);
	});

	it('does not accept a code for any generated rejection', async () => {
		const random = numbersFrom(1);
		for (let run = 0; run < runCount(2_000); run++) {
			const body = rejection(random);
			expect([body, (await verdictOf(body))?.valid ?? false]).toEqual([body, false]);
		}
	});

	it('accepts a code for each generated approval', async () => {
		const random = numbersFrom(2);
		for (let run = 0; run < runCount(500); run++) {
			const body = approval(random);
			expect([body, await verdictOf(body)]).toEqual([body, expect.objectContaining({ valid: true, verdict: 'right' })]);
		}
	});

	it.each([
		[{ success: true }, 'only_success'],
		[{ success: true, message: 'OK' }, 'only_success'],
		[{ success: 'true', data: { verification_id: 7, attempts_left: 2 } }, 'only_success'],
		[{ status: 'success' }, 'unclear'],
		[{}, 'unclear'],
		[{ message: 'Done' }, 'unclear'],
		[{ success: true, status: 'pending' }, 'unclear'],
		[{ success: true, user: { verified: true } }, 'only_success'],
		[{ success: true, valid: 'maybe' }, 'unclear'],
		[{ success: true, message: 'Wrong code' }, 'unclear'],
		[{ success: true, error: { message: 'Server busy' } }, 'unclear'],
		[{ success: true, status: 'on hold' }, 'unclear'],
		[{ success: true, data: false }, 'unclear'],
		[{ valid: true, invalid: true }, 'unclear'],
		[{ success: true, valid: true, status: 'pending' }, 'unclear'],
	])('gives %j the verdict %s', async (body, verdict) => {
		expect(await verdictOf(body)).toMatchObject({ valid: false, verdict });
	});

	it.each([
		{ success: true, valid: false },
		{ success: true, code: 'OTP_EXPIRED' },
		{ success: false },
		{ status: 'expired' },
		{ success: true, data: [{ valid: true }, { valid: false }] },
	])('reads %j as a wrong code', async (body) => {
		expect(await verdictOf(body)).toMatchObject({ valid: false, verdict: 'wrong' });
	});

	it.each([
		{ valid: true, invalid: false, expired: false, error: null, errors: [], message: 'No errors' },
		{ success: true, data: { valid: true, attempts: 1, verified_at: '2026-11-20 12:00:00' } },
		{ response: { otp: { verified: true } } },
		{ valid: true, message: 'The code has expired: ask for no other' },
	])('reads %j as a right code', async (body) => {
		expect(await verdictOf(body)).toMatchObject({ valid: true, verdict: 'right' });
	});

	it.each([
		['a text of 500,000 characters', { status: "n't ".repeat(125_000) }],
		['a word of 500,000 characters', { success: true, message: 'A'.repeat(500_000) }],
		['a key of 500,000 characters', { success: true, valid: true, ['verified_'.repeat(55_000)]: false }],
		['a list of 500,000 entries', { valid: true, data: Array.from({ length: 500_000 }, () => 1) }],
		['nesting of 100,000 levels', `{"valid":true,"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
		['toString as a key', { status: { toString: 'x' }, success: { valueOf: 1 } }],
		['__proto__ as a key', '{"success":true,"__proto__":{"valid":true}}'],
	])(
		'does not read %s as an approval, and finishes at once',
		async (_, body) => {
			expect((await verdictOf(body))?.valid ?? false).toBe(false);
		},
		5_000,
	);
});
