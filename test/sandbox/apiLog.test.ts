import { z } from 'zod/v4';
import { PHONE, run } from '../support/testSandbox';

const rows = z.array(z.looseObject({ id: z.number(), path: z.string() }));

describe('the API log', () => {
	it('has the key, the duration and the reason of a rejection', async () => {
		await using sandbox = await run();
		await sandbox.send({ to: 'KOFI' });
		const [row] = rows.parse((await sandbox.control('GET', 'requests')).body);
		expect(row).toMatchObject({
			method: 'POST',
			path: '/api/v1/sms/send',
			status: 422,
			failed: true,
			reason: expect.stringContaining('E.164') as unknown,
			key: { hint: '…demo' },
			milliseconds: expect.any(Number) as unknown,
		});
		expect((await sandbox.control('GET', `requests/${row?.id}`)).body).toMatchObject({
			request: { body: expect.stringContaining('"KOFI"') as unknown, headers: { 'x-api-key': '…demo' } },
			response: { body: expect.stringContaining('E.164') as unknown },
			records: [],
		});
	});

	it('never has a whole key, valid or not', async () => {
		await using sandbox = await run();
		await sandbox.sent();
		for (const name of ['x-api-key', 'authorization']) {
			await sandbox.api('GET', 'balance', undefined, { [name]: 'Bearer sk_live_secret' });
		}
		const all = rows.parse((await sandbox.control('GET', 'requests')).body);
		for (const { id } of all) {
			const text = JSON.stringify((await sandbox.control('GET', `requests/${id}`)).body);
			expect(text).not.toMatch(/sk_sandbox_demo|sk_live_secret/);
		}
		expect(all).toHaveLength(3);
	});

	it('filters by result, endpoint and text, and names the records of a response', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent({ message: 'Your ORDER is ready' });
		await sandbox.api('GET', 'balance');
		await sandbox.api('GET', 'nowhere');
		const paths = async (query: string) => {
			const { headers, body } = await sandbox.control('GET', `requests?${query}`);
			const found = rows.parse(body).map(({ path }) => path);
			expect(headers.get('x-total-count')).toBe(String(found.length));
			return found;
		};
		expect(await paths('failed=true')).toEqual(['/api/v1/nowhere']);
		expect(await paths('endpoint=wallet.getBalance')).toEqual(['/api/v1/balance']);
		expect(await paths('endpoint=none')).toEqual(['/api/v1/nowhere']);
		expect(await paths('search=order')).toEqual(['/api/v1/sms/send']);
		expect(await paths(`search=${message_id}`)).toEqual(['/api/v1/sms/send']);
		const [row] = rows.parse((await sandbox.control('GET', 'requests?search=order')).body);
		expect((await sandbox.control('GET', `requests/${row?.id}`)).body).toMatchObject({ records: [message_id] });
	});

	it('keeps only the beginning of a long body', async () => {
		await using sandbox = await run();
		const to = Array.from({ length: 5000 }, (_none, place) => `+2332${String(10_000_000 + place)}`);
		await sandbox.api('POST', 'sms/bulk', { to, sender_id: 'KOFISHOP', message: 'To all' });
		const [row] = rows.parse((await sandbox.control('GET', 'requests')).body);
		const { body } = await sandbox.control('GET', `requests/${row?.id}`);
		const { request } = z.object({ request: z.object({ body: z.string(), cut: z.boolean() }) }).parse(body);
		expect([request.body.length, request.cut]).toEqual([4096, true]);
	});
});

describe('the search', () => {
	const found = async (sandbox: Awaited<ReturnType<typeof run>>, search: string) => {
		const { body } = await sandbox.control('GET', `messages?search=${encodeURIComponent(search)}`);
		return z
			.array(z.object({ message: z.string() }))
			.parse(body)
			.map(({ message }) => message);
	};

	it.each([
		['hello', ['Hello ÉCOLE 50%']],
		['école', ['Hello ÉCOLE 50%']],
		['O ÉcOlE 5', ['Hello ÉCOLE 50%']],
		['50%', ['Hello ÉCOLE 50%']],
		['0_5', []],
		['ecole', []],
		['msg', []],
	])('for %j ignores case and takes no letter as a pattern', async (search, messages) => {
		await using sandbox = await run();
		await sandbox.sent({ message: 'Hello ÉCOLE 50%' });
		await sandbox.sent({ message: 'Bananas 0x5' });
		expect(await found(sandbox, search)).toEqual(messages);
	});

	it('finds a message by its ID or the beginning of it, and a bulk send by its own', async () => {
		await using sandbox = await run();
		const { message_id } = await sandbox.sent({ message: 'Alone' });
		await sandbox.api('POST', 'sms/bulk', { to: [PHONE], sender_id: 'KOFISHOP', message: 'To all' });
		await sandbox.advance(5000);
		expect(await found(sandbox, message_id)).toEqual(['Alone']);
		expect(await found(sandbox, message_id.slice(0, -2).toUpperCase())).toEqual(['Alone']);
		const [batch] = z.array(z.object({ batch_id: z.string() })).parse((await sandbox.control('GET', 'batches')).body);
		expect(await found(sandbox, batch?.batch_id ?? '')).toEqual(['To all']);
	});

	it('finds transactions and callbacks by their text and the ID of the message', async () => {
		await using sandbox = await run();
		await sandbox.control('PUT', 'settings', { callback_url: 'http://127.0.0.1:9/hook' });
		const { message_id } = await sandbox.sent();
		await sandbox.control('POST', 'wallet/adjust', { amount: 1, description: 'For Kofi' });
		await sandbox.advance(1000);
		await sandbox.control('POST', 'settle');
		const total = async (path: string) => (await sandbox.control('GET', path)).headers.get('x-total-count');
		expect(await total('transactions?search=KOFI')).toBe('1');
		expect(await total(`transactions?search=${message_id}`)).toBe('1');
		expect(await total('transactions?type=topup')).toBe('1');
		expect(await total(`callbacks?search=${message_id}`)).not.toBe('0');
		expect(await total('callbacks?search=DELIVERED')).not.toBe('0');
		expect(await total('callbacks?search=no-such-text')).toBe('0');
		expect(await total('callbacks?event=sms.inbound')).toBe('0');
		expect((await sandbox.control('GET', 'callbacks')).body).toMatchObject([{ http_status: null }, {}]);
	});
});

it.each([
	['0201234567', '+233201234567'],
	['020 123 4567', '+233201234567'],
	['+233 20 123 4567', '+233201234567'],
	['(020) 123-4567', '+233201234567'],
	['+44 20 7946 0018', '+442079460018'],
	['12', null],
	['KOFI', null],
])('the control routes read the number %j', async (typed, number) => {
	await using sandbox = await run();
	expect((await sandbox.control('GET', `numbers/${encodeURIComponent(typed)}`)).body).toEqual({ number });
	const added = await sandbox.control('POST', 'opt-outs', { number: typed });
	expect(added.status).toBe(number === null ? 422 : 201);
	if (number !== null) expect(added.body).toMatchObject([{ number }]);
});

it('the API reads only E.164', async () => {
	await using sandbox = await run();
	expect((await sandbox.send({ to: '0201234567' })).status).toBe(422);
});
