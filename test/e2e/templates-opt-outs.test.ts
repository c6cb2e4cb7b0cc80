import { openDataTable, type DataTable, type Row } from '../support/e2e/dataTable';
import { alwaysOpen } from '../support/e2e/exampleHours';
import { settings } from '../support/e2e/exampleSettings';
import type { Example, ExampleNode } from '../support/e2e/exampleWorkflow';
import { textsOf } from '../support/e2e/sentTexts';
import { openTemplateStage, type Sent, type TemplateStage } from '../support/e2e/templateStage';
import { eventually } from '../support/eventually';
import { shopifyCheckout } from '../support/thirdParty/shops/checkouts';
import { openShopify } from '../support/thirdParty/shops/shopify';

// The examples share the table Opt-outs. These tests run those together that fill it and those that read it.
const shopify = openShopify();

let stage: TemplateStage;
let optOuts: Example;

const nothing: Sent = { messages: [], paid: 0 };
const any = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const linkTo = ({ messages }: Sent, to: string) =>
	/http\S+$/.exec(messages.find((message) => message.to === to)?.message ?? '')?.[0] ?? '';
const table = async (name: string): Promise<DataTable> => await openDataTable(stage.n8n, name);
const rows = async (name: string): Promise<Row[]> => await (await table(name)).rows();
const optedOut = async () => (await rows('Opt-outs')).map(({ phone }) => phone);
const page = () => optOuts.urlOf('Opt-out form');
const sentOn = async (example: Example, trigger: string) =>
	await stage.sentDuring(async () => await example.run(trigger));

/** Opens the link of a message in a browser, and presses the button. */
async function optOut(link: string): Promise<void> {
	const { context } = await stage.openCustomer();
	const form = await context.newPage();
	await optOuts.startedBy('Opt-out form', async () => {
		await form.goto(link);
		await form.getByRole('button', { name: 'Opt out' }).click();
		await form.getByText('You get no more offers from Kofi Shop.').waitFor();
	});
	await context.close();
}

beforeAll(async () => {
	const credential = { shopifyAccessTokenApi: shopify.credential };
	stage = await openTemplateStage({ hosts: shopify.hosts, credential });
	optOuts = await stage.set('opt-out-form');
	await optOuts.run('Make the tables');
	await optOuts.publish();
});

