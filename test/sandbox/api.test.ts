import { anyString, matching, PHONE, run } from '../support/testSandbox';

describe('authentication', () => {
	it.each<Record<string, string>>([{ 'x-api-key': 'sk_sandbox_demo' }, { authorization: 'Bearer sk_sandbox_demo' }])(
		'accepts the API key as %j',
		async (headers) => {
			await using sandbox = await run();
			const response = await sandbox.api('GET', 'balance', undefined, headers);
			expect(response).toMatchObject({ status: 200, body: { success: true, balance: 40, currency: 'GHS' } });
		},
	);

	it.each<[Record<string, string>, RegExp]>([
		[{}, /missing/],
		[{ 'x-api-key': '' }, /missing/],
		[{ 'x-api-key': 'sk_sandbox_other' }, /not valid/],
		[{ authorization: 'Basic sk_sandbox_demo' }, /missing/],
		[{ 'x-api-key': 'sk_live_secret' }, /This is the sandbox.*Never send a live key/],
		[{ authorization: 'Bearer sk_9f8e' }, /This is the sandbox.*Never send a live key/],
	])('rejects %j with 401', async (headers, message) => {
		await using sandbox = await run();
		const response = await sandbox.api('POST', 'sms/send', { to: PHONE }, headers);
		expect(response).toMatchObject({
			status: 401,
			body: { success: false, code: 'invalid_key', message: matching(message) },
		});
		expect(JSON.stringify(response.body)).not.toMatch(/sk_live_secret|sk_9f8e/);
	});

	it('accepts the key it was started with, and no other', async () => {
		await using sandbox = await run({ apiKey: 'sk_sandbox_mine' });
		expect((await sandbox.api('GET', 'balance')).status).toBe(200);
		expect((await sandbox.api('GET', 'balance', undefined, { 'x-api-key': 'sk_sandbox_demo' })).status).toBe(401);
	});
});

describe('sms.send', () => {
	it('responds as documented and charges one segment', async () => {
		await using sandbox = await run();
		expect(await sandbox.send()).toMatchObject({
			status: 200,
			body: {
				success: true,
				message_id: anyString,
				status: 'submitted',
				cost: 0.05,
				billed_via: 'wallet',
				balance: 39.95,
			},
		});
	});

	it.each([
		['160 GSM-7 characters', 'a'.repeat(160), 1],
		['161 GSM-7 characters', 'a'.repeat(161), 2],
		['1600 GSM-7 characters', 'a'.repeat(1600), 11],
		['a euro sign, which takes two septets', `${'a'.repeat(159)}€`, 2],
		['70 UCS-2 characters', '₵'.repeat(70), 1],
		['71 UCS-2 characters', '₵'.repeat(71), 2],
		['one cedi sign among 160 characters', `₵${'a'.repeat(159)}`, 3],
		['a surrogate pair between two segments', `${'ɛ'.repeat(66)}🙂${'ɛ'.repeat(66)}`, 3],
	])('charges %s by segments', async (_name, message, segments) => {
		await using sandbox = await run();
		const { cost, balance, message_id } = await sandbox.sent({ message });
		expect(cost).toBe((segments * 5) / 100);
		expect(balance).toBe((4000 - segments * 5) / 100);
		expect(await sandbox.wallet()).toMatchObject({
			balance,
			transactions: [
				{ type: 'debit', amount: -cost, message_id },
				{ type: 'topup', amount: 40, message_id: null },
			],
		});
		expect((await sandbox.control('GET', 'messages')).body).toMatchObject([{ message_id, message, segments, cost }]);
	});

	it.each([
		['a missing field', { to: PHONE, message: 'x' }, 'validation', /sender_id is missing/],
		['a local number', { to: '0201234567', sender_id: 'KOFISHOP', message: 'x' }, 'validation', /^to is not an E\.164/],
		['an empty message', { to: PHONE, sender_id: 'KOFISHOP', message: '' }, 'validation', /^message is empty/],
		[
			'a message of 1601 characters',
			{ to: PHONE, sender_id: 'KOFISHOP', message: 'x'.repeat(1601) },
			'validation',
			/^message has 1601/,
		],
		['a wrong type', { to: PHONE, sender_id: 'KOFISHOP', message: 'x', priority: 'yes' }, 'validation', /priority/],
		['a body that is not JSON', '{"to":', 'validation', /not JSON/],
		['a body that is a list', [], 'validation', /not a JSON object/],
		[
			'an unknown sender ID',
			{ to: PHONE, sender_id: 'UNKNOWN', message: 'x' },
			'sender_not_approved',
			/UNKNOWN is not a sender ID.*KOFISHOP, AKWAABA/,
		],
		[
			'a pending sender ID',
			{ to: PHONE, sender_id: 'PENDINGCO', message: 'x' },
			'sender_not_approved',
			/PENDINGCO is still waiting.*KOFISHOP, AKWAABA/,
		],
	])('rejects %s and charges nothing', async (_name, body, code, message) => {
		await using sandbox = await run();
		expect(await sandbox.api('POST', 'sms/send', body)).toMatchObject({
			status: 422,
			body: { success: false, code, message: matching(message) },
		});
		expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
		expect(await sandbox.wallet()).toMatchObject({ balance: 40, transactions: [{ type: 'topup' }] });
	});

	it('spends the balance to the last pesewa, then rejects with price and balance', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { requests_per_second: 10_000 });
		for (let sent = 0; sent < 72; sent += 1) await sandbox.sent({ message: 'a'.repeat(1600) });
		expect((await sandbox.wallet()).balance).toBe(0.4);
		expect(await sandbox.send({ message: 'a'.repeat(1377) })).toMatchObject({
			status: 422,
			body: {
				code: 'insufficient_balance',
				message: matching(/GHS 0\.45.*GHS 0\.40\b/),
			},
		});
		expect((await sandbox.wallet()).balance).toBe(0.4);
		expect((await sandbox.sent({ message: 'a'.repeat(1224) })).balance).toBe(0);
	});

	it('rejects an opted-out number and charges nothing', async () => {
		await using sandbox = await run();
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: ' Stop\n' });
		await sandbox.thread(PHONE, ([entry]) => entry?.status === 'posted');
		expect(await sandbox.send()).toMatchObject({ status: 422, body: { code: 'opted_out' } });
		expect((await sandbox.send({ to: '+233209999999' })).status).toBe(200);
		expect((await sandbox.wallet()).balance).toBe(39.95);
	});
});

