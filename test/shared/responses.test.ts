import { contract, createClient, type Transport } from '../../shared';

/** Responds to every call with the same body. These tests do not use the network. */
const respondingWith = (body: unknown, status = 200): Transport => ({
	send: () => Promise.resolve({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }),
	sleep: () => Promise.resolve(),
});

const client = (body: unknown, status?: number) =>
	createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1234', transport: respondingWith(body, status) });

describe('the tolerant reader', () => {
	it.each([
		{ balance: 39.95, currency: 'GHS' },
		{ balance: '39.95', currency: 'GHS' },
		{ success: true, balance: 39.95, currency: 'GHS' },
		{ data: { balance: '39.950', currency: 'GHS' } },
		{ wallet: { balance: 39.95, currency: 'GHS' } },
		{ success: 'true', data: { wallet: { balance: 39.95, currency: 'GHS' } } },
		{ wallet_balance: 39.95, currency: 'GHS' },
		{ data: { available_balance: '39.95', currency: 'GHS' } },
		{ success: true, data: { availableBalance: 39.95, currencyCode: 'GHS' } },
		{ balance: { amount: 39.95, currency: 'GHS' } },
		{ success: true, balance: { available: '39.95', currency: 'GHS' } },
		{ wallet: { available: 39.95, currency: 'GHS' } },
		{ wallet: { available_balance: 39.95, currency: 'GHS' } },
		{ data: { wallet: { amount: 39.95, currency: 'GHS' } } },
		{ account: { balance: 39.95, currency: 'GHS' }, user: { id: 7 } },
		{ amount: 39.95, currency: 'GHS' },
	])('finds the balance in %j', async (body) => {
		await expect(client(body).wallet.getBalance()).resolves.toMatchObject({ balance: 39.95, currency: 'GHS' });
	});

	it.each([
		{ success: true, message_id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 },
		{ success: 1, data: { message_id: 'm-1', status: 'submitted', cost: '0.05', balance: '39.95' } },
		{ id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 },
		{ data: { id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 } },
		{ message: { id: 'm-1' }, status: 'submitted', cost: 0.05, balance: 39.95 },
		{ status: true, data: { message_id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 } },
		{ id: 'req-9', status: 'success', data: { id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 } },
		{ message_id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95, data: { id: 'account-7' } },
		{ success: true, message_id: 'm-1', status: 'submitted', cost: 'GHS 0.05', balance: '39.95 GHS' },
	])('finds the message in %j', async (body) => {
		const sent = await client(body).sms.send(contract.sms.send.example.input);
		expect(sent).toMatchObject({ message_id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 });
	});

	it.each([
		{
			status: 'success',
			data: { message: { id: 'm-1', state: 'submitted' }, charge: { amount: 0.05 }, wallet: { available: 39.95 } },
		},
		{
			status: 'success',
			data: { sms: { id: 'm-1', state: 'submitted' }, charge: { amount: '0.05' }, wallet: { balance: 39.95 } },
		},
		{
			status: 'ok',
			result: { message_id: 'm-1', message_status: 'submitted', cost: { amount: 0.05 }, balance: { available: 39.95 } },
		},
		{ success: true, message: { id: 'm-1', status: { name: 'submitted' } }, charge: 0.05, account: { balance: 39.95 } },
	])('reads the message, its cost and the balance beside it, not the envelope, in %j', async (body) => {
		const sent = await client(body).sms.send(contract.sms.send.example.input);
		expect(sent).toMatchObject({ message_id: 'm-1', status: 'submitted', cost: 0.05, balance: 39.95 });
	});

	it.each([
		{ status: 'success', data: { message: { id: 'm-1', state: 'delivered' } } },
		{ status: 'ok', data: { id: 'm-1', delivery_status: 'delivered' } },
		{ status: true, result: { message_id: 'm-1', status: 'delivered' } },
		{ success: true, status: 'success', data: [{ id: 'm-1', delivery: { status: 'delivered' } }] },
	])('reads the status of the message, not of the envelope, in %j', async (body) => {
		await expect(client(body).message.get({ id: 'm-1' })).resolves.toMatchObject({ status: 'delivered' });
	});

	it('does not take the status of an envelope for that of the message in it', async () => {
		const body = { status: 'success', data: { message: { id: 'm-1', to: '+233201234567' } } };
		expect(await client(body).sms.send(contract.sms.send.example.input)).not.toHaveProperty('status');
		await expect(client(body).message.get({ id: 'm-1' })).rejects.toThrow('without the expected fields');
	});

	it.each([
		{ error: { detail: { code: 'opted_out', message: 'This person opted out.' } } },
		{ errors: [{ detail: { code: 'opted_out', message: 'This person opted out.' } }] },
		{ data: { fault: { details: [{ code: 'opted_out', message: 'This person opted out.' }] } } },
		{ Error: { info: { error_code: 'opted_out', text: 'This person opted out.' } }, success: false },
		{ message: 'Unprocessable', error: { detail: { code: 'opted_out', message: 'This person opted out.' } } },
	])('gives the code and the words of an error that is one object deeper: %j', async (body) => {
		const outcome = await client(body, 422).call(contract.sms.send, contract.sms.send.example.input);
		const error = {
			code: 'opted_out',
			meaning: 'opted_out',
			message: expect.stringContaining('This person opted out.') as string,
		};
		expect(outcome).toMatchObject({ outcome: 'rejected', error });
	});

	it('advises to check the ID, not the base URL, if the service says in its own words that there is no such message', async () => {
		const advice = async (body: unknown) => {
			const outcome = await client(body, 404).call(contract.message.get, { id: 'm-1' });
			return outcome.outcome === 'accepted' ? undefined : outcome.error.hint;
		};
		const own = { error: { detail: { code: 'no_such_message', message: 'No message m-1 exists.' } } };
		expect(await advice(own)).toMatch(/Check the ID/);
		expect(await advice(own)).not.toMatch(/base URL/);
		expect(await advice({ message: 'Not Found' })).toMatch(/base URL/);
	});

	it.each([
		['1,234.50', 1234.5],
		['GHS 1,234,567.00', 1234567],
		['-0.05', -0.05],
		['GH₵ 40', 40],
		['GH₵1,234.50', 1234.5],
		['₵40.00', 40],
		['GH¢ 40', 40],
		['Gh₵ 40', 40],
		['40.00 GHS', 40],
		['40.00GHS', 40],
		['40 ₵', 40],
		['ghs 40', 40],
		['US$40', 40],
		['€ 40', 40],
		['-GHS 0.05', -0.05],
		['GH₵ -0.05', -0.05],
		['\u22120.05', -0.05],
		['\u00a040\u00a0GHS ', 40],
	])('reads the amount %s', async (balance, amount) => {
		await expect(client({ balance }).wallet.getBalance()).resolves.toMatchObject({ balance: amount });
	});

	it('prefers the available balance, and finds no balance in unrelated fields', async () => {
		const body = { wallet_balance: 50, available_balance: 40 };
		await expect(client(body).wallet.getBalance()).resolves.toMatchObject({ balance: 40 });
		for (const none of [{ sms_credits: 40 }, { credits: 40 }, { amount: 'plenty' }, { user: { id: 40 } }]) {
			await expect(client(none).wallet.getBalance()).rejects.toMatchObject({ name: 'ContractError' });
		}
	});

	it.each([
		['blanks', `1${' '.repeat(50_000)}1`],
		['blanks behind it', `1${' '.repeat(50_000)}x`],
		['letters', `${'G'.repeat(50_000)}1`],
		['commas', `1${',111'.repeat(50_000)}x`],
	])('rejects an amount with thousands of %s', async (_, balance) => {
		await expect(client({ balance }).wallet.getBalance()).rejects.toMatchObject({ name: 'ContractError' });
	});

	it.each(['1.234,50', '1,5', '12,34.5', 'GHS', '1 234', 'Max 40', '40 SMS credits', '--1', '-GHS -1', '$', '40%'])(
		'skips an ambiguous amount: %s',
		async (balance) => {
			const sent = await client({ message_id: 'm-1', status: 'submitted', balance }).sms.send(
				contract.sms.send.example.input,
			);
			expect(sent).toMatchObject({ message_id: 'm-1', status: 'submitted' });
			expect(sent).not.toHaveProperty('balance');
		},
	);

	it('reads the status of the message, not of the envelope', async () => {
		const body = { status: 'success', data: { id: 'm-1', status: 'failed' } };
		await expect(client(body).sms.get({ id: 'm-1' })).resolves.toMatchObject({ message_id: 'm-1', status: 'failed' });
	});

	it.each([
		{ status: 'error', message: 'Insufficient balance', id: 'req-77' },
		{ status: 'fail', data: { message_id: 'm-3' } },
		{ success: false, message_id: 'm-3', status: 'submitted', cost: 0.05 },
		{ success: true, message_id: 'm-3', data: { status: 'failed' } },
		{ message_id: 'm-3', status: 'rejected' },
		{ message_id: 'm-3', error: 'No route' },
		{ message_id: 'm-3', ok: false },
		{ message_id: 'm-3', code: 422, errors: ['x'] },
		{ status: false, message: 'Insufficient balance', message_id: 'm-3' },
		{ data: { status: 'failed', message_id: 'm-3' } },
	])('does not accept %j as a sent message', async (body) => {
		const sending = client(body).sms.send(contract.sms.send.example.input);
		await expect(sending).rejects.toMatchObject({ name: 'UnknownOutcomeError', sent: 'unknown' });
	});

	it('reads a rejection under data', async () => {
		const data = { success: false, message: 'The gateway is closed' };
		const sending = client({ data }).sms.send(contract.sms.send.example.input);
		await expect(sending).rejects.toMatchObject({ name: 'ApiError', sent: 'no', message: data.message });
	});

	it('keeps a long numeric ID as written', async () => {
		const body = '{"message_id": 12345678901234567890, "status": "submitted"}';
		await expect(client(body).sms.send(contract.sms.send.example.input)).resolves.toMatchObject({
			message_id: '12345678901234567890',
		});
	});

	it('gives IDs as text and keeps unknown fields', async () => {
		const body = { message_id: 42, status: 'brand_new_status', cost: null, sent_at: '2026-11-20 12:00:00', route: {} };
		const status = await client(body).sms.get({ id: '42' });
		expect(status).toMatchObject({ message_id: '42', status: 'brand_new_status', sent_at: body.sent_at, route: {} });
	});

	it.each([
		[[{ name: 'KOFISHOP' }, { name: 'AKWAABA' }]],
		[['KOFISHOP', 'AKWAABA']],
		[{ data: [{ sender_id: 'KOFISHOP' }, { sender_id: 'AKWAABA' }] }],
		[
			{
				success: true,
				sender_ids: [
					{ sender: 'KOFISHOP', id: 1 },
					{ sender: 'AKWAABA', id: 2 },
				],
			},
		],
		[{ data: { data: [{ name: 'KOFISHOP' }, { name: 'AKWAABA' }], total: 2 } }],
		[{ data: { items: ['KOFISHOP', 'AKWAABA'] } }],
	])('finds the sender IDs in %j', async (body) => {
		const listed = await client(body).senderId.list();
		expect(listed.map(({ name }) => name)).toEqual(['KOFISHOP', 'AKWAABA']);
	});

	it.each(['', 'null', '"ok"', '[]', '{"balance": "plenty"}', '{"balance": null}', '{"balance": {}}', '<html>'])(
		'finds no balance in %s',
		async (body) => {
			await expect(client(body).wallet.getBalance()).rejects.toMatchObject({ name: 'ContractError', sent: 'no' });
		},
	);
});

