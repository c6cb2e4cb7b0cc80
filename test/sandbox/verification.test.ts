import { z } from 'zod/v4';
import { matching, PHONE, run, type TestSandbox } from '../support/testSandbox';

const startBody = z.looseObject({ verification_id: z.number() });
const codeBody = z.object({ code: z.string().regex(/^\d{6}$/), status: z.string() });

async function started(sandbox: TestSandbox): Promise<number> {
	const { status, body } = await sandbox.api('POST', 'verify/start', { phone: PHONE, sender_id: 'KOFISHOP' });
	expect(status).toBe(200);
	return startBody.parse(body).verification_id;
}

const check = async (sandbox: TestSandbox, verification_id: number, code: string) =>
	await sandbox.api('POST', 'verify/check', { verification_id, code });

const lastCode = async (sandbox: TestSandbox) =>
	codeBody.parse((await sandbox.control('GET', `phones/${PHONE}/code`)).body).code;

const otherThan = (code: string) => (code === '111111' ? '222222' : '111111');

describe('verification', () => {
	it('sends a six-digit code as a priority SMS and charges for it', async () => {
		await using sandbox = await run();
		const response = await sandbox.api('POST', 'verify/start', { phone: PHONE, sender_id: 'KOFISHOP' });
		expect(response.body).toMatchObject({
			success: true,
			verification_id: 1001,
			status: 'pending',
			cost: 0.05,
			balance: 39.95,
		});
		const code = await lastCode(sandbox);
		expect((await sandbox.control('GET', 'messages')).body).toMatchObject([
			{ to: PHONE, sender_id: 'KOFISHOP', priority: true, message: matching(new RegExp(`^${code} is your`)) },
		]);
	});

	it('accepts the code once', async () => {
		await using sandbox = await run();
		const id = await started(sandbox);
		const code = await lastCode(sandbox);
		expect(await check(sandbox, id, otherThan(code))).toMatchObject({
			status: 200,
			body: { valid: false, status: 'wrong_code', tries_left: 4 },
		});
		expect(await check(sandbox, id, code)).toMatchObject({ status: 200, body: { valid: true, status: 'verified' } });
		expect(await check(sandbox, id, code)).toMatchObject({ status: 200, body: { valid: false, status: 'used_code' } });
	});

	it('ends after five wrong codes', async () => {
		await using sandbox = await run();
		const id = await started(sandbox);
		const code = await lastCode(sandbox);
		for (let tries = 1; tries <= 4; tries += 1) {
			expect((await check(sandbox, id, otherThan(code))).body).toMatchObject({ status: 'wrong_code' });
		}
		expect((await check(sandbox, id, otherThan(code))).body).toMatchObject({ status: 'too_many_tries', tries_left: 0 });
		expect((await check(sandbox, id, code)).body).toMatchObject({ valid: false, status: 'too_many_tries' });
	});

	it('expires after ten minutes', async () => {
		await using sandbox = await run();
		const id = await started(sandbox);
		const code = await lastCode(sandbox);
		await sandbox.advance(599_999);
		const other = await started(sandbox);
		const otherCode = await lastCode(sandbox);
		await sandbox.advance(1);
		expect((await check(sandbox, id, code)).body).toMatchObject({ valid: false, status: 'expired_code' });
		expect((await check(sandbox, other, otherCode)).body).toMatchObject({ valid: true });
	});

	it('supports the magic codes', async () => {
		await using sandbox = await run();
		const id = await started(sandbox);
		expect((await check(sandbox, id, '000000')).body).toMatchObject({ status: 'wrong_code' });
		expect((await check(sandbox, id, '999999')).body).toMatchObject({ status: 'expired_code' });
		expect((await check(sandbox, id, '123456')).body).toMatchObject({ valid: true });
	});

	it('responds to a wrong code with 422 if set', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { verification_shape: 'refusal' });
		const id = await started(sandbox);
		expect(await check(sandbox, id, '000000')).toMatchObject({ status: 422, body: { code: 'wrong_code' } });
		expect(await check(sandbox, id, '123456')).toMatchObject({ status: 200, body: { valid: true } });
	});

	it('responds with 404 to an unknown verification', async () => {
		await using sandbox = await run();
		expect(await check(sandbox, 5, '123456')).toMatchObject({ status: 404, body: { code: 'not_found' } });
	});

	it.each([
		[{ phone: PHONE, sender_id: 'PENDINGCO' }, 'sender_not_approved'],
		[{ phone: '+233990000009', sender_id: 'KOFISHOP' }, 'opted_out'],
		[{ phone: '0201234567', sender_id: 'KOFISHOP' }, 'validation'],
	])('rejects %j and charges nothing', async (body, code) => {
		await using sandbox = await run();
		expect(await sandbox.api('POST', 'verify/start', body)).toMatchObject({ status: 422, body: { code } });
		expect((await sandbox.wallet()).balance).toBe(40);
		expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
	});
});