describe('message status', () => {
	const timestamp = matching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

	it('goes from submitted over sent to delivered, and stays there', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent();
		expect(await sandbox.status(message_id)).toEqual({
			success: true,
			message_id,
			status: 'submitted',
			provider_status: 'ACCEPTD',
			cost: 0.05,
			to: PHONE,
			sender_id: 'KOFISHOP',
			created_at: timestamp,
			sent_at: null,
			delivered_at: null,
			failed_at: null,
		});
		await sandbox.advance(299);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'submitted' });
		await sandbox.advance(1);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'sent', sent_at: timestamp, delivered_at: null });
		await sandbox.advance(700);
		const delivered = { status: 'delivered', sent_at: timestamp, delivered_at: timestamp, failed_at: null };
		expect(await sandbox.status(message_id)).toMatchObject(delivered);
		await sandbox.advance(1_000_000);
		expect(await sandbox.status(message_id)).toMatchObject(delivered);
		expect((await sandbox.wallet()).balance).toBe(39.95);
	});

	it('changes by itself while the clock runs', async () => {
		await using sandbox = await run({ clock: 'running' });
		const { message_id } = await sandbox.sent();
		const statuses = new Set<string | undefined>();
		await sandbox.thread(PHONE, ([entry]) => {
			statuses.add(entry?.status);
			return entry?.status === 'delivered';
		});
		expect([...statuses].slice(-2)).toEqual(['sent', 'delivered']);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'delivered' });
	});

	it('ends in failed with a refund for the undeliverable number', async () => {
		await using sandbox = await run();
		const { message_id, balance } = await sandbox.sent({ to: '+233990000002', message: 'a'.repeat(200) });
		expect(balance).toBe(39.9);
		await sandbox.advance(500);
		expect(await sandbox.status(message_id)).toMatchObject({ status: 'sent' });
		expect((await sandbox.wallet()).balance).toBe(39.9);
		await sandbox.advance(500);
		expect(await sandbox.status(message_id)).toMatchObject({
			status: 'failed',
			sent_at: timestamp,
			delivered_at: null,
			failed_at: timestamp,
		});
		expect(await sandbox.wallet()).toMatchObject({
			balance: 40,
			transactions: [
				{ type: 'refund', amount: 0.1, message_id },
				{ type: 'debit', amount: -0.1, message_id },
				{ type: 'topup', amount: 40 },
			],
		});
	});

	it('returns a message in the same form on every channel endpoint, with the channel', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent();
		const any = (await sandbox.api('GET', `messages/${message_id}`)).body;
		expect(any).toEqual({ ...Object(await sandbox.status(message_id)), channel: 'sms' });
	});

	it.each(['sms/msg_none', 'messages/msg_none'])('responds with 404 to %s', async (path) => {
		await using sandbox = await run();
		expect(await sandbox.api('GET', path)).toMatchObject({
			status: 404,
			body: { success: false, code: 'not_found', message: matching(/msg_none/) },
		});
	});
});

describe('other endpoints and routes', () => {
	it('lists approved sender IDs only', async () => {
		await using sandbox = await run();
		expect((await sandbox.api('GET', 'senderids')).body).toMatchObject({
			data: [
				{ name: 'KOFISHOP', status: 'approved' },
				{ name: 'AKWAABA', status: 'approved' },
			],
		});
	});

	it('names a wrong method and an unknown path', async () => {
		await using sandbox = await run();
		const wrong = await sandbox.api('POST', 'balance', {});
		expect(wrong).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
		expect(wrong.headers.get('allow')).toBe('GET');
		expect(await sandbox.api('GET', 'nothing')).toMatchObject({ status: 404, body: { code: 'not_found' } });
	});

	it('rejects a body above 64 KiB', async () => {
		await using sandbox = await run();
		expect(await sandbox.send({ message: 'a'.repeat(70_000) })).toMatchObject({
			status: 413,
			body: { code: 'too_large' },
		});
	});
});

describe('rate limit', () => {
	it('responds with 429 and the seconds to wait, then accepts requests again', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { requests_per_second: 0.5 });
		expect((await sandbox.api('GET', 'balance')).status).toBe(200);
		const rejected = await sandbox.send();
		expect(rejected).toMatchObject({ status: 429, body: { success: false, code: 'rate_limited' } });
		expect(rejected.headers.get('retry-after')).toBe('2');
		await sandbox.advance(1999);
		expect((await sandbox.send()).headers.get('retry-after')).toBe('1');
		await sandbox.advance(1);
		expect((await sandbox.send()).status).toBe(200);
		expect((await sandbox.wallet()).balance).toBe(39.95);
	});

	it('accepts 100 requests at once by default', async () => {
		await using sandbox = await run();
		const statuses = await Promise.all(
			Array.from({ length: 101 }, async () => (await sandbox.api('GET', 'balance')).status),
		);
		expect(statuses.filter((status) => status === 200)).toHaveLength(100);
		expect(statuses.filter((status) => status === 429)).toHaveLength(1);
	});
});
