import { z } from 'zod/v4';
import { listen, matching, PHONE, run, type TestSandbox } from '../support/testSandbox';

/**
 * Response shapes that the API does not document and the sandbox can be set to. Other tests cover how they are read.
 */

const OPTED_OUT = '+233244000200';

async function shaped(settings: Readonly<Record<string, unknown>>): Promise<TestSandbox> {
	const sandbox = await run();
	const { status, body } = await sandbox.control('PUT', 'settings', settings);
	expect({ status, body }).toMatchObject({ status: 200, body: settings });
	return sandbox;
}

async function startCheck(sandbox: TestSandbox): Promise<{ id: number; code: string }> {
	const started = await sandbox.api('POST', 'verify/start', { phone: PHONE, sender_id: 'KOFISHOP' });
	const { verification_id } = z.object({ verification_id: z.number() }).parse(started.body);
	const sent = await sandbox.control('GET', `phones/${encodeURIComponent(PHONE)}/code`);
	return { id: verification_id, code: z.object({ code: z.string() }).parse(sent.body).code };
}

const OUT = matching(/has opted out/);

describe('a rejected call', () => {
	it.each([
		['success_false', { success: false, code: 'opted_out', message: OUT }],
		['wrapped', { sms: { success: false, id: matching(/^no_/), error: OUT } }],
		['row', { success: true, results: [{ message_id: matching(/^no_/), status: 'failed', error: OUT }] }],
		['text', { message: OUT }],
	])('reports a rejection in a 200 in the shape %s, and charges nothing', async (rejection_shape, body) => {
		await using sandbox = await shaped({ rejection_shape });
		await sandbox.control('POST', 'opt-outs', { number: OPTED_OUT });
		const before = await sandbox.wallet();
		const rejected = await sandbox.send({ to: OPTED_OUT });
		expect(rejected).toMatchObject({ status: 200, body });
		expect(await sandbox.wallet()).toEqual(before);
	});

	it('keeps the status of a wrong key and of a rate limit', async () => {
		await using sandbox = await shaped({ rejection_shape: 'success_false', requests_per_second: 1 });
		expect((await sandbox.api('GET', 'balance', undefined, { 'x-api-key': 'sk_sandbox_no' })).status).toBe(401);
		const statuses = await Promise.all([1, 2, 3].map(async () => (await sandbox.api('GET', 'balance')).status));
		expect(statuses).toContain(429);
	});
});

describe('the check of a code', () => {
	it.each([
		['flag', { success: true, is_verified: true }, 200, { success: true, is_verified: false }],
		['list', { success: true, data: [{ valid: true }] }, 200, { success: true, data: [{ valid: false }] }],
		['words', { success: true, message: 'Code verified.' }, 200, { success: true, message: 'The code is wrong.' }],
		['success', { success: true }, 422, { success: false, code: 'wrong_code' }],
	])('reports in the shape %s whether the code is right', async (verification_shape, right, status, wrong) => {
		await using sandbox = await shaped({ verification_shape });
		const { id, code } = await startCheck(sandbox);
		const other = code === '111111' ? '222222' : '111111';
		const tried = await sandbox.api('POST', 'verify/check', { verification_id: id, code: other });
		expect(tried.status).toBe(status);
		expect(tried.body).toMatchObject(wrong);
		const checked = await sandbox.api('POST', 'verify/check', { verification_id: id, code });
		expect(checked.body).toEqual(right);
	});
});

