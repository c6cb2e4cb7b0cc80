import { openDataTable, type Row } from '../support/e2e/dataTable';
import { alwaysOpen, closedHours } from '../support/e2e/exampleHours';
import { settings } from '../support/e2e/exampleSettings';
import type { Example, ExampleNode } from '../support/e2e/exampleWorkflow';
import { eventually } from '../support/eventually';
import { textsOf } from '../support/e2e/sentTexts';
import { openTemplateStage, type Sent, type TemplateStage } from '../support/e2e/templateStage';
import type { SentMessage } from '../support/e2e/sandboxView';
import type { Cell, Sheet } from '../support/thirdParty/google/sheets';

const owner = '+233201234567';
/** The service rejects messages to it, because its owner opted out there. */
const optedOut = '+233990000009';
/** Opted out by a page of an example. */
const excluded = '+233244100200';

/** The header that a phone system sends. */
const header = { name: 'x-phone-system', value: 'a secret of the phone system' };

let stage: TemplateStage;
let phoneSystem: Readonly<Record<'httpHeaderAuth', string>>;

const nothing: Sent = { messages: [], paid: 0 };
const any = (pattern: RegExp) => expect.stringMatching(pattern) as string;

/** The cells of the named columns, without the row of the headings. Empty cells are an empty text. */
function cellsOf(sheet: Sheet, ...names: string[]): Cell[][] {
	const [headings = [], ...rows] = sheet.rows();
	return rows.map((row) => names.map((name) => row[headings.indexOf(name)] ?? ''));
}

/** The named columns of a data table. */
async function rowsOf(table: string, ...names: string[]): Promise<Array<Array<Row[string] | undefined>>> {
	return (await (await openDataTable(stage.n8n, table)).rows()).map((row) => names.map((name) => row[name]));
}

/** Does something while the wallet has this balance. It must send nothing. */
async function nothingSentWithBalance(balance: number, act: () => Promise<unknown>): Promise<void> {
	expect(await stage.sentWithBalance(balance, act)).toEqual(nothing);
}

/** The link at the end of a message. */
const linkIn = (message: SentMessage | undefined) => /http\S+$/.exec(message?.message ?? '')?.[0] ?? '';

/** Opens a link in a browser as a customer does, chooses an answer, and waits for these words or this other site. */
async function answer(
	link: string,
	choice: string,
	next: string,
	fill: Readonly<Record<string, string>> = {},
): Promise<void> {
	const { context, strays } = await stage.openCustomer();
	const page = await context.newPage();
	await page.goto(link);
	await page.getByLabel(choice).check();
	for (const [label, text] of Object.entries(fill)) await page.getByLabel(label).fill(text);
	await page.getByRole('button', { name: 'Send' }).click();
	if (next.startsWith('https:')) await eventually(next, () => (strays.includes(next) ? true : undefined));
	else await page.getByText(next).waitFor();
	await context.close();
}

beforeAll(async () => {
	stage = await openTemplateStage();
	const credential = { name: 'Phone system', type: 'httpHeaderAuth', data: header };
	phoneSystem = { httpHeaderAuth: (await stage.n8n.call<{ id: string }>('POST', '/credentials', credential)).id };
	const calls = await stage.set('missed-call-text-back', { credentials: phoneSystem });
	await calls.run('Make the tables');
	await (await openDataTable(stage.n8n, 'Opt-outs')).insert([{ phone: excluded }]);
});

