import { openDataTable, type Row } from '../support/e2e/dataTable';
import { alwaysOpen, closedHours } from '../support/e2e/exampleHours';
import { settings } from '../support/e2e/exampleSettings';
import type { Example, ExampleNode } from '../support/e2e/exampleWorkflow';
import { textsOf } from '../support/e2e/sentTexts';
import { openTemplateStage, type Sent, type TemplateStage } from '../support/e2e/templateStage';
import { rowsOf } from '../support/e2e/webhookWorkflow';
import type { Cell, Sheet } from '../support/thirdParty/google/sheets';

const owner = '+233201234567';
/** The service rejects messages to it, because its owner opted out there. */
const optedOut = '+233990000009';

let stage: TemplateStage;

const nothing: Sent = { messages: [], paid: 0 };
/** The response to the next bulk send, after the API key was revoked. */
const revoked = {
	endpoint: 'sms.sendBulk',
	kind: 'answer',
	status: 401,
	body: { code: 'unauthorized', message: 'The API key was revoked' },
};
const any = (pattern: RegExp) => expect.stringMatching(pattern) as string;

/** The customers for whom the workflows keep a code. */
const customersTable = async (): Promise<Row[]> => await (await openDataTable(stage.n8n, 'Customers')).rows();

/** The code in the link of a message. */
const codeIn = ({ message }: { message: string }) => /\?c=([0-9a-f]{12})$/.exec(message)?.[1];

/** The cells of the named columns, without the row of the headings. Empty cells are an empty text. */
function cellsOf(sheet: Sheet, ...names: string[]): Cell[][] {
	const [headings = [], ...rows] = sheet.rows();
	return rows.map((row) => names.map((name) => row[headings.indexOf(name)] ?? ''));
}

/** The day and hour as the workflows write them. */
const written = (moment: Date) => {
	const part = (options: Intl.DateTimeFormatOptions) =>
		new Intl.DateTimeFormat('en-GB', { timeZone: 'Africa/Accra', ...options }).format(moment);
	const [weekday, month] = [part({ weekday: 'long' }), part({ month: 'long' })];
	return `${weekday} ${part({ day: 'numeric' })} ${month}, 08:00`;
};

/** The time to which the service moved the only message, by its timeline. */
async function scheduledFor({ messages }: Sent): Promise<Date> {
	const [message] = messages;
	expect(messages).toHaveLength(1);
	const { timeline } = await stage.sandbox.control<{ timeline: ReadonlyArray<{ status: string; at: string }> }>(
		'GET',
		`/messages/${message?.message_id}`,
	);
	return new Date(timeline.find(({ status }) => status === 'scheduled')?.at ?? NaN);
}

/** Adds the option Dry Run to a node, as a user who tries the workflow does. */
const dryRun = (name: string) => (node: ExampleNode) => {
	const { options } = { options: node.parameters.options, ...alwaysOpen(node) };
	return node.name === name ? { options: { ...Object(options), dryRun: true } as object } : {};
};

const sendOnRun = async (example: Example, trigger: string, status?: string) =>
	await stage.sentDuring(async () => await example.run(trigger, status));

/** Runs a template with a sheet that it cannot use. */
async function problemOf(name: string, trigger: string, rows: readonly (readonly Cell[])[]): Promise<string> {
	const example = await stage.set(name, { sheet: stage.google.sheets.make('Customers', rows) });
	let message = '';
	const sent = await stage.sentDuring(async () => {
		const { data } = await example.run(trigger, 'error');
		message = data.resultData.error?.message ?? '';
	});
	expect(sent).toEqual(nothing);
	return message;
}

beforeAll(async () => {
	stage = await openTemplateStage();
	const example = await stage.set('google-sheets-bulk-sms');
	await example.run('Make the tables');
});