describe('a bulk send', () => {
	const id = matching(/^bulk_/);
	const row = { message_id: matching(/^bulk_|^msg_/) };
	const left = { to: OPTED_OUT, error: 'The number has opted out.' };
	it.each([
		[
			'renamed_rows',
			{
				results: [
					{ contact: PHONE, state: 'queued' },
					{ contact: OPTED_OUT, state: 'skipped' },
				],
			},
		],
		['lists', { sent: [PHONE], failed: [left] }],
		['groups', { results: { sent: [{ to: PHONE }], failed: [left] } }],
		['map', { results: { [PHONE]: row, [OPTED_OUT]: { status: 'skipped' } } }],
		['counts', { accepted: 1, rejected: 1 }],
	])('reports in the shape %s the result of each number', async (bulk_shape, body) => {
		await using sandbox = await shaped({ bulk_shape, bulk_opt_outs: 'skip' });
		await sandbox.control('POST', 'opt-outs', { number: OPTED_OUT });
		const sent = await sandbox.api('POST', 'sms/bulk', {
			to: [PHONE, OPTED_OUT],
			sender_id: 'KOFISHOP',
			message: 'Hello',
		});
		expect(sent.body).toMatchObject({ success: true, batch_id: id, ...body });
	});
});

describe('lists', () => {
	async function addContacts(sandbox: TestSandbox, count: number): Promise<void> {
		for (let index = 0; index < count; index += 1) {
			await sandbox.control('POST', 'contacts', { name: `Ama ${index}`, phone: `+23324400030${index}` });
		}
	}
	const page = z.object({ contacts: z.array(z.object({ name: z.string() })), pagination: z.looseObject({}) });

	it('come in pages that name the next one, each row once', async () => {
		await using sandbox = await shaped({ page_size: 2, list_shape: 'named' });
		await addContacts(sandbox, 5);
		const total = z.array(z.unknown()).parse((await sandbox.control('GET', 'contacts')).body).length;
		const names: string[] = [];
		let next: string | null = new URL('contacts', sandbox.sandbox.baseUrl).href;
		for (let turn = 0; next !== null && turn < 10; turn += 1) {
			const { contacts, pagination } = page.parse((await sandbox.api('GET', next)).body);
			expect(contacts.length).toBeLessThanOrEqual(2);
			names.push(...contacts.map(({ name }) => name));
			expect(pagination).toMatchObject({ total, per_page: 2 });
			next = z.object({ next_page_url: z.string().nullable() }).parse(pagination).next_page_url;
		}
		expect(new Set(names).size).toBe(total);
	});

	it.each([
		['data', { data: [{}], meta: { last_page: 3 }, links: { next: matching(/\?page=2$/) } }],
		['paged', { data: { current_page: 1, last_page: 3, next_page_url: matching(/\?page=2$/), data: [{}] } }],
	])('report in the shape %s that there are more pages', async (list_shape, body) => {
		await using sandbox = await shaped({ list_shape });
		const before = z.object({ data: z.unknown() }).parse((await sandbox.api('GET', 'contacts')).body).data;
		const rows = z.union([z.array(z.unknown()), z.object({ data: z.array(z.unknown()) })]).parse(before);
		await addContacts(sandbox, 3 - (Array.isArray(rows) ? rows : rows.data).length);
		await sandbox.control('PUT', 'settings', { page_size: 1 });
		expect((await sandbox.api('GET', 'contacts')).body).toMatchObject(body);
	});

	it.each([
		['renamed', { contact_id: matching(/^\d+$/), full_name: 'Ama 0', phone_number: '+233244000300' }],
		['numbers', { phone: 233_244_000_300, name: 'Ama 0' }],
	])('return contacts in the shape %s', async (contact_shape, contact) => {
		await using sandbox = await shaped({ contact_shape, list_shape: 'bare' });
		await addContacts(sandbox, 1);
		expect((await sandbox.api('GET', 'contacts')).body).toEqual(
			expect.arrayContaining([expect.objectContaining(contact)]),
		);
	});

	it('return sender IDs with numbers, or as names only', async () => {
		await using sandbox = await shaped({ sender_id_shape: 'numbers', list_shape: 'bare' });
		await sandbox.control('POST', 'sender-ids', { name: '2020' });
		await sandbox.control('PUT', 'sender-ids/2020', { status: 'approved' });
		const numbered = (await sandbox.api('GET', 'senderids')).body;
		expect(numbered).toEqual(expect.arrayContaining([expect.objectContaining({ name: 2020, status: 1 })]));
		await sandbox.control('PUT', 'settings', { sender_id_shape: 'names' });
		expect((await sandbox.api('GET', 'senderids')).body).toEqual(expect.arrayContaining(['KOFISHOP', '2020']));
	});
});