describe('a rejection', () => {
	const words = 'Your wallet holds GHS 0.02, this message costs GHS 0.05';

	it.each([
		[{ success: false, code: 'insufficient_balance', message: words }],
		[{ error: { code: 'insufficient_balance', message: words } }],
		[{ error_code: 'insufficient_balance', error: words }],
		[{ errors: [{ code: 'insufficient_balance', message: words }] }],
		[{ status: 'error', errorCode: 'INSUFFICIENT_BALANCE', msg: words }],
	])('reads a rejection from %j', async (body) => {
		await expect(client(body, 422).sms.send(contract.sms.send.example.input)).rejects.toMatchObject({
			name: 'InsufficientBalanceError',
			message: words,
			meaning: 'insufficient_balance',
			status: 422,
			sent: 'no',
		});
	});

	it.each([
		['Laravel', { message: 'The given data was invalid.', errors: { to: ['The to field is not a number.'] } }],
		['a bare field list', { errors: { to: ['The to field is not a number.'] } }],
		['text', 'The to field is not a number.'],
		['HTML', '<html><style>p{}</style><body><p>The to field is not a number.</p></body></html>'],
		[
			'HTML with a script',
			'<SCRIPT src="a">if (1 < 2) {}</script ><p\nclass="a">The to field <b>is</b> not a number.</p>',
		],
		['HTML whose script has no end', '<p>The to field is not a number.</p><script>let a = 1;'],
	])('keeps the text of %s', async (_, body) => {
		const failing = client(body, 422).sms.send(contract.sms.send.example.input);
		await expect(failing).rejects.toThrow('The to field is not a number.');
	});

	it.each(['{"success":false,"code":"not_found","messag', ' [{"error": "Opted ou', '["Opted out"'])(
		'shows no piece of the damaged JSON %j',
		async (body) => {
			const failing = client(body, 422).sms.send(contract.sms.send.example.input);
			await expect(failing).rejects.toThrow(/^The service responded with HTTP 422 and incomplete or damaged JSON$/);
		},
	);

	it.each(['{no balance}', '[sms] Too low'])('keeps the plain error text %j', async (body) => {
		await expect(client(body, 422).sms.send(contract.sms.send.example.input)).rejects.toThrow(body);
	});

	it('names the base URL for a bare 404 only until the key has worked', async () => {
		const responses = [
			{ status: 404, body: '{"message": "Not Found"}' },
			{ status: 200, body: '{"balance": 40}' },
			{ status: 404, body: '{"message": "Not Found"}' },
		];
		const send = () => Promise.resolve({ headers: {}, ...(responses.shift() ?? { status: 500, body: '' }) });
		const transport = { send, sleep: () => Promise.resolve() };
		const one = createClient({ baseUrl: 'https://service.example', apiKey: 'sk_test_1234', transport });
		const account = 'Check the ID, and that the key belongs to the same account.';
		const missing = async () => await one.message.get({ id: 'm1' }).catch((error: unknown) => error);
		expect(await missing()).toMatchObject({ hint: expect.stringMatching(/^Check the ID.*base URL/) as string });
		await one.wallet.getBalance();
		expect(await missing()).toMatchObject({ hint: account });
	});

	it('keeps a < in a plain error text', async () => {
		const failing = client('Amount < 5 is too low', 422).sms.send(contract.sms.send.example.input);
		await expect(failing).rejects.toThrow('Amount < 5 is too low');
	});

	it('truncates a long code and a long message', async () => {
		const body = { code: 'c'.repeat(500_000), message: 'm'.repeat(500_000) };
		const failing = client(body, 422).sms.send(contract.sms.send.example.input);
		await expect(failing).rejects.toMatchObject({ code: `${'c'.repeat(100)}…`, message: `${'m'.repeat(500)}…` });
	});

	it.each(['', '{}', '[]', 'null'])('says so if the error body %j has no text', async (body) => {
		await expect(client(body, 422).sms.send(contract.sms.send.example.input)).rejects.toThrow(/HTTP 422.*no reason/);
	});

	it.each([
		[401, { message: 'Invalid API key' }, 'AuthError'],
		[402, { message: 'Pay' }, 'InsufficientBalanceError'],
		[422, { code: 'opted_out', message: 'x' }, 'OptedOutError'],
		[422, { message: 'Recipient has opted out' }, 'OptedOutError'],
		[422, { message: 'Insufficient funds' }, 'InsufficientBalanceError'],
		[429, { message: 'Slow down' }, 'RateLimitError'],
	])('reports the response %i %j as %s', async (status, body, name) => {
		const once = createClient({
			baseUrl: 'https://service.example',
			apiKey: 'sk_test_1234',
			transport: respondingWith(body, status),
			retry: { attempts: 1 },
		});
		await expect(once.sms.send(contract.sms.send.example.input)).rejects.toMatchObject({ name, status });
	});

	it('shows no API key and no message in any form of an error', async () => {
		const input = { ...contract.sms.send.example.input, message: 'Your code is 918273' };
		const echo = { message: `Key sk_live_abcdef123 may not send "Your code is 918273"`, input };
		const error: unknown = await client(echo, 422)
			.sms.send(input)
			.catch((caught: unknown) => caught);
		const { inspect } = await import('node:util');
		for (const rendering of [String(error), inspect(error, { depth: 9, showHidden: false }), JSON.stringify(error)]) {
			expect(rendering).not.toMatch(/918273|abcdef123|sk_test/);
		}
		expect(String(error)).toContain('may not send');
	});

	it.each([
		[
			'a long text',
			`${'Dear customer, '.repeat(50)}your code is 918273`,
			(text: string) => JSON.stringify({ message: text }),
		],
		[
			'HTML',
			'Your <code>\n is "918273"',
			(text: string) =>
				`<p>Bad: ${text.replace('<', '&lt;').replace('>', '&gt;').replaceAll('"', '&quot;').replace('\n', ' ')}</p>`,
		],
		['an escaped text', "It's code 918273", (text: string) => `<p>Bad: ${text.replace("'", '&#039;')}</p>`],
		[
			'a part of the message',
			'Dear customer, your code is 918273 today',
			() => '{"message": "Blocked: YOUR CODE IS 918273"}',
		],
		[
			'a message with a letter that is longer in lower case',
			'Your secret 918273 waits',
			() => '{"message": "\u0130: YOUR SECRET 918273 waits"}',
		],
		['a longer row of digits', 'Your code is 918273', () => '{"message": "00918273 is on the list"}'],
		['a row of many digits', 'Account 0123459182736789', () => '{"message": "0123459182736789 is no account"}'],
		['the code alone', 'Your code is 918273', () => '{"message": "918273 is on the list"}'],
		['a code with a key', 'anything', () => JSON.stringify({ code: 'bad key sk_live_918273abc', message: 'no' })],
	])('removes the message from an error with %s', async (_, message, body) => {
		const error: unknown = await client(body(message), 422)
			.sms.send({ ...contract.sms.send.example.input, message })
			.catch((caught: unknown) => caught);
		const { inspect } = await import('node:util');
		expect(inspect(error)).not.toContain('918273');
		expect(error).toMatchObject({ status: 422 });
	});

	it.each(['sk_test_1234', 'sk_test.12.34-56~x', 'key=api_key_sk_test_1234'])(
		'removes the API key from %s',
		async (echo) => {
			const failing = client({ message: `Key ${echo} is blocked`, code: echo }, 401).wallet.getBalance();
			await expect(failing).rejects.toMatchObject({ message: expect.not.stringContaining('1234') as string });
		},
	);

	it.each([
		'The recipient number has not enough digits',
		'Not enough characters in the text',
		'Insufficient permissions',
		'Your text is under review',
	])('does not read as an empty wallet or a sender problem: %s', async (message) => {
		const failing = client({ message }, 422).sms.send(contract.sms.send.example.input);
		await expect(failing).rejects.toMatchObject({ name: 'ApiError', message });
		await expect(failing).rejects.not.toMatchObject({ meaning: 'sender_not_approved' });
	});

	it('shows no message from a response that cannot be read', async () => {
		const error: unknown = await client({ text: 'Your code is 918273' })
			.sms.send(contract.sms.send.example.input)
			.catch((caught: unknown) => caught);
		const { inspect } = await import('node:util');
		expect(inspect(error) + JSON.stringify(error)).not.toContain('918273');
		expect(error).toMatchObject({ response: { text: 'Your code is 918273' } });
	});
});