afterAll(async () => {
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('missed-call-text-back', () => {
	const text = any(/^Kofi Shop: sorry that we missed your call\./);
	let example: Example;

	/** Posts the end of a call as a phone system does, and waits until the workflow is done. */
	async function callEnds(body: object | URLSearchParams): Promise<void> {
		await example.startedBy('When a call ends', async () => {
			const form = body instanceof URLSearchParams;
			const response = await fetch(example.urlOf('When a call ends'), {
				method: 'POST',
				headers: { [header.name]: header.value, ...(!form && { 'content-type': 'application/json' }) },
				body: form ? body : JSON.stringify(body),
			});
			expect(response.status).toBe(200);
		});
	}
	const sentOn = async (...bodies: ReadonlyArray<object | URLSearchParams>) =>
		await stage.sentDuring(async () => {
			for (const body of bodies) await callEnds(body);
		});
	const rowOf = async (callId: string) =>
		(await rowsOf('Missed calls', 'call_id', 'phone', 'result', 'reason')).find(([id]) => id === callId)?.slice(1);

	beforeAll(async () => {
		example = await stage.set('missed-call-text-back', { credentials: phoneSystem });
		await example.publish();
	});

	afterAll(async () => {
		await example.retire();
	});

	test.each([
		[
			'a form with capital letters',
			new URLSearchParams({ CallSid: 'CA1', From: '+233244100201', CallStatus: 'no-answer', Direction: 'inbound' }),
			'+233244100201',
		],
		['JSON without a status', { call_id: 'b-1', from: '024 410 0202' }, '+233244100202'],
		[
			'a nested call with a reason',
			{
				event: 'call.ended',
				data: {
					id: 7,
					direction: 'inbound',
					status: 'done',
					missed_call_reason: 'no_available_agent',
					raw_digits: '+233 24 410 0203',
				},
			},
			'+233244100203',
		],
		[
			'a number in an object',
			{ uuid: 'c-1', from: { phoneNumber: '+233244100204', name: 'Ama' }, result: 'Missed' },
			'+233244100204',
		],
		[
			'a name before the number',
			{ uniqueid: 'd-1', callerid: '"Ama 2" <0244100205>', disposition: 'NO ANSWER' },
			'+233244100205',
		],
	])('texts the caller once, from %s', async (_, body, to) => {
		const sent = await sentOn(body, body);
		expect(textsOf(sent)).toEqual([[to, text]]);
		expect(sent.paid).toBe(0.05);
	});

	test('texts a caller once a day, and keeps a row for each missed call', async () => {
		const [first, second] = [
			{ call_id: 'e-1', from: '0244100206' },
			{ call_id: 'e-2', from: '+233244100206' },
		];
		const sent = await sentOn(first, second, first);
		expect(textsOf(sent)).toEqual([['+233244100206', text]]);
		expect(sent.paid).toBe(0.05);
		expect(await rowOf('e-1')).toEqual(['+233244100206', 'accepted', '']);
		expect(await rowOf('e-2')).toEqual(['+233244100206', 'skipped', 'The caller got an SMS today']);
	});

	test.each([
		['a hidden number', { from: 'Anonymous' }, 'Anonymous', 'The caller hid the number'],
		['an empty number', { from: '' }, '', 'The caller hid the number'],
		[
			'the number that a carrier sends for a hidden one',
			{ from: '+266696687' },
			'+266696687',
			'The caller hid the number',
		],
		['a landline', { from: '030 212 3456' }, '+233302123456', 'A landline cannot get an SMS'],
		['a number of another country', { from: '+447400123456' }, '+447400123456', 'The country GB is not in Settings'],
		['a number with a digit too few', { from: '024 410 02' }, '024 410 02', any(/^The number /)],
		['a number that opted out on a page', { from: excluded }, excluded, 'The number opted out'],
		[
			'a request without a number',
			{ status: 'missed' },
			'no field',
			any(/^The request has no field with the number of the caller\. Its fields: callid, status$/),
		],
		[
			'a status that is not known',
			{ from: '0244100207', status: 'parked' },
			'+233244100207',
			'The status parked is not known',
		],
	])('texts no one for %s, and says why', async (title, body, phone, reason) => {
		expect(await sentOn({ call_id: title, ...body })).toEqual(nothing);
		expect(await rowOf(title)).toEqual([phone, 'not sent', reason]);
	});

	test('keeps the reason if the service rejects the number', async () => {
		expect(await sentOn({ call_id: 'f-1', from: optedOut })).toEqual(nothing);
		expect(await rowOf('f-1')).toEqual([optedOut, 'rejected', any(/opted out/i)]);
	});

	test('keeps no row for calls that were answered or made by the shop, and accepts no request without the header', async () => {
		const before = await rowsOf('Missed calls', 'call_id');
		const from = '0244100208';
		expect(
			await sentOn(
				{ from, status: 'completed' },
				{ from, CallStatus: 'ringing' },
				{ from, answered: true },
				{ from, status: 'no-answer', direction: 'outbound-api' },
			),
		).toEqual(nothing);
		const unauthenticated = await fetch(example.urlOf('When a call ends'), {
			method: 'POST',
			body: new URLSearchParams({ from }),
		});
		expect(unauthenticated.status).toBe(403);
		expect(await rowsOf('Missed calls', 'call_id')).toEqual(before);
	});
});

describe('review-after-visit', () => {
	const headings = ['visit_date', 'name', 'phone', 'result', 'details', 'code', 'score', 'comment'];
	const morning = 'Every morning at ten';
	const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
	const yesterday = daysAgo(1);
	const choices = (hours = alwaysOpen) =>
		settings({ page: `${stage.server.url}/form/visit`, review_link: 'https://reviews.example/kofi-shop' }, hours);
	const textTo = (name: string) =>
		any(
			new RegExp(
				`^Kofi Shop: thank you for your visit${name}\\. How was it\\? Tell us, or opt out: http://127\\.0\\.0\\.1:\\d+/form/visit\\?c=v[0-9a-f]{11}$`,
			),
		);

	test('asks once for each visit of yesterday, and writes the answer into the row', async () => {
		const sheet = stage.google.sheets.make('Visits', [
			headings,
			[yesterday, 'Ama', '024 410 0211'],
			[{ date: yesterday }, '', 244_100_212],
			[daysAgo(0), 'Esi', '024 410 0213'],
			[daysAgo(30), 'Yaw', '024 410 0214'],
			[yesterday, 'Adwoa', excluded],
			[yesterday, 'Kwesi', ''],
			['last week', 'Kojo', '024 410 0215'],
			[yesterday, 'Ama Mensah', '+233244100211'],
			[yesterday, 'Abena', '024 410 0216', 'accepted'],
			[yesterday, 'Kwaku', optedOut],
			[yesterday, 'Efua', '024 410 0217'],
		]);
		const example = await stage.set('review-after-visit', { sheet, chosen: choices() });
		await example.publish();
		const asked = await stage.sentDuring(async () => await example.run(morning));
		expect(textsOf(asked)).toEqual([
			['+233244100211', textTo(', Ama')],
			['+233244100212', textTo('')],
			['+233244100217', textTo(', Efua')],
		]);
		expect(asked.paid).toBe(0.15);
		const results = cellsOf(sheet, 'result', 'details');
		expect(results).toEqual([
			['accepted', ''],
			['accepted', ''],
			['', ''],
			['', ''],
			['skipped', 'The customer opted out'],
			['not sent', any(/^phone is empty/)],
			['not sent', 'visit_date is not a date: write it such as 2026-11-23'],
			['skipped', 'This visit was asked before'],
			['accepted', ''],
			['rejected', any(/opted out/i)],
			['accepted', ''],
		]);
		expect(await stage.sentDuring(async () => await example.run(morning))).toEqual(nothing);
		expect(cellsOf(sheet, 'result', 'details')).toEqual(results);

		const [ama, kofi, efua] = asked.messages.map(linkIn);
		const answered = await stage.sentDuring(async () => {
			await fetch(ama ?? '');
			await answer(ama ?? '', '2 - Poor', 'Thank you for your answer', { 'What can we do better?': 'I waited long' });
			await answer(kofi ?? '', '5 - Very good', 'https://reviews.example/kofi-shop');
			await answer(kofi ?? '', '1 - Bad', 'We have your answer already');
			await answer(efua ?? '', 'No more messages, please', 'You get no more messages');
			await answer((ama ?? '').slice(0, -1), '1 - Bad', 'This link is not complete');
		});
		expect(textsOf(answered)).toEqual([[owner, 'Score 2 of 5 from Ama, phone 024 410 0211: I waited long']]);
		expect(answered.paid).toBe(0.05);
		expect(cellsOf(sheet, 'score', 'comment').filter((_, index) => [0, 1, 10].includes(index))).toEqual([
			[2, 'I waited long'],
			[5, ''],
			['', ''],
		]);
		expect((await rowsOf('Opt-outs', 'phone')).flat()).toContain('+233244100217');
		await example.retire();
	});

	test('accepts a reply with a score, once for each visit', async () => {
		const [ama, kofi] = ['+233244100241', '+233244100242'];
		const sheet = stage.google.sheets.make('Visits', [
			headings,
			[daysAgo(5), 'Ama', '024 410 0241', 'accepted', '', 'v0123456789a', 3],
			[yesterday, 'Ama', '024 410 0241'],
			[yesterday, 'Kofi', 244_100_242],
		]);
		const example = await stage.set('review-after-visit', { sheet, chosen: choices() });
		await example.publish();
		expect((await stage.sentDuring(async () => await example.run(morning))).paid).toBe(0.1);
		const answered = await stage.sentDuring(async () => {
			await stage.textIn(example, ama, ' 5 ');
			await stage.textIn(example, kofi, '2');
			await stage.textIn(example, kofi, '1');
			await stage.textIn(example, ama, 'Thank you 5');
			await stage.textIn(example, '+233244100243', '4');
		});
		expect(textsOf(answered)).toEqual([
			[owner, 'Score 2 of 5 from Kofi, phone 244100242: no comment'],
			[ama, 'Kofi Shop: thank you. Would you tell others too? https://reviews.example/kofi-shop'],
		]);
		expect(answered.paid).toBe(0.1);
		expect(cellsOf(sheet, 'score')).toEqual([[3], [5], [2]]);
		await example.retire();
	});

	test('saves a STOP that comes as a reply, asks no more, and asks again after a START', async () => {
		const esi = '+233244100251';
		const visitOf = async (days: number) => {
			const sheet = stage.google.sheets.make('Visits', [headings, [daysAgo(days), 'Esi', '024 410 0251']]);
			const example = await stage.set('review-after-visit', { sheet, chosen: choices() });
			return { sheet, example, ask: async () => await stage.sentDuring(async () => await example.run(morning)) };
		};
		const first = await visitOf(1);
		expect((await first.ask()).paid).toBe(0.05);
		await first.example.publish();
		const replied = await stage.sentDuring(async () => await stage.textIn(first.example, esi, 'Stop'));
		expect(replied).toEqual(nothing);
		expect((await rowsOf('Opt-outs', 'phone')).flat()).toContain(esi);
		// The service knows the opt-out, too.
		expect(JSON.stringify(await stage.sandbox.control('GET', '/opt-outs'))).toContain(esi);

		const second = await visitOf(2);
		expect(await second.ask()).toEqual(nothing);
		expect(cellsOf(second.sheet, 'result', 'details')).toEqual([['skipped', 'The customer opted out']]);

		await stage.textIn(first.example, esi, 'START');
		await first.example.retire();
		expect((await rowsOf('Opt-outs', 'phone')).flat()).not.toContain(esi);
		const third = await visitOf(3);
		expect(textsOf(await third.ask())).toEqual([[esi, textTo(', Esi')]]);
	});

	test('leaves a row for the next morning, and ends in an error, if the balance is too low', async () => {
		const sheet = stage.google.sheets.make('Visits', [headings, [yesterday, 'Ama', '024 410 0231']]);
		const example = await stage.set('review-after-visit', { sheet, chosen: choices() });
		await nothingSentWithBalance(0.04, async () => await example.run(morning, 'error'));
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['not_attempted', any(/0\.04 GHS.* 0\.05 GHS/)]]);
		expect((await stage.sentDuring(async () => await example.run(morning))).paid).toBe(0.05);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['accepted', '']]);
	});

	test('leaves a row for the next morning, and ends in an error, if the service rejects the API key', async () => {
		const sheet = stage.google.sheets.make('Visits', [headings, [yesterday, 'Abla', '024 410 0232']]);
		const example = await stage.set('review-after-visit', { sheet, chosen: choices() });
		const body = { code: 'unauthorized', message: 'The API key was revoked' };
		await stage.sandbox.control('POST', '/faults', { endpoint: 'sms.sendBulk', kind: 'answer', status: 401, body });
		const stopped = await stage.sentDuring(async () => {
			const { data } = await example.run(morning, 'error');
			expect(data.resultData.error?.message).toMatch(/^1 of 1 messages were not sent\. The API key was revoked/);
		});
		expect(stopped).toEqual(nothing);
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['not_attempted', any(/The API key was revoked/)]]);
		expect((await stage.sentDuring(async () => await example.run(morning))).paid).toBe(0.05);
	});

	test('asks at the next allowed time if it runs outside the sending hours', async () => {
		const sheet = stage.google.sheets.make('Visits', [headings, [yesterday, 'Ama', '024 410 0218']]);
		const { chosen, opensAt } = closedHours();
		const example = await stage.set('review-after-visit', { sheet, chosen: choices(chosen) });
		const sent = await stage.sentDuring(async () => await example.run(morning));
		expect(textsOf(sent)).toEqual([['+233244100218', textTo(', Ama')]]);
		expect(sent.messages[0]?.status).toBe('queued');
		expect(sent.paid).toBe(0.05);
		const day = opensAt.toLocaleDateString('en-GB', {
			weekday: 'long',
			day: 'numeric',
			month: 'long',
			timeZone: 'UTC',
		});
		expect(cellsOf(sheet, 'result', 'details')).toEqual([['accepted', `Goes out on ${day}, 08:00`]]);
	});

	test.each([
		['an empty sheet', [headings], {}, /^The sheet has no rows\./],
		[
			'a missing column',
			[headings.slice(0, 6), [yesterday, 'Ama', '024 410 0219']],
			{},
			/^The sheet lacks the column score, comment\. Its row 1 has: visit_date, name, /,
		],
		[
			'no page',
			[headings, [yesterday, 'Ama', '024 410 0219']],
			{ page: '' },
			/^In Settings, page is empty\. Copy the Production URL of the node How was your visit\?/,
		],
		[
			'a page that phones cannot open',
			[headings, [yesterday, 'Ama', '024 410 0219']],
			{ page: 'http://localhost:5678/form/visit' },
			/^In Settings, page is an address that phones cannot open\./,
		],
	])('stops with an error that names the problem: %s', async (_, rows, typed, error) => {
		const page = `${stage.server.url}/form/visit`;
		const sheet = stage.google.sheets.make('Visits', rows);
		const example = await stage.set('review-after-visit', { sheet, chosen: settings({ page, ...typed }, alwaysOpen) });
		const sent = await stage.sentDuring(async () => {
			const { data } = await example.run(morning, 'error');
			expect(data.resultData.error?.message).toMatch(error);
			expect(data.resultData.error?.message).toMatch(/Nothing was sent or charged\.$/);
		});
		expect(sent).toEqual(nothing);
		expect(sheet.rows()).toEqual(rows);
	});
});