describe('the wallet', () => {
	it.each([
		['renamed', { wallet_balance: 40 }],
		['nested', { balance: { amount: 40, currency: 'GHS' } }],
		['text', { balance: 'GH₵ 40.00' }],
	])('returns its balance in the shape %s', async (balance_shape, body) => {
		await using sandbox = await shaped({ balance_shape });
		const { balance } = await sandbox.wallet();
		await sandbox.control('POST', 'wallet/adjust', { amount: 40 - balance });
		expect((await sandbox.api('GET', 'balance')).body).toMatchObject(body);
	});

	it('returns transactions without IDs and balances, or without signs', async () => {
		await using sandbox = await shaped({ transaction_shape: 'bare', list_shape: 'bare' });
		await sandbox.sent();
		const bare = z.array(z.looseObject({})).parse((await sandbox.api('GET', 'wallet/transactions')).body);
		expect(Object.keys(bare[0] ?? {})).toEqual(['type', 'amount', 'created_at']);
		await sandbox.control('PUT', 'settings', { transaction_shape: 'unsigned' });
		const unsigned = (await sandbox.api('GET', 'wallet/transactions?limit=1')).body;
		expect(unsigned).toMatchObject([{ type: 'sms', amount: 0.05 }]);
	});

	it('returns transactions oldest first in every page, each once', async () => {
		await using sandbox = await shaped({ list_shape: 'bare' });
		for (let count = 0; count < 7; count += 1) await sandbox.sent();
		const ids = async (path: string) =>
			z
				.array(z.object({ id: z.string() }))
				.parse((await sandbox.api('GET', path)).body)
				.map((one) => one.id);
		const newestFirst = await ids('wallet/transactions?limit=100');
		await sandbox.control('PUT', 'settings', { transaction_order: 'oldest_first' });
		const pages: string[] = [];
		for (let offset = 0; offset < newestFirst.length + 6; offset += 3) {
			pages.push(...(await ids(`wallet/transactions?limit=3&offset=${offset}`)));
		}
		expect(pages).toEqual(newestFirst.reverse());
	});
});

it('uses the words of a carrier for statuses if set', async () => {
	await using sandbox = await shaped({ status_words: 'carrier' });
	const { message_id } = z.object({ message_id: z.string() }).parse((await sandbox.send()).body);
	expect(await sandbox.status(message_id)).toMatchObject({ status: 'accepted' });
	await sandbox.advance(300);
	expect(await sandbox.status(message_id)).toMatchObject({ status: 'enroute' });
	const topUp = await sandbox.api('POST', 'wallet/topup', { amount: 5 });
	expect(topUp.body).toMatchObject({ status: 'processing' });
});

it('gives phone messages their own ID and status if set', async () => {
	await using receiver = await listen();
	await using sandbox = await shaped({ inbound_status: true });
	await sandbox.control('PUT', 'settings', { inbound_url: receiver.url });
	await sandbox.control('POST', `phones/${encodeURIComponent(PHONE)}/texts`, { to: 'KOFISHOP', message: 'STOP' });
	await sandbox.control('POST', 'settle');
	expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
		From: PHONE,
		To: 'KOFISHOP',
		Message: 'STOP',
		id: matching(/./),
		status: 'accepted',
	});
});

it('repeats the whole message in a receipt if set', async () => {
	await using receiver = await listen();
	await using sandbox = await shaped({ callback_shape: 'whole_message' });
	await sandbox.control('PUT', 'settings', { callback_url: receiver.url });
	const { message_id } = await sandbox.sent({ message: 'We are open' });
	await sandbox.advance(300);
	await sandbox.control('POST', 'settle');
	expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
		message_id,
		from: 'KOFISHOP',
		to: PHONE,
		message: 'We are open',
		status: 'ENROUTE',
	});
});