afterAll(async () => {
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('google-sheets-sms', () => {
	test('shows in the sheet what a dry run would send, and sends it in the next run', async () => {
		const sheet = stage.google.sheets.make('Customers', [
			['phone', 'message', 'result', 'message_id', 'cost', 'details'],
			['024 410 0101', 'Hello Ama, your rice is here.'],
			['12345', 'Hello Adwoa'],
		]);
		const trigger = 'When you click Execute';
		const trying = await stage.set('google-sheets-sms', { sheet, chosen: dryRun('Send the SMS') });
		expect(await sendOnRun(trying, trigger)).toEqual(nothing);
		expect(cellsOf(sheet, 'result').flat()).toEqual(['would_send', 'rejected']);
		const example = await stage.set('google-sheets-sms', { sheet });
		const sent = await sendOnRun(example, trigger);
		expect(textsOf(sent)).toEqual([['+233244100101', 'Hello Ama, your rice is here.']]);
		expect(sent.paid).toBe(0.05);
		expect(cellsOf(sheet, 'result').flat()).toEqual(['accepted', 'rejected']);
	});

	test('writes into each row that a limit stopped the run, and sends it in the next run', async () => {
		const sheet = stage.google.sheets.make('Customers', [
			['phone', 'message', 'result', 'message_id', 'cost', 'details'],
			['024 410 0102', 'Hello Ama, your oil is here.'],
			['024 410 0103', 'Hello Kofi, your oil is here.'],
		]);
		const trigger = 'When you click Execute';
		const chosen = ({ name, parameters: { options } }: ExampleNode) =>
			name === 'Send the SMS' ? { options: { ...Object(options), maxRecipients: 1 } as object } : {};
		const stopped = await stage.set('google-sheets-sms', { sheet, chosen });
		expect(await sendOnRun(stopped, trigger, 'error')).toEqual(nothing);
		const why = ['not_attempted', expect.stringMatching(/^Maximum Recipients is 1,/)];
		expect(cellsOf(sheet, 'result', 'details')).toEqual([why, why]);
		const sent = await sendOnRun(await stage.set('google-sheets-sms', { sheet }), trigger);
		expect(sent.paid).toBe(0.1);
		expect(cellsOf(sheet, 'result').flat()).toEqual(['accepted', 'accepted']);
	});

	test('sends to the other rows after a top-up if the wallet ran empty, and ends in an error until then', async () => {
		const numbers = Array.from({ length: 14 }, (_, index) => `024 410 05${10 + index}`);
		const sheet = stage.google.sheets.make('Customers', [
			['phone', 'message', 'result', 'message_id', 'cost', 'details'],
			['12345', 'Hello Adwoa'],
			...numbers.map((phone) => [phone, `Hello ${phone}, your beans are here.`]),
		]);
		const example = await stage.set('google-sheets-sms', { sheet });
		const some = await stage.sentWithBalance(0.12, async () => {
			const { data } = await example.run('When you click Execute', 'error');
			expect(data.resultData.error?.message).toMatch(
				/^12 of 15 messages were not sent\. .*balance is GHS 0\.02\. For these, nothing was sent or charged\./,
			);
		});
		expect(some.paid).toBe(0.1);
		const [short, ...others] = cellsOf(sheet, 'result').flat();
		expect(short).toBe('rejected');
		// Several are sent at once, and those that arrive first are paid.
		const stopped = Array.from({ length: 12 }, () => 'not_attempted');
		expect(others.toSorted()).toEqual(['accepted', 'accepted', ...stopped]);
		const sent = await sendOnRun(example, 'When you click Execute');
		expect(sent.paid).toBe(0.6);
		expect(cellsOf(sheet, 'result').flat()).toEqual(['rejected', ...numbers.map(() => 'accepted')]);
	});
});

describe('google-sheets-bulk-sms', () => {
	const headings = ['name', 'phone', 'wants_offers', 'last_offer', 'result', 'message_id', 'details'];
	const friday = 'Every Friday at ten';
	const text = any(
		/^Kofi Shop: 10% off rice and oil until Sunday\. Opt out: https:\/\/n8n\.example\.com\/form\/stop\?c=[0-9a-f]{12}$/,
	);
	/** One SMS without the code of the link, and two SMS with it. */
	const longOffer = 'Rice and oil. '.repeat(8).trimEnd();
	const week = expect.stringMatching(/^\d{4}-W\d\d$/) as string;
	const [ama, kofi, esi] = ['+233244100111', '+233244100112', '+233244100113'];
	const customers = () =>
		stage.google.sheets.make('Customers', [
			headings,
			['Ama', '024 410 0111', 'yes'],
			// Google keeps digits as a number without the zero, and a checkbox as true or false.
			['Kofi', 244_100_112, true],
			['Esi', '+233 24 410 0113', 'Yes'],
			['Yaw', '024 410 0114', 'no'],
			['Afia', '024 410 0115', false],
			['Akua', '024 410 0116'],
			['Adwoa', '', 'yes'],
			['Abena', '12345', 'yes'],
			['Kwesi', optedOut, 'yes'],
		]);

	test('shows in the sheet what a dry run would send, and sends nothing', async () => {
		const sheet = customers();
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen: dryRun('Send the offer') });
		expect(await sendOnRun(example, friday)).toEqual(nothing);
		expect(cellsOf(sheet, 'result').flat()).toEqual([
			...['would_send', 'would_send', 'would_send'],
			...['', '', ''],
			...['would_skip', 'would_skip', 'would_send'],
		]);
	});

	test('counts the link of each customer in the cost of a dry run, of the estimate and of the message', async () => {
		const sheet = stage.google.sheets.make('Customers', [headings, ['Abla', '024 410 0118', 'yes']]);
		const typed = { message: longOffer, campaign: 'long' };
		const example = await stage.set('google-sheets-bulk-sms', {
			sheet,
			chosen: settings(typed, dryRun('Send the offer')),
		});
		const tried = await example.run(friday);
		expect(rowsOf(tried, 'Send the offer')).toMatchObject([{ outcome: 'would_send', segment_count: 2, cost: 0.1 }]);
		expect(rowsOf(tried, 'Estimate the cost')).toMatchObject([{ cost: 0.1 }]);
		const real = await stage.set('google-sheets-bulk-sms', { sheet, chosen: settings(typed, alwaysOpen) });
		const sent = await sendOnRun(real, friday);
		expect(sent.messages).toHaveLength(1);
		expect(sent.paid).toBe(0.1);
	});

	test('sends nothing if the code of a new customer cannot be saved, because the link would be dead', async () => {
		const sheet = stage.google.sheets.make('Customers', [
			headings,
			['Ama', '024 410 0111', 'yes'],
			['Araba', '024 410 0120', 'yes'],
		]);
		const chosen = (node: ExampleNode) => ({
			...alwaysOpen(node),
			...(node.name === 'Save the code' && { dataTableId: { __rl: true, mode: 'name', value: 'Missing' } }),
		});
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen });
		expect(await sendOnRun(example, friday, 'error')).toEqual(nothing);
		expect(cellsOf(sheet, 'result').flat()).toEqual(['', '']);
	});

	test('sends the number of the shop instead of a link, and keeps no code, if the setting has no link', async () => {
		const sheet = stage.google.sheets.make('Customers', [headings, ['Afua', '024 410 0119', 'yes']]);
		const typed = { opt_out: 'Opt out: text STOP to 1234.' };
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen: settings(typed, alwaysOpen) });
		const before = await customersTable();
		expect(textsOf(await sendOnRun(example, friday))).toEqual([
			['+233244100119', 'Kofi Shop: 10% off rice and oil until Sunday. Opt out: text STOP to 1234.'],
		]);
		expect(await customersTable()).toEqual(before);
	});

	test('sends to each customer who wants offers once, writes the result, and sends none after a STOP', async () => {
		const sheet = customers();
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen: alwaysOpen });
		await example.publish();
		await stage.textIn(example, esi, 'STOP');
		const sent = await sendOnRun(example, friday);
		expect(textsOf(sent)).toEqual([
			[ama, text],
			[kofi, text],
		]);
		expect(sent.paid).toBe(0.1);
		const kept = new Map((await customersTable()).map(({ phone, opt_out_code }) => [phone, opt_out_code]));
		expect(sent.messages.map(({ to }) => kept.get(to))).toEqual(sent.messages.map(codeIn));
		expect([...kept.keys()].filter((phone) => !/^\+233\d{9}$/.test(String(phone)))).toEqual([]);
		const results = () => cellsOf(sheet, 'last_offer', 'result', 'details');
		const expected = [
			[week, 'accepted', ''],
			[week, 'accepted', ''],
			[week, 'skipped', 'Opted out'],
			['', '', ''],
			['', '', ''],
			['', '', ''],
			[week, 'skipped', expect.stringMatching(/^This is empty/)],
			[week, 'skipped', expect.stringMatching(/^This is too short/)],
			[week, 'rejected', expect.stringMatching(/opted out/i)],
		];
		expect(results()).toEqual(expected);
		const ids = cellsOf(sheet, 'message_id').flat().filter(Boolean);
		expect(ids.toSorted()).toEqual(sent.messages.map(({ message_id }) => message_id).toSorted());

		expect(await sendOnRun(example, friday)).toEqual(nothing);
		expect(results()).toEqual(expected);

		// A lost result, for example because Google was down, sends nothing again.
		const [first = [], second = [], ...others] = sheet.rows();
		sheet.type([first, second.slice(0, 3), ...others], 'instead');
		expect(await sendOnRun(example, friday)).toEqual(nothing);
		expect(results()[0]).toEqual([week, 'skipped', expect.stringMatching(/^This message was already sent/)]);

		await stage.textIn(example, esi, 'START');
		sheet.type([['Yaa', '024 410 0117', 'x']]);
		const later = await sendOnRun(example, friday);
		expect(textsOf(later)).toEqual([
			[esi, text],
			['+233244100117', text],
		]);
		expect(later.paid).toBe(0.1);
		// A dry run or an earlier send gave these customers their codes, which stay.
		expect(new Map((await customersTable()).map(({ phone, opt_out_code }) => [phone, opt_out_code]))).toEqual(
			new Map([...kept, ...later.messages.filter(({ to }) => to !== esi).map((one) => [one.to, codeIn(one)] as const)]),
		);
		await example.retire();
	});

	test('sends the message when the Sending Hours begin, and writes the time into the row', async () => {
		const { chosen, opensAt } = closedHours();
		const sheet = stage.google.sheets.make('Customers', [headings, ['Ama', '024 410 0111', 'yes']]);
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen });
		const sent = await sendOnRun(example, friday);
		expect(textsOf(sent)).toEqual([[ama, text]]);
		expect(await scheduledFor(sent)).toEqual(opensAt);
		expect(sent.paid).toBe(0.05);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['accepted', `Will be sent on ${written(opensAt)}`]]);
		expect(await sendOnRun(example, friday)).toEqual(nothing);
	});

	test('sends a message to the owner, and none to the customers, if the balance is too low', async () => {
		const sheet = customers();
		const chosen = settings({ message: longOffer }, alwaysOpen);
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen });
		const sent = await stage.sentWithBalance(0.5, async () => await example.run(friday));
		expect(textsOf(sent)).toEqual([
			[
				owner,
				'Your offer to 6 customers was not sent. It would cost about GHS 0.60, but your SMS wallet has only 0.50 left.',
			],
		]);
		expect(cellsOf(sheet, 'result').flat().filter(Boolean)).toEqual([]);
	});

	test('writes into each row that nothing was sent if a limit stops the send, and ends in an error', async () => {
		const sheet = customers();
		const chosen = (node: ExampleNode) =>
			node.name === 'Send the offer'
				? { options: { ...Object(node.parameters.options), maxRecipients: 2 } as object }
				: {};
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen });
		expect(await sendOnRun(example, friday, 'error')).toEqual(nothing);
		const stopped = [
			'not_attempted',
			expect.stringMatching(/^Maximum Recipients is 2,.* Nothing was sent or charged\.$/),
		];
		const invalid = ['skipped', expect.stringContaining('This')];
		expect(cellsOf(sheet, 'result', 'details')).toEqual([
			...[stopped, stopped, stopped],
			...[1, 2, 3].map(() => ['', '']),
			...[invalid, invalid, stopped],
		]);
	});

	test('ends in an error if the service rejects the API key for the only row, after the row says so', async () => {
		const sheet = stage.google.sheets.make('Customers', [headings, ['Akua', '024 410 0116', 'yes']]);
		const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen: alwaysOpen });
		await stage.sandbox.control('POST', '/faults', revoked);
		expect(await sendOnRun(example, friday, 'error')).toEqual(nothing);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['rejected', expect.stringContaining(revoked.body.message)]]);
	});

	test.each([
		['an empty sheet', [headings], /^The sheet has no rows\..*Nothing was sent or charged\.$/],
		['a sheet without headings', [], /^The sheet has no rows\..*Nothing was sent or charged\.$/],
		[
			'missing columns',
			[
				['name', 'Phone', 'wants_offers', 'last_offer', 'result', 'message_id'],
				['Ama', '024 410 0111', 'yes'],
			],
			/^The sheet lacks the column phone, details\. Its row 1 has: name, Phone, wants_offers, .*Nothing was sent or charged\.$/,
		],
	])('stops with an error that names the problem: %s', async (_, rows, error) => {
		expect(await problemOf('google-sheets-bulk-sms', friday, rows)).toMatch(error);
	});
});

