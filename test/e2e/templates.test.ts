import type { Page } from 'playwright-core';
import { openDataTable } from '../support/e2e/dataTable';
import { pictureWorkflow } from '../support/e2e/examplePicture';
import { templateNames, type Example, type ExampleNode } from '../support/e2e/exampleWorkflow';
import { settings } from '../support/e2e/exampleSettings';
import type { N8nApi } from '../support/e2e/n8nApi';
import type { SandboxView, SentMessage } from '../support/e2e/sandboxView';
import { textsOf } from '../support/e2e/sentTexts';
import { openTemplateStage, type Choices, type TemplateStage } from '../support/e2e/templateStage';
import { createWebhookWorkflow } from '../support/e2e/webhookWorkflow';
import { eventually } from '../support/eventually';
import type { Google } from '../support/thirdParty/google';
import type { Cell, Sheet } from '../support/thirdParty/google/sheets';
import { shopifyOrder, wooCommerceOrder } from '../support/thirdParty/shops/orders';
import { openShopify } from '../support/thirdParty/shops/shopify';
import type { Registered } from '../support/thirdParty/shops/webhooks';
import { openWooCommerce } from '../support/thirdParty/shops/wooCommerce';

const owner = '+233201234567';
const monitoring = { name: 'x-monitoring', value: 'a secret of the monitoring' };
const optedOut = '+233990000009';

const wooCommerce = openWooCommerce();
const shopify = openShopify();

let stage: TemplateStage;
let google: Google;
let n8n: N8nApi;
let sandbox: SandboxView;
let page: Page;

/** Imports an example and makes the choices of its blue note. */
const set = async (name: (typeof templateNames)[number], choices?: Choices): Promise<Example> =>
	await stage.set(name, choices);

/** Does something, and returns the messages that it sent and the amount that left the wallet. */
const sentDuring = async (act: () => Promise<unknown>) => await stage.sentDuring(act);

/** Waits until a shop has webhooks for exactly these topics: n8n registers and removes them after it has responded. */
async function registered(shop: { webhooks: () => readonly Registered[] }, topics: readonly string[]): Promise<void> {
	await eventually(`webhooks for ${topics.join(', ') || 'nothing'}`, () => {
		const found = shop.webhooks().map(({ topic }) => topic);
		return found.sort().join() === topics.join() ? true : undefined;
	});
}

/** Presses a button on the page behind the link of a message. n8n accepts it as soon as the execution waits. */
async function press(message: SentMessage | undefined, answer: 'approve' | 'decline'): Promise<void> {
	const link = message?.message.split('\n').at(-1) ?? '';
	await eventually(`the page ${link} to accept`, async () => {
		const { status } = await fetch(link, { method: 'POST', body: new URLSearchParams({ answer }) });
		return status === 200 ? true : undefined;
	});
}

const costOf = (messages: readonly SentMessage[]) =>
	Number(messages.reduce((sum, { cost }) => sum + cost, 0).toFixed(4));

beforeAll(async () => {
	stage = await openTemplateStage(
		{ hosts: wooCommerce.hosts, credential: { wooCommerceApi: wooCommerce.credential } },
		{ hosts: shopify.hosts, credential: { shopifyAccessTokenApi: shopify.credential } },
		// The monitoring calls n8n.
		{ hosts: {}, credential: { httpHeaderAuth: monitoring } },
	);
	({ n8n, sandbox, google } = stage);
	page = await stage.openEditor();
});

