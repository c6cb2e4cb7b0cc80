import { notACode, numbersFrom, approval, rejection, showsSuccess } from '../support/checkBodies';
import { runCount } from '../support/random';
import { stubServer, type StubServer } from '../support/stubServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

let server: StubServer;
let body: string;

beforeAll(async () => {
	server = await stubServer(() => ({ status: 200, body }));
});
afterAll(() => server[Symbol.asyncDispose]());

const check = async (response: unknown, more = {}) => {
	body = JSON.stringify(response);
	const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
	const { results } = await app.attempt(methods.checkVerificationCode, {
		verification_id: '1',
		code: '493021',
		...more,
	});
	return results;
};

describe('Check Verification Code', () => {
	it.each(notACode)('does not accept %j as a correct code', async (response) => {
		const results = await check(response);
		expect(results).toMatchObject({ valid: false });
		expect([results, showsSuccess({ ...Object(results), message: null })]).toEqual([results, false]);
	});

	it('accepts no generated rejection and each generated approval', async () => {
		const random = numbersFrom(6);
		for (let run = 0; run < runCount(100); run++) {
			const response = rejection(random);
			expect([response, await check(response)]).not.toEqual([response, expect.objectContaining({ valid: true })]);
		}
		for (let run = 0; run < runCount(30); run++) {
			const response = approval(random);
			expect([response, await check(response)]).toEqual([response, expect.objectContaining({ valid: true })]);
		}
	}, 60_000);

	it('reports success without a verdict as unclear, and names the field that accepts it', async () => {
		expect(await check({ success: true })).toEqual({
			valid: false,
			status: null,
			reason: 'unclear',
			message: expect.stringContaining('Accept Success as Valid') as string,
		});
	});

	it('accepts success without a verdict if Accept Success as Valid is on', async () => {
		expect(await check({ success: true }, { accept_success: 'true' })).toMatchObject({ valid: true, reason: null });
		const rejected = { success: true, data: [{ verified: 0 }] };
		expect(await check(rejected, { accept_success: true })).toMatchObject({ valid: false, reason: 'wrong_code' });
	});

	it('tells an expired code apart from a wrong one', async () => {
		expect(await check({ success: true, code: 'OTP_EXPIRED' })).toMatchObject({ reason: 'expired_code' });
		expect(await check({ success: false, message: "Code doesn't match" })).toMatchObject({ reason: 'wrong_code' });
		for (const more of [{ code: '493021' }, { message: 'Done' }]) {
			expect(await check({ valid: false, ...more })).toMatchObject({ reason: 'wrong_code' });
		}
		const unclear = { reason: 'unclear', message: expect.stringContaining('Wrong code') as string };
		expect(await check({ success: true, message: 'Wrong code' })).toMatchObject(unclear);
		const hidden = { message: expect.stringContaining('Is … the code?') as string };
		expect(await check({ success: true, message: 'Is 493021 the code?' })).toMatchObject(hidden);
	});
});