describe('google-sheets-birthday-sms', () => {
	const headings = ['name', 'phone', 'birthday', 'last_greeting', 'result', 'details'];
	const morning = 'Every morning at nine';
	const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(5, 10);
	const greeting = (name: string) =>
		any(
			new RegExp(
				`^Happy birthday${name}! A bag of rice is waiting for you at Kofi Shop this week\\. ` +
					String.raw`Opt out: https://n8n\.example\.com/form/stop\?c=[0-9a-f]{12}$`,
			),
		);
	const year = new Date().getUTCFullYear();

	test('greets each customer once on the birthday, and says which cells are no date or number', async () => {
		const today = dayAfter(0);
		const sheet = stage.google.sheets.make('Customers', [
			headings,
			['Kwame', '024 410 0121', { date: `1990-${today}` }],
			['Akosua', '024 410 0122', `1960-${today}`],
			// Twins with the phone of their mother.
			['Ata', '024 410 0123', today],
			['Panyin', '024 410 0123', today],
			['', 244_100_124, { date: `1955-${today}` }],
			['Esi', '+233 24 410 0125', { date: `2001-${today}` }],
			['Yaw', '024 410 0126', { date: `1990-${dayAfter(3)}` }],
			['Abena', '024 410 0127', '27 March'],
			['Afia', '024 410 0128', '1990-13-45'],
			['Adwoa', '', { date: `1990-${today}` }],
			['Kwesi', '024 410 0129'],
			['Kofi', '024 410 0130', { date: `1980-${today}` }, year - 1, 'accepted'],
			['Efua', '024 410 0131', { date: `1980-${today}` }, year, 'accepted'],
		]);
		const example = await stage.set('google-sheets-birthday-sms', { sheet, chosen: alwaysOpen });
		await example.publish();
		await stage.textIn(example, '+233244100125', 'Stop');
		const sent = await sendOnRun(example, morning);
		expect(textsOf(sent).toSorted()).toEqual([
			['+233244100121', greeting(', Kwame')],
			['+233244100122', greeting(', Akosua')],
			['+233244100123', greeting(', Ata')],
			['+233244100123', greeting(', Panyin')],
			['+233244100124', greeting('')],
			['+233244100130', greeting(', Kofi')],
		]);
		expect(sent.paid).toBe(0.3);
		const kept = new Map((await customersTable()).map(({ phone, opt_out_code }) => [phone, opt_out_code]));
		expect(sent.messages.map(({ to }) => kept.get(to))).toEqual(sent.messages.map(codeIn));
		const expected = [
			...Array.from({ length: 5 }, () => [year, 'accepted', '']),
			[year, 'skipped', 'Opted out'],
			['', '', ''],
			['', '', 'The birthday is not a date: 27 March. Write it with its year, such as 1990-03-27.'],
			['', '', 'The birthday is not a date: 1990-13-45. Write it with its year, such as 1990-03-27.'],
			[year, 'skipped', expect.stringMatching(/^This is empty/)],
			['', '', ''],
			[year, 'accepted', ''],
			[year, 'accepted', ''],
		];
		const results = () => cellsOf(sheet, 'last_greeting', 'result', 'details');
		expect(results()).toEqual(expected);

		expect(await sendOnRun(example, morning)).toEqual(nothing);
		expect(results()).toEqual(expected);
		await example.retire();
	});

	test('ends in an error if the service rejects the API key for the only row, after the row says so', async () => {
		const sheet = stage.google.sheets.make('Customers', [headings, ['Akua', '024 410 0132', dayAfter(0)]]);
		const example = await stage.set('google-sheets-birthday-sms', { sheet, chosen: alwaysOpen });
		await stage.sandbox.control('POST', '/faults', revoked);
		const run = stage.sentDuring(async () => {
			const { data } = await example.run(morning, 'error');
			expect(data.resultData.error?.message).toMatch(/^1 of 1 messages were not sent\. The API key was revoked/);
		});
		expect(await run).toEqual(nothing);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['rejected', expect.stringContaining(revoked.body.message)]]);
		expect((await sendOnRun(example, morning)).paid).toBe(0.05);
	});

	test('sends a greeting when the Sending Hours begin, and writes the time into the row', async () => {
		const { chosen, opensAt } = closedHours();
		const sheet = stage.google.sheets.make('Customers', [headings, ['Kwame', '024 410 0121', dayAfter(0)]]);
		const example = await stage.set('google-sheets-birthday-sms', { sheet, chosen });
		const sent = await sendOnRun(example, morning);
		expect(textsOf(sent)).toEqual([['+233244100121', greeting(', Kwame')]]);
		expect(await scheduledFor(sent)).toEqual(opensAt);
		expect(sent.paid).toBe(0.05);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['accepted', `Will be sent on ${written(opensAt)}`]]);
		expect(await sendOnRun(example, morning)).toEqual(nothing);
	});

	test.each([
		['an empty sheet', [headings], /^The sheet has no rows\..*Nothing was sent or charged\.$/],
		[
			'a missing column',
			[
				['name', 'phone', 'Birthday', 'last_greeting', 'result', 'details'],
				['Ama', '024 410 0121', '1990-03-27'],
			],
			/^The sheet lacks the column birthday\. Its row 1 has: name, phone, Birthday, .*Nothing was sent or charged\.$/,
		],
	])('stops with an error that names the problem: %s', async (_, rows, error) => {
		expect(await problemOf('google-sheets-birthday-sms', morning, rows)).toMatch(error);
	});
});