describe('church-broadcast-rsvp', () => {
	const click = 'When you click Execute';
	const morning = 'Every morning at nine';
	const inDays = (days: number) => `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T23:59`;
	const page = () => `${stage.server.url}/form/rsvp`;
	const inviteTo = any(
		/^Kofi Church: Harvest Thanksgiving, Sunday 6 December, 9 am\. Will you come\? Answer, or opt out: http\S+\/form\/rsvp\?c=r[0-9a-f]{11}$/,
	);
	const remindTo = any(
		/^Kofi Church: see you at Harvest Thanksgiving, Sunday 6 December, 9 am\. .*http\S+\/form\/rsvp\?c=r[0-9a-f]{11}$/,
	);

	/** Imports the example with these settings. All copies share their tables. */
	const church = async (sheet: Sheet, typed: Readonly<Record<string, unknown>>, hours = alwaysOpen) =>
		await stage.set('church-broadcast-rsvp', {
			sheet,
			chosen: settings({ page: page(), starts_at: inDays(1), dry_run: false, event: 'Harvest', ...typed }, hours),
		});
	const sentOn = async (example: Example, trigger: string) =>
		await stage.sentDuring(async () => await example.run(trigger));
	const members = (...more: Cell[][]) =>
		stage.google.sheets.make('Members', [
			['name', 'phone'],
			['Ama', '024 410 0221'],
			['Kofi', 244_100_222],
			['Esi', '+233244100223'],
			...more,
		]);

	test('shows the cost first, invites each member once, counts the answers, and reminds only those who come', async () => {
		const sheet = members(['Yaw', ''], ['Ama again', '+233 24 410 0221'], ['Adwoa', excluded], ['Kwesi', '024 41']);
		const tried = await church(sheet, { dry_run: true });
		const estimate = await stage.sentDuring(async () => {
			const { data } = await tried.run(click);
			const [run] = data.resultData.runData['Cost of the invitation'] ?? [];
			expect(JSON.stringify(run)).toMatch(
				/Dry run: nothing was sent or charged\. It would go to 3 members and cost about 0\.15\. Your balance is \d/,
			);
		});
		expect(estimate).toEqual(nothing);

		const example = await church(sheet, {});
		await example.publish();
		const invited = await sentOn(example, click);
		expect(textsOf(invited)).toEqual([
			['+233244100221', inviteTo],
			['+233244100222', inviteTo],
			['+233244100223', inviteTo],
		]);
		expect(invited.paid).toBe(0.15);
		const results = async () =>
			(await rowsOf('Invitations', 'event', 'name', 'phone', 'result', 'reason'))
				.filter(([event]) => event === 'Harvest')
				.map((row) => row.slice(1))
				.sort();
		const expected = [
			['Adwoa', excluded, 'skipped', 'The member opted out'],
			['Ama', '+233244100221', 'accepted', ''],
			['Esi', '+233244100223', 'accepted', ''],
			['Kofi', '+233244100222', 'accepted', ''],
			['Kwesi', '024 41', 'not sent', any(/^phone /)],
			['Yaw', '', 'not sent', any(/^phone is empty/)],
		];
		expect(await results()).toEqual(expected);
		expect(await sentOn(example, click)).toEqual(nothing);
		expect(await results()).toEqual(expected);

		const [ama, kofi, esi] = invited.messages.map(linkIn);
		const count = async () => await rowsOf('RSVP count', 'event', 'coming', 'people', 'not_coming', 'no_answer');
		const answered = await stage.sentDuring(async () => {
			await fetch(ama ?? '');
			await answer(ama ?? '', "I can't come", 'What a pity');
			await answer(ama ?? '', 'I will come', 'See you there', { 'How many people come, with you?': '3' });
			expect(await count()).toEqual([['Harvest', 1, 3, 0, 3]]);
			await answer(kofi ?? '', "I can't come", 'What a pity');
			await answer(esi ?? '', 'I will come', 'See you there');
			expect(await count()).toEqual([['Harvest', 2, 4, 1, 1]]);
			await answer(esi ?? '', 'No more messages, please', 'You get no more messages');
			await answer(`${page()}?c=r00000000000`, 'I will come', 'This link is not complete');
		});
		expect(answered).toEqual(nothing);
		expect(await count()).toEqual([['Harvest', 1, 3, 1, 1]]);
		expect((await rowsOf('Opt-outs', 'phone')).flat()).toContain('+233244100223');

		await nothingSentWithBalance(0, async () => await example.run(morning, 'error'));
		const reminded = await sentOn(example, morning);
		expect(textsOf(reminded)).toEqual([
			[owner, 'Harvest: 3 people come, from 1 members. Not coming: 1. No answer: 1.'],
			['+233244100221', remindTo],
		]);
		expect(reminded.paid).toBe(0.1);
		expect(await sentOn(example, morning)).toEqual(nothing);
		await example.retire();
	});

	test('leaves out a member whose STOP another example saved, and says if only the service knows a STOP', async () => {
		const [saved, known, other] = ['+233244100261', '+233244100262', '+233244100263'];
		const campaign = await stage.set('campaign');
		await campaign.run('Make the tables');
		await campaign.publish();
		await stage.textIn(campaign, saved, 'STOP');
		await campaign.retire();
		await stage.sandbox.control('PUT', '/settings', { inbound_url: null });
		await stage.sandbox.text(known, 'KOFISHOP', 'STOP');
		const sheet = stage.google.sheets.make('Members', [
			['name', 'phone'],
			...[saved, known, other].map((phone) => ['Yaa', phone]),
		]);
		const invited = await sentOn(await church(sheet, { event: 'Picnic' }), click);
		expect(textsOf(invited)).toEqual([[other, inviteTo]]);
		expect(invited.paid).toBe(0.05);
		const results = await rowsOf('Invitations', 'event', 'phone', 'result', 'reason');
		expect(results.filter(([event]) => event === 'Picnic').map((row) => row.slice(1))).toEqual([
			[saved, 'skipped', 'The member opted out'],
			[known, 'rejected', any(/opted out/i)],
			[other, 'accepted', ''],
		]);
	});

	test('invites at the next allowed time if it runs outside the sending hours, and does not remind then', async () => {
		const { chosen } = closedHours();
		const example = await church(
			stage.google.sheets.make('Members', [
				['name', 'phone'],
				['Efua', '024 410 0224'],
			]),
			{ event: 'Wedding' },
			chosen,
		);
		const sent = await sentOn(example, click);
		expect(textsOf(sent)).toEqual([['+233244100224', inviteTo]]);
		expect(sent.messages[0]?.status).toBe('queued');
		expect(sent.paid).toBe(0.05);
		expect((await rowsOf('Invitations', 'event', 'result', 'reason')).filter(([event]) => event === 'Wedding')).toEqual(
			[['Wedding', 'accepted', any(/^Goes out on \w+ \d+ \w+, 08:00$/)]],
		);
	});

	test('stops with an error if the balance is too low, in the dry run too', async () => {
		const sheet = stage.google.sheets.make('Members', [
			['name', 'phone'],
			['Yaa', '024 410 0225'],
			['Akua', '024 410 0226'],
		]);
		await nothingSentWithBalance(0.08, async () => {
			for (const dryRun of [true, false]) {
				const example = await church(sheet, { event: 'Funeral', dry_run: dryRun });
				const { data } = await example.run(click, 'error');
				expect(data.resultData.error?.message).toMatch(
					/^2 of 2 invitations were not sent\. .*0\.08 GHS.* 0\.1 GHS.*nothing was sent or charged\.$/,
				);
			}
		});
		expect((await sentOn(await church(sheet, { event: 'Funeral' }), click)).paid).toBe(0.1);
	});

	test('ends in an error after it saved the rows if the service does not know the sender ID', async () => {
		const sheet = stage.google.sheets.make('Members', [
			['name', 'phone'],
			['Yaa', '024 410 0225'],
			['Akua', '024 410 0226'],
		]);
		const otherSender = (node: ExampleNode) => ({
			...alwaysOpen(node),
			...(node.name === 'Invite' && { senderId: { __rl: true, mode: 'name', value: 'NOTOURS' } }),
		});
		const example = await church(sheet, { event: 'Concert' }, otherSender);
		const sent = await stage.sentDuring(async () => {
			const { data } = await example.run(click, 'error');
			expect(data.resultData.error?.message).toMatch(/^2 of 2 invitations were not sent\. NOTOURS is not a sender ID/);
		});
		expect(sent).toEqual(nothing);
		const rows = (await rowsOf('Invitations', 'event', 'result', 'reason')).filter(([event]) => event === 'Concert');
		expect(rows).toEqual([1, 2].map(() => ['Concert', 'rejected', any(/^NOTOURS is not a sender ID/)]));
		expect((await sentOn(await church(sheet, { event: 'Concert' }), click)).paid).toBe(0.1);
	});

	test('reminds no one if the event is in a week', async () => {
		expect(await sentOn(await church(members(), { starts_at: inDays(7) }), morning)).toEqual(nothing);
	});

	test.each([
		['an empty sheet', [['name', 'phone']], {}, /^The sheet has no rows\./],
		[
			'a missing column',
			[
				['Name', 'phone'],
				['Ama', '024 410 0229'],
			],
			{},
			/^The sheet lacks the column name\. Its row 1 has: Name, phone\./,
		],
		[
			'no page',
			[
				['name', 'phone'],
				['Ama', '024 410 0229'],
			],
			{ page: '' },
			/^In Settings, page is empty\./,
		],
		[
			'an event that is over',
			[
				['name', 'phone'],
				['Ama', '024 410 0229'],
			],
			{ starts_at: inDays(-2) },
			/^In Settings, starts_at is not a time in the future\./,
		],
	])('stops with an error that names the problem: %s', async (_, rows, typed, error) => {
		const example = await church(stage.google.sheets.make('Members', rows), typed);
		const sent = await stage.sentDuring(async () => {
			const { data } = await example.run(click, 'error');
			expect(data.resultData.error?.message).toMatch(error);
			expect(data.resultData.error?.message).toMatch(/Nothing was sent or charged\.$/);
		});
		expect(sent).toEqual(nothing);
	});
});