afterAll(async () => {
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('each template', () => {
	test.each(templateNames)('shows %s without overlaps in the editor', async (name) => {
		const { id } = await set(name, { sheet: google.sheets.make('Customers', []) });
		const look = await pictureWorkflow(page, id, name);
		expect(look).toMatchObject({ overlapping: [], cutOff: [] });
		expect(look.stickyNotes).toBeGreaterThan(0);
	});
});

describe('google-sheets-sms', () => {
	const headings = ['name', 'phone', 'message', 'result', 'message_id', 'cost', 'details'];
	const trigger = 'When you click Execute';

	test('sends the message of each row once, and writes the result into the row', async () => {
		const sheet = google.sheets.make('Customers', [
			headings,
			['Ama', '024 410 0061', 'Hello Ama, your rice is here.'],
			// Google turns digits into a number, and so loses the zero.
			['Kofi', 244_100_062, 'Hello Kofi, your oil is here.'],
			['Esi', '024 410 0063', 'Hello Esi', 'accepted', 'msg_1', 0.05],
			['Yaw', '', 'Hello Yaw'],
			['Adwoa', '12345', 'Hello Adwoa'],
			['Kwesi', optedOut, 'Hello Kwesi'],
			['Ama', '024 410 0061', 'Hello Ama, your rice is here.'],
		]);
		const example = await set('google-sheets-sms', { sheet });
		const first = await sentDuring(async () => await example.run(trigger));
		expect(textsOf(first)).toEqual([
			['+233244100061', 'Hello Ama, your rice is here.'],
			['+233244100062', 'Hello Kofi, your oil is here.'],
		]);
		expect(first.paid).toBe(0.1);
		const idTo = (to: string) => first.messages.find((message) => message.to === to)?.message_id;
		expect(sheet.rows().map((row) => row.slice(3))).toEqual([
			['result', 'message_id', 'cost', 'details'],
			['accepted', idTo('+233244100061'), 0.05],
			['accepted', idTo('+233244100062'), 0.05],
			['accepted', 'msg_1', 0.05],
			['rejected', '', '', expect.stringMatching(/^To /)],
			['rejected', '', '', expect.stringMatching(/^To /)],
			['rejected', '', '', expect.stringMatching(/opted out/i)],
			['skipped', idTo('+233244100061'), '', 'already_sent'],
		]);

		sheet.type([['Abena', '024 410 0064', 'Hello Abena, your soap is here.']]);
		const second = await sentDuring(async () => await example.run(trigger));
		expect(textsOf(second)).toEqual([['+233244100064', 'Hello Abena, your soap is here.']]);
		expect(second.paid).toBe(0.05);
		const nothing = await sentDuring(async () => await example.run(trigger));
		expect(nothing).toEqual({ messages: [], paid: 0 });
	});

	test('sends the same words to a number once, in whichever spelling the sheet has it', async () => {
		const words = 'Hello Esi, your rice is here.';
		const sheet = google.sheets.make('Customers', [
			headings,
			['Esi', '024 410 0066', words],
			['Esi', '+233 24 410 0066', words],
			['Esi', 244_100_066, words],
		]);
		const example = await set('google-sheets-sms', { sheet });
		const { messages, paid } = await sentDuring(async () => await example.run(trigger));
		expect(textsOf({ messages })).toEqual([['+233244100066', words]]);
		expect(paid).toBe(0.05);
		const id = messages[0]?.message_id;
		expect(sheet.rows().map((row) => row.slice(3))).toEqual([
			['result', 'message_id', 'cost', 'details'],
			['accepted', id, 0.05],
			['skipped', id, '', 'already_sent'],
			['skipped', id, '', 'already_sent'],
		]);
	});

	test('sends nothing twice if Google rejects the result, and writes it at the next try or run', async () => {
		const row: Cell[] = ['Efua', '024 410 0065', 'Hello Efua, your salt is here.'];
		const sheet = google.sheets.make('Customers', [headings, row]);
		const example = await set('google-sheets-sms', { sheet });
		google.sheets.rejectWrites(1);
		const { messages, paid } = await sentDuring(async () => await example.run(trigger));
		expect(paid).toBe(0.05);
		const id = messages[0]?.message_id ?? '';
		expect(sheet.rows()[1]?.slice(3)).toEqual(['accepted', id, 0.05]);

		// As if Google had rejected all tries.
		sheet.type([headings, row], 'instead');
		expect(await sentDuring(async () => await example.run(trigger))).toEqual({ messages: [], paid: 0 });
		expect(sheet.rows()[1]?.slice(3)).toEqual(['skipped', id, '', 'already_sent']);
	});

	test.each([
		['an empty sheet', [headings], /^The sheet has no rows\..*Nothing was sent or charged\.$/],
		['a sheet without headings', [], /^The sheet has no rows\..*Nothing was sent or charged\.$/],
		[
			'a missing column',
			[
				['name', 'Phone', 'message', 'result', 'message_id', 'cost'],
				['Ama', '024 410 0061', 'Hello'],
			],
			/^The sheet lacks the column phone, details\. Its row 1 has: name, Phone, message, .*Nothing was sent or charged\.$/,
		],
	])('stops with an error that names the problem: %s', async (_, rows, error) => {
		const example = await set('google-sheets-sms', { sheet: google.sheets.make('Customers', rows) });
		const { messages, paid } = await sentDuring(async () => {
			const { data } = await example.run(trigger, 'error');
			expect(data.resultData.error?.message).toMatch(error);
		});
		expect({ messages, paid }).toEqual({ messages: [], paid: 0 });
	});
});

describe('google-calendar-appointment-reminders', () => {
	const customers = { ama: '+233244100071', kofi: '+233244100072' };
	const tomorrowAt = (time: string) => {
		const day = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
		return { dateTime: `${day}T${time}:00Z`, timeZone: 'Africa/Accra' };
	};
	test('reminds each customer once, shows the answer in the calendar, and says why an event got no reminder', async () => {
		const add = (summary: string, time: string, description?: string) =>
			google.calendar.add({
				summary,
				start: tomorrowAt(time),
				end: tomorrowAt(time.replace(':00', ':30')),
				...(description !== undefined && { description }),
			});
		const haircut = add('Haircut Ama', '09:00', 'Phone: <b>024 410 0071</b><br>Likes it short');
		const braids = add('Braids Kofi', '10:00', 'Call +233 24 410 0072');
		const lunch = add('Lunch', '12:00');
		const typo = add('Haircut Yaw', '14:00', 'Phone: 024 410 00711');
		const example = await set('google-calendar-appointment-reminders');
		await example.run('Make the table');
		await example.publish();

		// One execution makes the table, one reads the calendar, and one asks each of three customers.
		const ended = async (count: number) => await n8n.executionsWhen(example.id, count);
		const asked = await sentDuring(async () => {
			await example.run('Every morning at nine');
			for (const to of Object.values(customers)) {
				await eventually(`the reminder to ${to}`, async () =>
					(await sandbox.messages()).find((message) => message.to === to),
				);
			}
		});
		const [toAma, toKofi] = asked.messages.toSorted((one, other) => one.to.localeCompare(other.to));
		expect(asked.messages).toHaveLength(2);
		expect(toAma).toMatchObject({
			to: customers.ama,
			message: expect.stringMatching(/^Kofi Shop: your appointment is on \w+ \d+ \w+ at 9:00 AM\./) as string,
		});
		expect(toKofi).toMatchObject({
			to: customers.kofi,
			message: expect.stringMatching(/^Kofi Shop: your appointment is on \w+ \d+ \w+ at 10:00 AM\./) as string,
		});
		expect(asked.paid).toBe(costOf(asked.messages));

		const canceled = await sentDuring(async () => {
			await press(toAma, 'approve');
			await press(toKofi, 'decline');
			await ended(5);
		});
		expect(textsOf(canceled)).toEqual([
			[owner, expect.stringMatching(/^Canceled by the customer: Braids Kofi, .*10:00 AM\. Phone \+233 24 410 0072$/)],
		]);
		expect(canceled.paid).toBe(0.05);
		expect(google.calendar.events().map(({ summary, colorId }) => [summary, colorId])).toEqual([
			['Confirmed: Haircut Ama', '10'],
			['Canceled: Braids Kofi', '11'],
			['Lunch', undefined],
			['Haircut Yaw', undefined],
		]);
		const table = await openDataTable(n8n, 'Appointment reminders');
		const written = async () =>
			Object.fromEntries(
				(await table.rows()).map((row) => [String(row.event_id), [row.response, row.reason]] as const),
			);
		const expected = {
			[haircut.id]: ['confirmed', ''],
			[braids.id]: ['canceled', ''],
			[lunch.id]: ['not sent', 'The description of the event has no phone number'],
			[typo.id]: ['not sent', expect.stringMatching(/^To /) as string],
		};
		expect(await written()).toEqual(expected);

		const again = await sentDuring(async () => {
			await example.run('Every morning at nine');
			await ended(9);
		});
		expect(again).toEqual({ messages: [], paid: 0 });
		expect(await written()).toEqual(expected);
		await example.retire();
	});

	test('reminds of the new time if an appointment was moved, and no answer about the old time changes the calendar', async () => {
		const to = '+233244100073';
		const description = 'Booked 2026-11-20 10:15, order 300123456789, deposit 01-12-2026 5000<br>Tel 024 410 0073';
		const event = google.calendar.add({
			...{ summary: 'Nails Adwoa', description },
			...{ start: tomorrowAt('13:00'), end: tomorrowAt('13:30') },
		});
		const example = await set('google-calendar-appointment-reminders');
		await example.run('Make the table');
		await example.publish();
		const remind = async (time: string) => {
			const sent = await sentDuring(async () => {
				await example.run('Every morning at nine');
				const words = `at ${time}.`;
				await eventually(`the reminder for ${time}`, async () =>
					(await sandbox.messages()).find((message) => message.to === to && message.message.includes(words)),
				);
			});
			expect(sent.paid).toBe(costOf(sent.messages));
			// This copy of the workflow also reminds the customers of the other events.
			const [own, ...more] = sent.messages.filter((message) => message.to === to);
			expect(more).toEqual([]);
			return own;
		};
		const first = await remind('1:00 PM');
		google.calendar.change(event.id, { start: tomorrowAt('15:00'), end: tomorrowAt('15:30') });
		const second = await remind('3:00 PM');

		const table = await openDataTable(n8n, 'Appointment reminders');
		const responses = async () =>
			(await table.rows())
				.filter((row) => row.event_id === event.id)
				.map(({ starts_at, response }) => [String(starts_at).slice(11, 16), response]);
		const row = async (count: number) =>
			await eventually(`${count} rows`, async () => ((await responses()).length === count ? true : undefined));
		const shown = () => google.calendar.events().find(({ id }) => id === event.id)?.summary;
		const answers = await sentDuring(async () => {
			await press(first, 'decline');
			await row(1);
			expect(await responses()).toEqual([['13:00', 'moved']]);
			expect(shown()).toBe('Nails Adwoa');
			await press(second, 'approve');
			await row(2);
			await eventually('the calendar', () => (shown() === 'Confirmed: Nails Adwoa' ? true : undefined));
		});
		expect(answers).toEqual({ messages: [], paid: 0 });
		expect(await responses()).toEqual([
			['13:00', 'moved'],
			['15:00', 'confirmed'],
		]);
		await example.retire();
	});

	test('writes down that the wallet is empty, and ends in an error that names the appointment', async () => {
		const appointment = google.calendar.add({
			summary: 'Haircut Abena',
			start: tomorrowAt('15:00'),
			end: tomorrowAt('15:30'),
			description: 'Phone: 024 410 0079',
		});
		const example = await set('google-calendar-appointment-reminders');
		await example.run('Make the table');
		await example.publish();
		const table = await openDataTable(n8n, 'Appointment reminders');
		const reasonOf = async (id: string) =>
			(await table.rows()).find(({ event_id, response }) => event_id === id && response === 'not sent')?.reason;
		const sent = await stage.sentWithBalance(0, async () => {
			await example.run('Every morning at nine');
			await eventually('the reason in the table', async () => ((await reasonOf(appointment.id)) ? true : undefined));
			// The other appointments of tomorrow fail as well.
			const failed = await eventually('executions that end in an error', async () => {
				const all = await n8n.executions(example.id);
				return all.some(({ status }) => status === 'error')
					? all.filter(({ status }) => status === 'error')
					: undefined;
			});
			for (const { ranNodes } of failed) expect(ranNodes).toContain('Name the cause');
		});
		expect(sent).toEqual({ messages: [], paid: 0 });
		expect(await reasonOf(appointment.id)).toMatch(/balance/);
		await example.retire();
	});
});

describe('new-lead-sms', () => {
	const lead = '+233244100081';

	async function leave(example: Example, name: string, phone: string): Promise<Page> {
		const form = await (await stage.openCustomer()).context.newPage();
		await form.goto(example.urlOf('Leave your number'));
		await form.getByLabel('Name').fill(name);
		await form.getByLabel('Phone number').fill(phone);
		await form.getByLabel('What are you interested in?').fill('Braids');
		await form.getByRole('button', { name: 'Call me back' }).click();
		return form;
	}

	test('texts the lead and the owner at once, saves the lead, and texts no number of another country', async () => {
		const sheet = google.sheets.make('Leads', [['time', 'name', 'phone', 'interest', 'result', 'details']]);
		const example = await set('new-lead-sms', { sheet });
		await example.publish();
		const { messages, paid } = await sentDuring(async () => {
			await example.startedBy('Leave your number', async () => await leave(example, 'Ama', '024 410 0081'));
		});
		expect(textsOf({ messages })).toEqual([
			[owner, `New lead: Ama, ${lead}. Braids`],
			[lead, 'Hello Ama, thank you for asking Kofi Shop. We will call you today from +233201234567.'],
		]);
		expect(paid).toBe(0.1);
		expect(sheet.rows()[1]?.slice(1)).toEqual(['Ama', lead, 'Braids', 'accepted']);

		const rejected = await sentDuring(async () => {
			for (const number of ['+44 7911 123456', '12']) {
				await (await leave(example, 'Eve', number)).getByText('Please check the number').waitFor();
			}
		});
		expect(rejected).toEqual({ messages: [], paid: 0 });
		expect(
			sheet
				.rows()
				.slice(2)
				.map((row) => row.slice(1)),
		).toEqual([
			['Eve', '+447911123456', 'Braids', 'not sent', 'No mobile number of Ghana'],
			['Eve', '12', 'Braids', 'not sent', expect.stringMatching(/too short/)],
		]);

		const again = await sentDuring(async () => {
			await leave(example, 'Ama', '024 410 0081');
			await eventually('the fourth row', () => sheet.rows()[4]);
		});
		expect(again).toEqual({ messages: [], paid: 0 });
		expect(sheet.rows()[4]?.slice(1)).toEqual(['Ama', lead, 'Braids', 'skipped', 'already_sent']);
		await example.retire();
	});

	/** Runs the workflow with leads as n8n's Facebook Lead Ads Trigger gives them. */
	async function fromFacebook(example: Example, ...leads: object[]): Promise<void> {
		const items = leads.map((data) => ({ json: { id: '1', data, form: { id: '2', name: 'Braids in November' } } }));
		await example.run('Leave your number', 'success', {
			...{ startTime: Date.now(), executionTime: 0, executionIndex: 0, executionStatus: 'success', source: [] },
			data: { main: [items] },
		});
	}

	test('reads the leads of Facebook, several at once', async () => {
		const sheet = google.sheets.make('Leads', [['time', 'name', 'phone', 'interest', 'result', 'details']]);
		const example = await set('new-lead-sms', { sheet });
		const { messages, paid } = await sentDuring(
			async () =>
				await fromFacebook(
					example,
					{ full_name: 'Kofi Mensah', phone_number: '+233244100082' },
					{ first_name: 'Esi', phone_number: '0244100083' },
				),
		);
		expect(textsOf({ messages }).toSorted()).toEqual([
			[owner, 'New lead: Esi, +233244100083. Braids in November'],
			[owner, 'New lead: Kofi Mensah, +233244100082. Braids in November'],
			['+233244100082', expect.stringMatching(/^Hello Kofi Mensah,/)],
			['+233244100083', expect.stringMatching(/^Hello Esi,/)],
		]);
		expect(paid).toBe(0.2);
		expect(
			sheet
				.rows()
				.slice(1)
				.map((row) => row.slice(1)),
		).toEqual([
			['Kofi Mensah', '+233244100082', 'Braids in November', 'accepted'],
			['Esi', '+233244100083', 'Braids in November', 'accepted'],
		]);
	});

	test('texts the lead and the owner if a column is missing, and then stops with an error that has the lead', async () => {
		const number = '+233244100084';
		const example = await set('new-lead-sms', {
			sheet: google.sheets.make('Leads', [['time', 'name', 'phone', 'interest', 'result']]),
		});
		await example.publish();
		const { messages, paid } = await sentDuring(async () => {
			const start = async () => await leave(example, 'Abena', number);
			const { data } = await example.startedBy('Leave your number', start, 'error');
			expect(data.resultData.error?.message).toMatch(
				/^A lead is not in the sheet: Abena, \+233244100084 \(accepted\)\. Row 1 of the sheet lacks a column\. .*: time, name, phone, interest, result, details\.$/,
			);
		});
		expect(messages.map(({ to }) => to)).toEqual([number, owner]);
		expect(paid).toBe(0.1);
		await example.retire();
	});

	test('writes the words of row 1 into an empty sheet', async () => {
		const sheet = google.sheets.make('Leads', []);
		const example = await set('new-lead-sms', { sheet });
		const sent = await sentDuring(
			async () => await fromFacebook(example, { full_name: 'Yaw', phone_number: '+233244100086' }),
		);
		expect(sent.paid).toBe(0.1);
		expect(sheet.rows().map((row) => row.slice(1))).toEqual([
			['name', 'phone', 'interest', 'result', 'details'],
			['Yaw', '+233244100086', 'Braids in November', 'accepted'],
		]);
	});
});

describe('woocommerce-order-sms', () => {
	const to = '+233244100091';

	test('sends one message for each status of an order, even if the shop repeats the webhook', async () => {
		const example = await set('woocommerce-order-sms');
		await example.publish();
		await registered(wooCommerce, ['order.updated']);
		const order = { id: 1042, phone: '024 410 0091', name: 'Ama' };
		const { messages, paid } = await sentDuring(async () => {
			for (const status of ['pending', 'processing', 'processing', 'completed', 'cancelled']) {
				await example.startedBy('When an order changes', async () => {
					await wooCommerce.send('order.updated', wooCommerceOrder(order, status));
				});
			}
		});
		expect(textsOf({ messages })).toEqual([
			[to, 'Thank you, Ama. We received your payment of GHS 320.00 for order 1042. Kofi Shop'],
			[to, 'Hello Ama, your order 1042 is on its way. Kofi Shop'],
			[to, 'Hello Ama, your order 1042 was canceled. Questions? Call 020 123 4567. Kofi Shop'],
		]);
		expect(paid).toBe(0.15);
		await example.retire();
		await registered(wooCommerce, []);
	});

	describe('with one order', () => {
		let example: Example;
		const changed = async (order: object, status?: string) =>
			await example.startedBy(
				'When an order changes',
				async () => await wooCommerce.send('order.updated', order),
				status,
			);
		const facts = (id: number, phone = '024 410 0093') => ({ id, phone, name: 'Ama' });
		const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

		beforeAll(async () => {
			example = await set('woocommerce-order-sms');
			await example.publish();
			await registered(wooCommerce, ['order.updated']);
		});
		afterAll(async () => {
			await example.retire();
			await registered(wooCommerce, []);
		});

		test('thanks for the order, and not for a payment, if the customer pays on delivery', async () => {
			const { messages } = await sentDuring(async () => {
				await changed(wooCommerceOrder(facts(1043), 'processing', { method: 'cod', paid: null }));
			});
			expect(textsOf({ messages })).toEqual([
				[
					'+233244100093',
					'Thank you, Ama. We received your order 1043. Please have GHS 320.00 ready for the delivery. Kofi Shop',
				],
			]);
		});

		test('sends nothing about an order that was paid, completed or placed long ago, if the shop edits it', async () => {
			const { messages, paid } = await sentDuring(async () => {
				await changed(wooCommerceOrder(facts(1044), 'processing', { created: ago(50) }));
				await changed(wooCommerceOrder(facts(1045), 'processing', { created: ago(50), method: 'cod', paid: null }));
				await changed(wooCommerceOrder(facts(1046), 'completed', { created: ago(50) }));
				await changed(wooCommerceOrder(facts(1047), 'cancelled', { created: ago(24 * 31) }));
			});
			expect([messages, paid]).toEqual([[], 0]);
		});

		test('sends an update of an order that was placed long ago and is paid, completed or canceled now', async () => {
			const created = ago(72);
			const { messages } = await sentDuring(async () => {
				await changed(wooCommerceOrder(facts(1048), 'processing', { created, paid: ago(40) }));
				await changed(wooCommerceOrder(facts(1049), 'completed', { created, completed: ago(40) }));
				await changed(wooCommerceOrder(facts(1050), 'cancelled', { created }));
			});
			expect(messages.map(({ message }) => /order (\d+)/.exec(message)?.[1])).toEqual(['1048', '1049', '1050']);
		});

		test('fails and says why if the order has no phone number, and nothing is charged', async () => {
			const none = await sentDuring(async () => {
				const { data } = await changed(wooCommerceOrder(facts(1051, ''), 'processing'), 'error');
				expect(data.resultData.error?.message).toMatch(/^To /);
			});
			expect(none).toEqual({ messages: [], paid: 0 });
		});
	});
});

describe('shopify-order-sms', () => {
	const to = '+233244100092';

	test('sends one message for each event of an order, even if the shop repeats the webhook', async () => {
		const example = await set('shopify-order-sms');
		await example.publish();
		await registered(shopify, ['orders/cancelled', 'orders/fulfilled', 'orders/paid']);
		const order = { id: 1042, phone: '024 410 0092', name: 'Ama' };
		const shipped = {
			fulfillment_status: 'fulfilled',
			fulfillments: [{ id: 1, status: 'success', tracking_url: 'https://courier.example/42' }],
		};
		const { messages, paid } = await sentDuring(async () => {
			for (const [topic, trigger, change] of [
				['orders/paid', 'When an order is paid', {}],
				['orders/paid', 'When an order is paid', {}],
				['orders/fulfilled', 'When an order is shipped', shipped],
				['orders/cancelled', 'When an order is canceled', { cancelled_at: new Date().toISOString() }],
			] as const) {
				await example.startedBy(trigger, async () => await shopify.send(topic, shopifyOrder(order, change)));
			}
		});
		expect(textsOf({ messages })).toEqual([
			[to, 'Thank you, Ama. We received your payment of GHS 320.00 for order #1042. Kofi Shop'],
			[to, 'Hello Ama, your order #1042 is on its way. Follow it: https://courier.example/42 Kofi Shop'],
			[to, 'Hello Ama, your order #1042 was canceled. Questions? Call 020 123 4567. Kofi Shop'],
		]);
		expect(paid).toBe(0.15);
		await example.retire();
		await registered(shopify, []);
	});

	test('fails and says why if the order has no phone number, and nothing is charged', async () => {
		const example = await set('shopify-order-sms');
		await example.publish();
		await registered(shopify, ['orders/cancelled', 'orders/fulfilled', 'orders/paid']);
		const order = shopifyOrder({ id: 1043, phone: '', name: 'Ama' });
		const none = await sentDuring(async () => {
			const paid = async () => await shopify.send('orders/paid', order);
			const { data } = await example.startedBy('When an order is paid', paid, 'error');
			expect(data.resultData.error?.message).toMatch(/^To /);
		});
		expect(none).toEqual({ messages: [], paid: 0 });
		await example.retire();
		await registered(shopify, []);
	});
});

describe('school-fees-reminder', () => {
	const headings = ['student', 'guardian_phones', 'amount_due', 'due_date', 'reference', 'last_reminder', 'result'];
	const today = new Date().toISOString().slice(0, 10);
	const monday = 'Every Monday at ten';
	const account = { momo_number: '020 123 4567' };
	const fees = async (sheet: Sheet, chosen = settings(account)) => await set('school-fees-reminder', { sheet, chosen });

	test('reminds each guardian of a student who owes fees once a day, and writes the result for each number', async () => {
		const [ama, kofi] = ['+233244100101', '+233244100102'];
		const sheet = google.sheets.make('Fees', [
			headings,
			['Ama Mensah', '024 410 0101, 024 410 0102', 450, '30 November', 'AM-1042'],
			['Kofi Addo', '024 410 0103', 0, '30 November', 'KA-1043'],
			['Esi Owusu', '024 410 01', 'GHS 1,200.50', '30 November', 'EO-1044'],
		]);
		const example = await fees(sheet);
		const text =
			'Kofi School: GHS 450.00 for Ama Mensah is due on 30 November. Pay by MoMo to 020 123 4567 (Kofi School), reference AM-1042. Paid already? Thank you.';
		const { messages, paid } = await sentDuring(async () => await example.run(monday));
		expect(textsOf({ messages })).toEqual([
			[ama, text],
			[kofi, text],
		]);
		expect(paid).toBe(0.1);
		expect(sheet.rows().map((row) => row.slice(5))).toEqual([
			['last_reminder', 'result'],
			[today, `${ama} accepted, ${kofi} accepted`],
			[],
			['', expect.stringMatching(/^024 410 01 skipped \(This is not a valid number/)],
		]);
		expect(await sentDuring(async () => await example.run(monday))).toEqual({ messages: [], paid: 0 });
	});

	test('sends nothing about an amount that is not clear, and says why in the row', async () => {
		const student = (name: string, amount: Cell, last = '') => [
			...[name, '024 410 0104', amount, '30 November', `${name}-1`, last],
		];
		const sheet = google.sheets.make('Fees', [
			headings,
			student('Ama', '1,200.50'),
			student('Kofi', 'GHS 1200'),
			student('Esi', '1.200'),
			student('Yaw', '', '2026-11-02'),
			student('Abena', '1.200,50'),
			student('Kojo', '450 (half paid)'),
			student('Efua', '12,00'),
			student('Adwoa', -20),
			student('Afia', 33.333),
		]);
		const example = await fees(sheet);
		const { messages, paid } = await sentDuring(async () => await example.run(monday));
		expect(messages.map(({ message }) => /GHS .* for \w+/.exec(message)?.[0]).toSorted()).toEqual([
			'GHS 1200.00 for Kofi',
			'GHS 1200.50 for Ama',
			'GHS 33.33 for Afia',
		]);
		expect(paid).toBe(0.15);
		const unclear = (typed: string) => `not sent (amount_due is not clear: ${typed}. Write it such as 1200.50.)`;
		const sent = [today, '+233244100104 accepted'];
		expect(sheet.rows().map((row) => row.slice(5))).toEqual([
			['last_reminder', 'result'],
			sent,
			sent,
			['', unclear('1.200')],
			['2026-11-02', 'not sent (amount_due is empty. Write 0 if nothing is due.)'],
			['', unclear('1.200,50')],
			['', unclear('450 (half paid)')],
			['', unclear('12,00')],
			[],
			sent,
		]);
	});

	test('shows in the sheet what a dry run would send, and keeps the day of the last reminder', async () => {
		const row = ['Ama', '024 410 0109, 12', 450, '30 November', 'AM-2', '2026-11-02'];
		const sheet = google.sheets.make('Fees', [headings, row]);
		const dryRun = ({ name, parameters: { options } }: ExampleNode) =>
			name === 'Remind the guardians' ? { options: { ...Object(options), dryRun: true } as object } : {};
		const example = await fees(sheet, settings(account, dryRun));
		const tried = await sentDuring(async () => await example.run(monday));
		expect(tried).toEqual({ messages: [], paid: 0 });
		expect(sheet.rows()[1]?.slice(5)).toEqual([
			'2026-11-02',
			expect.stringMatching(/^\+233244100109 would_send, 12 would_skip \(/),
		]);
	});

	test('sends a parent one message for each child, also if both have the same reference', async () => {
		const child = (name: string) => [name, '024 410 0105', 450, '30 November', 'MENSAH'];
		const sheet = google.sheets.make('Fees', [headings, child('Ama'), child('Kojo')]);
		const example = await fees(sheet);
		const { messages, paid } = await sentDuring(async () => await example.run(monday));
		expect(messages.map(({ to, message }) => [to, / for (\w+) /.exec(message)?.[1]]).toSorted()).toEqual([
			['+233244100105', 'Ama'],
			['+233244100105', 'Kojo'],
		]);
		expect(paid).toBe(0.1);
	});

	test('ends in an error after it wrote the rows if the balance is too low, and sends in the next run', async () => {
		const sheet = google.sheets.make('Fees', [
			headings,
			['Ama', '024 410 0106', 450, '30 November', 'AM-1'],
			['Kofi', '024 410 0107', 'soon', '30 November', 'KA-1'],
			['Esi', '024 410 0108', 450, '30 November', 'EO-1'],
		]);
		const example = await fees(sheet);
		const stopped = await stage.sentWithBalance(0.05, async () => {
			const { data } = await example.run(monday, 'error');
			expect(data.resultData.error?.message).toMatch(/^The send was stopped: .*0\.05 GHS.*0\.1 GHS/);
		});
		expect(stopped).toEqual({ messages: [], paid: 0 });
		const results = () => sheet.rows().map((row) => row.slice(5));
		expect(results()).toEqual([
			['last_reminder', 'result'],
			['', expect.stringMatching(/^\+233244100106 not_attempted \(.*0\.05 GHS/)],
			['', expect.stringMatching(/^not sent \(amount_due is not clear: soon/)],
			['', expect.stringMatching(/^\+233244100108 not_attempted \(.*0\.05 GHS/)],
		]);
		const sent = await sentDuring(async () => await example.run(monday));
		expect(sent.messages.map(({ to }) => to).toSorted()).toEqual(['+233244100106', '+233244100108']);
		expect(sent.paid).toBe(0.1);
	});

	test('ends in an error after it wrote the rows if the service does not know the sender ID', async () => {
		const sheet = google.sheets.make('Fees', [headings, ['Ama', '024 410 0106', 450, '30 November', 'AM-2']]);
		const otherSender = ({ name }: ExampleNode) =>
			name === 'Remind the guardians' ? { senderId: { __rl: true, mode: 'name', value: 'NOTOURS' } } : {};
		const example = await fees(sheet, settings(account, otherSender));
		const stopped = await sentDuring(async () => {
			const { data } = await example.run(monday, 'error');
			expect(data.resultData.error?.message).toMatch(/^The send was stopped: NOTOURS is not a sender ID/);
		});
		expect(stopped).toEqual({ messages: [], paid: 0 });
		expect(sheet.rows()[1]?.slice(5)).toEqual(['', expect.stringMatching(/^\+233244100106 rejected \(NOTOURS/)]);
	});

	test('sends no reminder before the owner has entered the account for the payments', async () => {
		const row = ['Ama', '024 410 0106', 450, '30 November', 'AM-3'];
		const example = await set('school-fees-reminder', { sheet: google.sheets.make('Fees', [headings, row]) });
		const stopped = await sentDuring(async () => {
			const { data } = await example.run(monday, 'error');
			expect(data.resultData.error?.message).toMatch(/^Settings has no momo_number\..*Nothing was sent or charged\.$/);
		});
		expect(stopped).toEqual({ messages: [], paid: 0 });
	});

	test('stops with an error if the sheet has no rows', async () => {
		const example = await fees(google.sheets.make('Fees', [headings]));
		const { data } = await example.run(monday, 'error');
		expect(data.resultData.error?.message).toMatch(/^The sheet has no rows\..*Nothing was sent or charged\.$/);
	});

	test('stops with an error that names a missing column', async () => {
		const sheet = google.sheets.make('Fees', [
			headings.slice(0, 6),
			['Ama', '024 410 0101', 450, '30 November', 'AM-1042'],
		]);
		const example = await fees(sheet);
		const { data } = await example.run(monday, 'error');
		expect(data.resultData.error?.message).toMatch(/^The sheet lacks the column result\./);
	});
});

describe('on-call-alert', () => {
	const [first, second] = ['+233201234567', '+233201234568'] as const;
	/** Each person has few seconds, in place of five minutes. The owner listed the first person twice. */
	const impatient = ({ name, parameters }: ExampleNode): object => {
		if (name === 'People on call') {
			const assignments = JSON.stringify(parameters.assignments);
			return { assignments: JSON.parse(assignments.replace(second, first).replace('+233201234569', second)) as object };
		}
		if (name !== 'Ask the person') return {};
		const limitWaitTime = { values: { limitType: 'afterTimeInterval', resumeAmount: 0.06, resumeUnit: 'minutes' } };
		return { options: { ...Object(parameters.options), limitWaitTime } as object };
	};

	/** Posts an alert as a monitoring does, and waits until the workflow has this status. */
	const alert = async (example: Example, body: object, status: string) =>
		await example.startedBy(
			'When an alert arrives',
			async () => {
				const response = await fetch(example.urlOf('When an alert arrives'), {
					method: 'POST',
					headers: { 'content-type': 'application/json', [monitoring.name]: monitoring.value },
					body: JSON.stringify(body),
				});
				expect(response.status).toBe(200);
			},
			status,
		);
	const full = (disk: string) => ({ id: disk, text: `${disk} is full` });

	/** Waits until a person is asked about an alert, and acknowledges it. */
	async function acknowledge(person: string, words: string): Promise<void> {
		const question = await eventually(`the question to ${person}`, async () =>
			(await sandbox.messages()).find(({ to, message }) => to === person && message.includes(words)),
		);
		await press(question, 'approve');
	}

	/** The same alert asks again in the next hour. So this repeats, with another ID, a try that the hour interrupted. */
	async function withinAnHour(act: (id: string) => Promise<void>): Promise<void> {
		const hour = () => new Date().getUTCHours();
		const began = hour();
		try {
			await act('first');
		} catch (error) {
			if (hour() === began) throw error;
			await act('second');
		}
	}

	test('asks the next person until one acknowledges, no one twice, and informs the others', async () => {
		const example = await set('on-call-alert', { chosen: impatient });
		await example.publish();
		const taken = await sentDuring(async () => {
			const { id } = await alert(example, full('disk-1'), 'waiting');
			await acknowledge(second, 'disk-1');
			await example.execution(id);
		});
		expect(textsOf(taken)).toEqual([
			[first, expect.stringMatching(/^ALERT: disk-1 is full\nhttp/)],
			[first, `${second} is on it: disk-1 is full`],
			[second, expect.stringMatching(/^ALERT: disk-1 is full\nhttp/)],
		]);
		expect(taken.paid).toBe(costOf(taken.messages));
		await example.retire();
	});

	test('calls the first person if no one can be asked', async () => {
		const example = await set('on-call-alert');
		await example.publish();
		const rejection = { endpoint: 'sms.send', kind: 'answer', status: 422, body: { error: 'No route' }, times: 3 };
		await sandbox.control('POST', '/faults', rejection);
		const { messages, paid } = await sentDuring(async () => await alert(example, full('disk-2'), 'success'));
		expect(messages.map(({ to, channel, message }) => [to, channel, message])).toEqual([
			[first, 'voice', 'Alert. disk-2 is full. No one has acknowledged it.'],
		]);
		expect(paid).toBe(0.2);
		await example.retire();
	});

	test('asks no one about an alert that repeats within the hour', async () => {
		const example = await set('on-call-alert');
		await example.publish();
		await withinAnHour(async (id) => {
			const { id: execution } = await alert(example, full(id), 'waiting');
			const repeated = await sentDuring(async () => await alert(example, full(id), 'success'));
			expect(repeated).toEqual({ messages: [], paid: 0 });
			await acknowledge(first, id);
			await example.execution(execution);
		});
		await example.retire();
	});

	test('asks about each alert without an ID, in the words that arrived', async () => {
		const example = await set('on-call-alert');
		await example.publish();
		const asked = await sentDuring(async () => {
			for (const body of [{ text: 'No backup' }, { text: 'No mail' }, { status: 'firing' }]) {
				const { id } = await alert(example, body, 'waiting');
				await acknowledge(first, Object.values(body).join());
				await example.execution(id);
			}
		});
		expect(textsOf(asked)).toEqual([
			[first, expect.stringMatching(/^ALERT: No backup\nhttp/)],
			[first, expect.stringMatching(/^ALERT: No mail\nhttp/)],
			[first, expect.stringMatching(/^ALERT: \{"status":"firing"\}\nhttp/)],
		]);
		expect(asked.paid).toBe(costOf(asked.messages));
		await example.retire();
	});

	test.each(['', ' , '])('stops with an error if the list of people is "%s"', async (people) => {
		const emptied = ({ name, parameters }: ExampleNode): object => {
			if (name !== 'People on call') return {};
			const assignments = JSON.stringify(parameters.assignments).replace(/[+]233[+\d, ]+/, people);
			return { assignments: JSON.parse(assignments) as object };
		};
		const example = await set('on-call-alert', { chosen: emptied });
		const asked = await sentDuring(async () => {
			const { data } = await example.run('Try it', 'error');
			expect(data.resultData.error?.message).toMatch(/^To is empty/);
		});
		expect(asked).toEqual({ messages: [], paid: 0 });
	});

	test('asks with a test message when the owner tries it', async () => {
		const example = await set('on-call-alert');
		const asked = await sentDuring(async () => {
			const { id } = await example.run('Try it', 'waiting');
			await acknowledge(first, 'This is a test');
			await example.execution(id);
		});
		expect(textsOf(asked)).toEqual([[first, expect.stringMatching(/^ALERT: This is a test\nhttp/)]]);
		expect(asked.paid).toBe(costOf(asked.messages));
	});

	test('asks once an hour about a workflow that fails', async () => {
		const example = await set('on-call-alert');
		await example.publish();
		const failing = await createWebhookWorkflow(
			n8n,
			stage.server.url,
			[{ name: 'Fail', type: 'n8n-nodes-base.stopAndError', parameters: { errorMessage: 'No stock list' } }],
			{ settings: { errorWorkflow: example.id } },
		);
		await withinAnHour(async () => {
			const { id } = await example.startedBy('When a workflow fails', failing.start, 'waiting');
			const repeated = await sentDuring(
				async () => await example.startedBy('When a workflow fails', failing.start, 'success'),
			);
			expect(repeated).toEqual({ messages: [], paid: 0 });
			await acknowledge(first, 'failed: No stock list');
			await example.execution(id);
		});
		await example.retire();
	});
});