afterAll(async () => {
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('the link of opt-out-form in a cart reminder', () => {
	const schedule = 'Every 15 minutes';
	const [ama, kofi] = ['+233244100301', '+233244100302'];
	const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
	let carts: Example;

	/** Leaves a cart in the shop two hours ago, and waits until the workflow keeps it. */
	async function leave(token: string, phone: string): Promise<void> {
		const cart = shopifyCheckout({ token, phone, name: 'Ama', acceptsSms: true, changedAt: ago(2) });
		await shopify.send('checkouts/create', cart);
		await eventually(`the row of ${token}`, async () => await row(token));
	}
	const row = async (token: string) => (await rows('Abandoned carts')).find(({ checkout }) => checkout === token);
	const reminder = any(
		/^Hello Ama, your cart at Kofi Shop is waiting.* Opt out: http:\/\/127\.0\.0\.1:\d+\/form\/stop\?c=[0-9a-f]{12}$/,
	);

	beforeAll(async () => {
		carts = await stage.set('abandoned-cart-sms', { chosen: settings({ opt_out_form: page() }, alwaysOpen) });
		await carts.run('Make the table');
		await carts.publish();
		await eventually('the webhooks', () => (shopify.webhooks().length === 3 ? true : undefined));
	});

	afterAll(async () => {
		await carts.retire();
		await eventually('the end of the webhooks', () => (shopify.webhooks().length === 0 ? true : undefined));
	});

	test('opts out only its customer, from the last reminder and from reminders of later carts', async () => {
		await leave('first', ama);
		await leave('other', kofi);
		const reminded = await sentOn(carts, schedule);
		expect(textsOf(reminded)).toEqual([
			[ama, reminder],
			[kofi, reminder],
		]);
		expect(reminded.paid).toBe(0.2);

		const link = linkTo(reminded, ama);
		expect((await fetch(link)).status).toBe(200);
		expect(await optedOut()).toEqual([]);
		expect(await stage.sentDuring(async () => await optOut(link))).toEqual(nothing);
		expect(await optedOut()).toEqual([ama]);

		await leave('second', ama);
		for (const token of ['first', 'other']) {
			await (await table('Abandoned carts')).update('checkout', token, { reminded_at: ago(25).toISOString() });
		}
		const last = await sentOn(carts, schedule);
		expect(textsOf(last)).toEqual([[kofi, reminder]]);
		expect(last.paid).toBe(0.1);
		const because = { status: 'closed', reason: any(/Excluded Numbers/) };
		expect(await row('first')).toMatchObject({ ...because, reminders: 1 });
		expect(await row('second')).toMatchObject({ ...because, reminders: 0 });
		expect(await row('other')).toMatchObject({ status: 'closed', reason: '', reminders: 2 });
		expect(await sentOn(carts, schedule)).toEqual(nothing);
	});

	test('works in each reminder if a new customer left two carts', async () => {
		const abena = '+233244100304';
		await leave('one of Abena', abena);
		await leave('two of Abena', abena);
		const reminded = await sentOn(carts, schedule);
		expect(textsOf(reminded)).toEqual([
			[abena, reminder],
			[abena, reminder],
		]);
		const [code] = (await rows('Customers')).filter(({ phone }) => phone === abena).map((row) => row.opt_out_code);
		expect(reminded.messages.map(({ message }) => message.slice(-12))).toEqual([code, code]);
		await optOut(linkTo(reminded, abena));
		expect(await optedOut()).toContain(abena);
	});

	test('goes to no one whose STOP the example campaign received', async () => {
		const esi = '+233244100303';
		const campaign = await stage.set('campaign');
		await campaign.run('Make the tables');
		await campaign.publish();
		await leave('of Esi', esi);
		await stage.textIn(campaign, esi, 'STOP');
		await campaign.retire();
		expect(await sentOn(carts, schedule)).toEqual(nothing);
		expect(await row('of Esi')).toMatchObject({ status: 'closed', reason: any(/Excluded Numbers/) });
	});
});

describe('the link of opt-out-form in messages to the table of customers', () => {
	const friday = 'Every Friday at ten';
	const [yaa, yaw, code] = ['+233244100311', '+233244100312', '1234'];

	/** Ends the messages of an example with the link, as the blue notes say. */
	const withLink = (campaign: string) =>
		settings({ opt_out: `Opt out: ${page()}`, campaign }, (node: ExampleNode) => ({
			...alwaysOpen(node),
			...(node.name === 'Send the wishes' && {
				message: `=Happy birthday, {{ $json.name }}! Opt out: ${page()}?c={{ $json.opt_out_code }}`,
			}),
		}));
	const offer = any(/^Kofi Shop: 10% off rice and oil until Sunday\. Opt out: http\S+\/form\/stop\?c=[0-9a-f]{12}$/);

	test('opts out of offers and of birthday wishes, and a STOP of a short code stops neither', async () => {
		// Ghana has UTC.
		const birthday = new Date().toISOString().slice(5, 10);
		await (
			await table('Customers')
		).insert([
			{ phone: '024 410 0311', name: 'Yaa', wants_offers: true, birthday },
			{ phone: yaw, name: 'Yaw', wants_offers: true, birthday },
		]);
		await optOuts.run('Every hour');
		const week = async (number: string) => await stage.set('campaign', { chosen: withLink(number) });
		const first = await week('2030-W01');
		await first.run('Make the tables');
		await first.publish();
		// The simulated phones have whole numbers, so this request comes from the gateway itself.
		const stop = new URLSearchParams({ From: code, To: 'KOFISHOP', Message: 'STOP' });
		const inbound = 'When a message arrives';
		await first.startedBy(inbound, async () => await fetch(first.urlOf(inbound), { method: 'POST', body: stop }));
		expect(await optedOut()).toContain(code);
		await first.retire();
		const sent = await sentOn(first, friday);
		expect(textsOf(sent)).toEqual([
			[yaa, offer],
			[yaw, offer],
		]);
		expect(sent.paid).toBe(0.1);

		await optOut(linkTo(sent, yaa));
		expect(await optedOut()).toContain(yaa);
		const next = await sentOn(await week('2030-W02'), friday);
		expect(textsOf(next)).toEqual([[yaw, offer]]);
		expect(next.paid).toBe(0.05);

		const birthdays = await stage.set('birthday-messages', { chosen: withLink('') });
		const wished = await sentOn(birthdays, 'Every morning at nine');
		expect(textsOf(wished)).toEqual([[yaw, any(/^Happy birthday, Yaw! Opt out: http\S+\?c=[0-9a-f]{12}$/)]]);
		expect(wished.paid).toBe(0.05);

		await optOut(linkTo(wished, yaw));
		expect(await sentOn(await week('2030-W03'), friday)).toEqual(nothing);
	});

	test('works for a customer who was added after the last codes were made', async () => {
		const [adjoa, akosua] = ['+233244100313', '+233244100314'];
		const birthday = new Date().toISOString().slice(5, 10);
		const codesOf = async (phone: string) =>
			(await rows('Customers')).filter((row) => row.phone === phone).map(({ opt_out_code }) => opt_out_code);
		await (await table('Customers')).insert([{ phone: adjoa, name: 'Adjoa', wants_offers: true }]);
		const campaign = await stage.set('campaign', { chosen: withLink('2030-W04') });
		const offered = await sentOn(campaign, friday);
		expect(textsOf(offered)).toEqual([[adjoa, offer]]);
		expect(offered.paid).toBe(0.05);
		expect(await codesOf(adjoa)).toEqual([linkTo(offered, adjoa).slice(-12)]);
		// The hourly run changes no code that a customer already has.
		await optOuts.run('Every hour');
		await optOut(linkTo(offered, adjoa));
		expect(await optedOut()).toContain(adjoa);

		await (await table('Customers')).insert([{ phone: akosua, name: 'Akosua', birthday }]);
		const wished = await sentOn(
			await stage.set('birthday-messages', { chosen: withLink('') }),
			'Every morning at nine',
		);
		expect(textsOf(wished)).toEqual([[akosua, any(/^Happy birthday, Akosua! Opt out: http\S+\?c=[0-9a-f]{12}$/)]]);
		await optOut(linkTo(wished, akosua));
		expect(await optedOut()).toContain(akosua);
		expect(await sentOn(await stage.set('campaign', { chosen: withLink('2030-W05') }), friday)).toEqual(nothing);
	});
});

describe('two rows of the table of customers with the same number', () => {
	// The same number, as the owner typed it and as another workflow saved it.
	const [typed, number] = ['024 410 0341', '+233244100341'];

	test.each([
		['campaign', 'Every Friday at ten'],
		['birthday-messages', 'Every morning at nine'],
	])('get one message with one working link from the example %s', async (name, trigger) => {
		const birthday = new Date().toISOString().slice(5, 10);
		const customers = await table('Customers');
		const codesOf = async () =>
			(await customers.rows())
				.filter(({ phone }) => phone === typed || phone === number)
				.map(({ opt_out_code }) => opt_out_code);
		if ((await codesOf()).length === 0) {
			await customers.insert([typed, number].map((phone) => ({ phone, name: 'Efe', wants_offers: true, birthday })));
		}
		const example = await stage.set(name, {
			chosen: settings({ opt_out: `Opt out: ${page()}`, campaign: '2030-W06' }, (node: ExampleNode) => ({
				...alwaysOpen(node),
				...(node.name === 'Send the wishes' && {
					message: `=Happy birthday, {{ $json.name }}! Opt out: ${page()}?c={{ $json.opt_out_code }}`,
				}),
			})),
		});
		const { messages } = await sentOn(example, trigger);
		const toNumber = messages.filter(({ to }) => to === number);
		expect(toNumber).toHaveLength(1);
		const code = toNumber[0]?.message.slice(-12);
		expect(await codesOf()).toEqual([code, code]);
		const again = await sentOn(example, trigger);
		expect(again.messages.filter(({ to }) => to === number)).toEqual([]);
	});
});

describe('the link of opt-out-form in messages to customers in a Google sheet', () => {
	const today = new Date().toISOString().slice(0, 10);
	const [ama, kofi, esi] = ['+233244100331', '+233244100332', '+233244100333'];
	const linked = (campaign: string) =>
		settings({ opt_out: `Opt out: ${page()}`, campaign }, (node: ExampleNode) => ({
			...alwaysOpen(node),
			...(node.name === 'Send the wishes' && {
				message: String(node.parameters.message).replace('https://n8n.example.com/form/stop', page()),
			}),
		}));

	test('opts out of the next offer and of birthday wishes, and survives a new sheet', async () => {
		const friday = 'Every Friday at ten';
		const headings = ['phone', 'wants_offers', 'last_offer', 'result', 'message_id', 'details'];
		// The table has the number of Kofi without a code.
		await (await table('Customers')).insert([{ phone: kofi, name: 'Kofi' }]);
		const offers = async (campaign: string, ...phones: ReadonlyArray<string | number>) => {
			const sheet = stage.google.sheets.make('Customers', [headings, ...phones.map((phone) => [phone, 'yes'])]);
			const example = await stage.set('google-sheets-bulk-sms', { sheet, chosen: linked(campaign) });
			return { sheet, sent: await sentOn(example, friday) };
		};
		const offer = any(/^Kofi Shop: 10% off rice and oil until Sunday\. Opt out: http\S+\/form\/stop\?c=[0-9a-f]{12}$/);
		const { sheet: first, sent } = await offers('2031-W01', '024 410 0331', 244_100_332, esi, '12345', '0244100331');
		expect(textsOf(sent)).toEqual([
			[ama, offer],
			[kofi, offer],
			[esi, offer],
		]);
		expect(sent.paid).toBe(0.15);
		// Both spellings of a number have one code, so the second is a duplicate.
		const accepted = ['accepted', 'accepted', 'accepted'];
		expect(first.rows().map((row) => row[3])).toEqual(['result', ...accepted, 'skipped', 'skipped']);
		expect((await rows('Customers')).filter(({ phone }) => phone === ama)).toHaveLength(1);
		expect(await stage.sentDuring(async () => await optOut(linkTo(sent, ama)))).toEqual(nothing);
		await optOut(linkTo(sent, kofi));
		expect(await optedOut()).toEqual(expect.arrayContaining([ama, kofi]));

		const { sheet, sent: next } = await offers('2031-W02', '0244100331', kofi, '024 410 0333');
		expect(textsOf(next)).toEqual([[esi, offer]]);
		expect(next.paid).toBe(0.05);
		expect(linkTo(next, esi)).toBe(linkTo(sent, esi));
		expect(sheet.rows().map((row) => row[5] ?? '')).toEqual(['details', 'Opted out', 'Opted out', '']);

		const birthdays = stage.google.sheets.make('Birthdays', [
			['name', 'phone', 'birthday', 'last_greeting', 'result', 'details'],
			['Ama', '024 410 0331', `1990-${today.slice(5)}`],
			['Esi', '024 410 0333', `1991-${today.slice(5)}`],
			['Yaw', '024 410 0334', `1992-${today.slice(5)}`],
		]);
		const example = await stage.set('google-sheets-birthday-sms', { sheet: birthdays, chosen: linked('') });
		const wished = await sentOn(example, 'Every morning at nine');
		expect(textsOf(wished)).toEqual([
			[esi, any(/^Happy birthday, Esi!.* Opt out: http\S+\?c=[0-9a-f]{12}$/)],
			['+233244100334', any(/^Happy birthday, Yaw!.* Opt out: http\S+\?c=[0-9a-f]{12}$/)],
		]);
		expect(wished.paid).toBe(0.1);
		expect(linkTo(wished, esi).slice(-12)).toBe(linkTo(sent, esi).slice(-12));
		await optOut(linkTo(wished, '+233244100334'));
		expect(await optedOut()).toContain('+233244100334');
	});
});

describe('google-calendar-appointment-reminders', () => {
	test('leaves a STOP to the service and says so, and reminds a customer who opted out of offers by a link', async () => {
		const [adwoa, afia] = ['+233244100321', '+233244100322'];
		await stage.sandbox.control('PUT', '/settings', { inbound_url: null });
		await stage.sandbox.text(adwoa, 'KOFISHOP', 'STOP');
		await (await table('Opt-outs')).insert([{ phone: afia }]);
		const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
		const at = (time: string) => ({ dateTime: `${day}T${time}Z`, timeZone: 'Africa/Accra' });
		for (const [summary, phone] of [
			['Haircut', adwoa],
			['Braids', afia],
		]) {
			stage.google.calendar.add({
				summary: summary ?? '',
				start: at('09:00:00'),
				end: at('09:30:00'),
				description: `Phone: ${phone}`,
			});
		}
		const example = await stage.set('google-calendar-appointment-reminders');
		await example.run('Make the table');
		await example.publish();
		const responses = async () =>
			(await rows('Appointment reminders')).map(({ phone, response, reason }) => [phone, response, reason]);
		const sent = await stage.sentDuring(async () => {
			await example.run('Every morning at nine');
			await eventually('the reminder', async () => (await stage.sandbox.messages()).find(({ to }) => to === afia));
			await eventually('the reason', async () => ((await responses()).length > 0 ? true : undefined));
		});
		expect(textsOf(sent)).toEqual([[afia, any(/^Kofi Shop: your appointment is on /)]]);
		expect(sent.paid).toBe(sent.messages[0]?.cost);
		expect(await responses()).toEqual([[adwoa, 'not sent', any(/opted out/i)]]);
		await example.retire();
	});
});
