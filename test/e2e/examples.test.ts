import type { Page } from 'playwright-core';
import { openDataTable, type Row } from '../support/e2e/dataTable';
import { eventually } from '../support/eventually';
import { pictureWorkflow } from '../support/e2e/examplePicture';
import { alwaysOpen } from '../support/e2e/exampleHours';
import { exampleNames, type Example } from '../support/e2e/exampleWorkflow';
import type { N8nApi } from '../support/e2e/n8nApi';
import type { SandboxView, SentMessage } from '../support/e2e/sandboxView';
import { startScriptedModel, type ScriptedModel } from '../support/e2e/scriptedModel';
import { openTemplateStage, type TemplateStage } from '../support/e2e/templateStage';
import { createWebhookWorkflow, rowsOf, type WebhookExecution } from '../support/e2e/webhookWorkflow';
import { shopifyOrder, wooCommerceOrder } from '../support/thirdParty/shops/orders';

const owner = '+233201234567';
const undeliverable = '+233990000002';
const optedOut = '+233990000009';
const shopHeader = { name: 'x-shop', value: 'a secret of the shop' };

let stage: TemplateStage;
let page: Page;
let n8n: N8nApi;
let sandbox: SandboxView;
let model: ScriptedModel;
let examples: Record<string, Example>;

/** The messages to a recipient, oldest first. */
async function sentTo(to: string): Promise<SentMessage[]> {
	return (await sandbox.messages()).filter((message) => message.to === to).reverse();
}

const textsOf = async (to: string) => (await sentTo(to)).map(({ message }) => message);

/** Waits for the first message to a recipient on a channel. */
async function firstTo(to: string, channel: string): Promise<SentMessage> {
	const path = `/messages?to=${encodeURIComponent(to)}&channel=${channel}&wait=30000`;
	const [message] = await sandbox.control<SentMessage[]>('GET', path);
	if (!message) throw new Error(`Nothing was sent to ${to} by ${channel}`);
	return message;
}

function example(name: string): Example {
	const found = examples[name];
	if (!found) throw new Error(`There is no example ${name}`);
	return found;
}

const rows = async (table: string): Promise<Row[]> => await (await openDataTable(n8n, table)).rows();
const insert = async (table: string, added: readonly Row[]) => await (await openDataTable(n8n, table)).insert(added);
const ran = ({ data }: WebhookExecution) => Object.keys(data.resultData.runData);
const linkIn = (text = '') => text.split('\n').at(-1) ?? '';
const answer = async (link: string, given: string) =>
	await fetch(link, { method: 'POST', body: new URLSearchParams({ answer: given }) });

/** Sends a message to the shop from a phone, and waits until the example that handles it is done. */
async function sendInbound(
	receiver: Example,
	from: string,
	message: string,
	to = 'KOFISHOP',
): Promise<WebhookExecution> {
	await sandbox.control('PUT', '/settings', { inbound_url: receiver.urlOf('When a message arrives') });
	return await receiver.startedBy('When a message arrives', async () => await sandbox.text(from, to, message));
}

/** The amount that left the wallet since it had a balance. */
const paidSince = async (balance: number) => Number((balance - (await sandbox.balance())).toFixed(4));
const costOf = (messages: readonly SentMessage[]) =>
	Number(messages.reduce((sum, { cost }) => sum + cost, 0).toFixed(4));

/** Does something, and returns the messages that it sent, oldest first, and the amount that left the wallet. */
async function sentDuring(act: () => Promise<unknown>): Promise<{ texts: Array<[string, string]>; paid: number }> {
	const before = new Set((await sandbox.messages()).map((message) => message.message_id));
	const balance = await sandbox.balance();
	await act();
	const sent = (await sandbox.messages()).filter((message) => !before.has(message.message_id)).reverse();
	return {
		texts: sent.map(({ to, message }) => [to, message]),
		paid: await paidSince(balance),
	};
}

beforeAll(async () => {
	model = await startScriptedModel('Your bag of rice is ready.');
	// The shop calls n8n, and n8n reaches the model on this machine without the proxy.
	const openAiApi = { apiKey: 'none', url: model.url, header: false };
	stage = await openTemplateStage({ hosts: {}, credential: { httpHeaderAuth: shopHeader, openAiApi } });
	({ n8n, sandbox } = stage);
	examples = {};
	for (const name of exampleNames) examples[name] = await stage.set(name, { chosen: alwaysOpen });
	page = await stage.openEditor();
});

afterAll(async () => {
	await model.stop();
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('each example', () => {
	test.each(exampleNames)('shows %s without overlaps in the editor', async (name) => {
		const look = await pictureWorkflow(page, example(name).id, name);
		expect(look).toMatchObject({ overlapping: [], cutOff: [] });
		expect(look.stickyNotes).toBeGreaterThan(0);
		expect(look.nodes).toBeGreaterThan(2);
	});
});

describe('support-desk', () => {
	const customer = '+233244100001';
	const thanks = expect.stringContaining('Thank you for your message') as string;

	/** Answers a ticket as the employee on duty does. */
	async function answerTicket(ticket: number, text: string): Promise<WebhookExecution> {
		const desk = example('support-desk');
		return await desk.startedBy('Answer a ticket', async () => {
			await page.goto(desk.urlOf('Answer a ticket'));
			await page.getByLabel('Ticket').fill(String(ticket));
			await page.getByLabel('Answer').fill(text);
			await page.getByRole('button', { name: 'Send' }).click();
			await page.getByText('goes out now').waitFor();
		});
	}

	test('stores messages as tickets, thanks once a day, sends each answer once, and none to customers who opted out', async () => {
		const desk = example('support-desk');
		await desk.run('Make the tables');
		await desk.publish();
		const balance = await sandbox.balance();
		await sendInbound(desk, customer, 'Is my rice there?');
		await sendInbound(desk, customer, 'Hello?');
		expect(await textsOf(customer)).toEqual([thanks]);
		expect(await rows('Support tickets')).toEqual([
			expect.objectContaining({ phone: customer, message: 'Is my rice there?', status: 'open' }),
			expect.objectContaining({ phone: customer, message: 'Hello?', status: 'open' }),
		]);

		// The first time, n8n asks whether the form may identify the user.
		await page.goto(desk.urlOf('Answer a ticket'));
		await page.getByRole('button', { name: 'Allow access' }).click();
		await page.getByLabel('Ticket').waitFor();

		const [first, second] = (await rows('Support tickets')).map(({ id }) => Number(id));
		await answerTicket(first ?? 0, 'It is there, come any time.');
		await answerTicket(first ?? 0, 'It is there, come any time.');
		expect(await textsOf(customer)).toEqual([thanks, 'It is there, come any time.']);
		expect((await rows('Support tickets'))[0]).toMatchObject({
			status: 'answered',
			answer: 'It is there, come any time.',
		});

		await sendInbound(desk, customer, 'Stop.');
		const rejected = await answerTicket(second ?? 0, 'Hello!');
		expect(ran(rejected)).not.toContain('Send the answer');
		expect(await textsOf(customer)).toHaveLength(2);
		expect((await rows('Support tickets'))[1]).toMatchObject({ status: 'open' });
		// The service knows the opt-out, too.
		expect(JSON.stringify(await sandbox.control('GET', '/opt-outs'))).toContain(customer);

		await sendInbound(desk, customer, 'START');
		expect(await rows('Opt-outs')).toEqual([]);
		await answerTicket(second ?? 0, 'Hello!');
		expect(await textsOf(customer)).toEqual([thanks, 'It is there, come any time.', 'Hello!']);
		expect(await paidSince(balance)).toBe(0.15);
		await desk.retire();
	});

	test('saves a STOP with the sender ID to a shared short code, and opens no ticket', async () => {
		const [desk, from] = [example('support-desk'), '+233244100003'];
		await desk.run('Make the tables');
		await desk.publish();
		const sent = await sentDuring(async () => await sendInbound(desk, from, 'STOP KOFISHOP', '1234'));
		expect(sent).toEqual({ texts: [], paid: 0 });
		expect(await rows('Opt-outs')).toContainEqual(expect.objectContaining({ phone: from }));
		expect((await rows('Support tickets')).filter(({ phone }) => phone === from)).toEqual([]);
		await desk.retire();
	});

	test('thanks no customer who opted out by a link, and keeps the ticket', async () => {
		const [desk, phone] = [example('support-desk'), '+233244100005'];
		await desk.run('Make the tables');
		await insert('Opt-outs', [{ phone }]);
		await desk.publish();
		const sent = await sentDuring(async () => await sendInbound(desk, phone, 'Where is my rice?'));
		expect(sent).toEqual({ texts: [], paid: 0 });
		const ticket = { phone, message: 'Where is my rice?', status: 'open' };
		expect(await rows('Support tickets')).toContainEqual(expect.objectContaining(ticket));
		await desk.retire();
	});

	test('saves a STOP of a short code, and none of a sender with a name', async () => {
		const [desk, trigger] = [example('support-desk'), 'When a message arrives'];
		await desk.run('Make the tables');
		await desk.publish();
		// The simulated phones have whole numbers, so these requests come from the gateway itself.
		for (const From of ['MTN', '4321']) {
			const body = new URLSearchParams({ From, To: 'KOFISHOP', Message: 'STOP' });
			await desk.startedBy(trigger, async () => await fetch(desk.urlOf(trigger), { method: 'POST', body }));
		}
		const optedOutNumbers = (await rows('Opt-outs')).map(({ phone }) => phone);
		expect(optedOutNumbers).toContain('4321');
		expect(optedOutNumbers).not.toContain('MTN');
		await desk.retire();
	});

	test('rejects an answer from a user who is not logged in to n8n', async () => {
		const desk = example('support-desk');
		await desk.publish();
		const response = await fetch(desk.urlOf('Answer a ticket'), { method: 'POST', body: new FormData() });
		expect([401, 403]).toContain(response.status);
		await desk.retire();
	});
});

describe('reply-to-inbound-sms', () => {
	test('does not reply to a STOP with the sender ID to a shared short code', async () => {
		const reply = example('reply-to-inbound-sms');
		await reply.publish();
		const stop = async () => await sendInbound(reply, '+233244100004', 'STOP KOFISHOP', '1234');
		expect(await sentDuring(stop)).toEqual({ texts: [], paid: 0 });
		await reply.retire();
	});
});

describe('one-time-code-login', () => {
	const customer = '+233244100002';

	/** Opens the form as a customer without a login to n8n, and requests a code. */
	async function ask(typed: string): Promise<Page> {
		const { context: customerProfile } = await stage.openCustomer();
		const form = await customerProfile.newPage();
		await form.goto(example('one-time-code-login').urlOf('Log in'));
		await form.getByLabel('Phone number').fill(typed);
		await form.getByRole('button', { name: 'Text me a code' }).click();
		return form;
	}

	test('logs in a customer with the right code, and sends codes only to customers, once a minute', async () => {
		const login = example('one-time-code-login');
		await login.run('Make the tables');
		await insert('Customers', [{ phone: customer, name: 'Ama', wants_offers: false }]);
		await login.publish();
		const balance = await sandbox.balance();

		const unknownNumber = await ask('024 410 9999');
		await unknownNumber.getByText('You are not logged in').waitFor();
		expect(await sentTo('+233244109999')).toEqual([]);
		expect(await paidSince(balance)).toBe(0);

		const form = await ask('024 410 0002');
		await form.getByLabel('Code').fill('000000');
		await form.getByRole('button', { name: 'Log in' }).click();
		await form.getByText('This code is not correct.').waitFor();
		const { code } = await sandbox.control<{ code: string }>('GET', `/phones/${encodeURIComponent(customer)}/code`);
		await form.getByLabel('Code').fill(code);
		await form.getByRole('button', { name: 'Log in' }).click();
		await form.getByText('Welcome, Ama').waitFor();
		expect(await sentTo(customer)).toHaveLength(1);

		const again = await ask('+233 24 410 0002');
		await again.getByText('You are not logged in').waitFor();
		expect(await sentTo(customer)).toHaveLength(1);
		expect(await paidSince(balance)).toBe(costOf(await sentTo(customer)));
		await login.retire();
	});
});

describe('campaign', () => {
	const offer = expect.stringContaining('10% off') as string;
	const recipients = { ama: '+233244100011', kofi: '+233244100012', esi: '+233244100013', yaw: '+233244100014' };

	test('sends an offer once to customers who want it, reports on each, and sends none if the balance is too low', async () => {
		const campaign = example('campaign');
		await campaign.run('Make the tables');
		await campaign.publish();
		await insert('Customers', [
			{ phone: recipients.ama, name: 'Ama', wants_offers: true },
			{ phone: '024 410 0012', name: 'Kofi', wants_offers: true },
			{ phone: recipients.esi, name: 'Esi', wants_offers: true },
			{ phone: recipients.yaw, name: 'Yaw', wants_offers: false },
			{ phone: undeliverable, name: 'Adwoa', wants_offers: true },
			{ phone: optedOut, name: 'Kwesi', wants_offers: true },
		]);
		await sendInbound(campaign, recipients.esi, 'STOP');
		await sandbox.control('PUT', '/settings', { callback_url: campaign.urlOf('When a receipt arrives') });
		// With the clock paused, no message is delivered before the report is written.
		await sandbox.control('POST', '/clock/freeze');

		await campaign.run('Every Friday at ten');
		await sandbox.control('POST', '/clock/advance', { milliseconds: 120_000 });
		const texted = async () => {
			const to = [recipients.ama, recipients.kofi, recipients.esi, recipients.yaw, undeliverable, optedOut];
			return Object.fromEntries(await Promise.all(to.map(async (one) => [one, await textsOf(one)] as const)));
		};
		const once = {
			[recipients.ama]: [offer],
			[recipients.kofi]: [offer],
			[recipients.esi]: [],
			[recipients.yaw]: [],
			[undeliverable]: [offer],
			[optedOut]: [],
		};
		expect(await texted()).toEqual(once);
		const reported = await eventually('all receipts in the report', async () => {
			const report = await rows('Campaign report');
			return report.filter(({ delivery }) => delivery !== null).length === 3 ? report : undefined;
		});
		expect(reported.map(({ phone, outcome, reason, delivery }) => [phone, outcome, reason, delivery])).toEqual([
			[recipients.ama, 'accepted', '', 'delivered'],
			[recipients.kofi, 'accepted', '', 'delivered'],
			[recipients.esi, 'skipped', 'excluded', null],
			[undeliverable, 'accepted', '', 'failed'],
			[optedOut, 'rejected', expect.stringMatching(/opted out/i), null],
		]);

		await campaign.run('Every Friday at ten');
		await sandbox.control('POST', '/clock/advance', { milliseconds: 120_000 });
		expect(await texted()).toEqual(once);

		// All but one were sent before, so the service rejects the API key for the only number that is left.
		const body = { code: 'unauthorized', message: 'The API key was revoked' };
		await sandbox.control('POST', '/faults', { endpoint: 'sms.sendBulk', kind: 'answer', status: 401, body });
		const stopped = await campaign.run('Every Friday at ten', 'error');
		expect(stopped.data.resultData.error?.message).toMatch(/^1 of 5 messages were not sent\. The API key was revoked/);
		const reason = expect.stringMatching(/^The API key was revoked/) as string;
		expect((await rows('Campaign report')).at(-1)).toMatchObject({ phone: optedOut, outcome: 'rejected', reason });

		const before = (await sandbox.messages()).length;
		const balance = await sandbox.balance();
		await sandbox.control('POST', '/wallet/adjust', { amount: Number((0.2 - balance).toFixed(4)) });
		await campaign.run('Every Friday at ten');
		expect(await sandbox.messages()).toHaveLength(before + 1);
		expect(await textsOf(owner)).toEqual([
			'Your offer to 5 customers was not sent. It would cost about GHS 0.25, but your SMS wallet has only 0.20 left.',
		]);
		await sandbox.control('POST', '/wallet/adjust', { amount: 40 });
		await sandbox.control('PUT', '/settings', { callback_url: null });
		await sandbox.control('POST', '/clock/run');
		await campaign.retire();
	});
});

describe('delivery-fallback', () => {
	const channels = async (to: string) => (await sentTo(to)).map(({ channel }) => channel);
	/** The balance before each test. The service refunds a message that fails. */
	let balance: number;

	beforeEach(async () => (balance = await sandbox.balance()));

	beforeAll(async () => await example('delivery-fallback').publish());
	afterEach(async () => await sandbox.control('POST', '/clock/run'));

	/** Calls it from another workflow. @returns a function that waits for that workflow and returns its rows */
	async function call(to: string, key: string): Promise<() => Promise<unknown>> {
		const { start, newest } = await createWebhookWorkflow(n8n, stage.server.url, [
			{
				name: 'Call it',
				type: 'n8n-nodes-base.executeWorkflow',
				typeVersion: 1.2,
				parameters: {
					workflowId: { __rl: true, mode: 'id', value: example('delivery-fallback').id },
					workflowInputs: { mappingMode: 'defineBelow', value: { to, message: 'The courier is here.', key } },
					options: {},
				},
			},
		]);
		await start();
		return async () => rowsOf(await newest('success'), 'Call it');
	}

	test('sends only an SMS if it arrives, and nothing if it is called again with the same key', async () => {
		const to = '+233244100021';
		const first = await call(to, 'courier-1');
		expect(await first()).toEqual([{ to, reached: 'sms' }]);
		const second = await call(to, 'courier-1');
		expect(await second()).toEqual([]);
		expect(await channels(to)).toEqual(['sms']);
		expect(await paidSince(balance)).toBe(0.05);
	});

	test('sends by WhatsApp if the SMS fails', async () => {
		const to = '+233244100022';
		await sandbox.control('POST', '/clock/freeze');
		const result = await call(to, 'courier-2');
		const { message_id: id } = await firstTo(to, 'sms');
		await sandbox.control('POST', `/messages/${id}/status`, { status: 'failed' });
		await firstTo(to, 'whatsapp');
		await sandbox.control('POST', '/clock/advance', { milliseconds: 60_000 });
		expect(await result()).toEqual([{ to, reached: 'whatsapp' }]);
		expect(await channels(to)).toEqual(['sms', 'whatsapp']);
		expect(await paidSince(balance)).toBe(0.08);
	});

	test('calls if SMS and WhatsApp fail, and reports if no channel reached the recipient', async () => {
		const before = (await channels(undeliverable)).length;
		const result = await call(undeliverable, 'courier-3');
		expect(await result()).toEqual([{ to: undeliverable, reached: 'nothing' }]);
		expect((await channels(undeliverable)).slice(before)).toEqual(['sms', 'whatsapp', 'voice']);
		expect(await paidSince(balance)).toBe(0);
	});

	test('tries no other channel for a recipient who opted out', async () => {
		const result = await call(optedOut, 'courier-4');
		await expect(result()).rejects.toThrow(/opted out/i);
		expect(await channels(optedOut)).toEqual([]);
		expect(await paidSince(balance)).toBe(0);
	});
});

describe('low-balance-top-up', () => {
	test('asks the owner, sends the payment link, and reports the payment', async () => {
		const topUp = example('low-balance-top-up');
		const before = (await sentTo(owner)).length;
		await sandbox.control('POST', '/wallet/adjust', { amount: Number((4 - (await sandbox.balance())).toFixed(4)) });
		const balance = await sandbox.balance();
		// It polls once when it is published, then every hour.
		const asking = await topUp.startedBy('When the wallet runs low', topUp.publish, 'waiting');
		const question = (await textsOf(owner))[before];
		expect(question).toMatch(/^Your SMS wallet has GHS 4\.00 left\. Add GHS 50\?\nhttp/);
		expect(await sandbox.control('GET', '/top-ups')).toEqual([]);

		expect((await answer(linkIn(question), 'approve')).status).toBe(200);
		const link = await eventually('the text with the link to pay', async () => (await textsOf(owner))[before + 1]);
		expect(link).toMatch(/^Pay GHS 51\.00 \(incl\. fee GHS 1\.00\) to add GHS 50 to your SMS wallet: http\S+$/);
		await page.goto(/http\S+$/.exec(link)?.[0] ?? '');
		await page.locator('#pay').click();
		await page.getByText('Paid: the credit is in your wallet.').waitFor();
		await topUp.execution(asking.id);
		expect((await textsOf(owner))[before + 2]).toMatch(
			/^Thank you\. GHS 50 has been added\. Your SMS wallet now has GHS 5\d\.\d\d\.$/,
		);
		expect(await paidSince(balance)).toBeCloseTo(costOf((await sentTo(owner)).slice(before)) - 50);
		await topUp.retire();
	});

	test('creates no payment link if the owner declines', async () => {
		const topUp = example('low-balance-top-up');
		const before = await sandbox.control('GET', '/top-ups');
		const balance = await sandbox.balance();
		const { id } = await topUp.run('When the wallet runs low', 'waiting');
		const question = (await textsOf(owner)).at(-1);
		expect((await answer(linkIn(question), 'decline')).status).toBe(200);
		expect(ran(await topUp.execution(id))).not.toContain('Make the link');
		expect(await sandbox.control('GET', '/top-ups')).toEqual(before);
		expect(await paidSince(balance)).toBe(costOf((await sentTo(owner)).slice(-1)));
	});
});

describe('birthday-messages', () => {
	const recipients = { kwame: '+233244100031', esi: '+233244100032', yaw: '+233244100033' };
	const birthdayIn = (days: number) => {
		// The workflow's time zone is Accra's, which is UTC.
		const date = new Date();
		date.setUTCDate(date.getUTCDate() + days);
		return [date.getUTCMonth() + 1, date.getUTCDate()].map((part) => String(part).padStart(2, '0')).join('-');
	};

	test('sends birthday wishes by name, once, and none to customers who opted out', async () => {
		const birthdays = example('birthday-messages');
		await birthdays.run('Make the tables');
		await birthdays.publish();
		await insert('Customers', [
			{ phone: recipients.kwame, name: 'Kwame', birthday: birthdayIn(0) },
			{ phone: recipients.esi, name: 'Esi', birthday: birthdayIn(0) },
			// Shares the phone of Kwame.
			{ phone: recipients.kwame, name: 'Abla', birthday: birthdayIn(0) },
			{ phone: recipients.yaw, name: 'Yaw', birthday: birthdayIn(3) },
		]);
		await sendInbound(birthdays, recipients.esi, 'stop');
		const first = await birthdays.run('Every morning at nine');
		expect(rowsOf(first, 'Send the wishes')).toEqual([
			expect.objectContaining({ to: recipients.kwame, outcome: 'accepted' }),
			expect.objectContaining({ to: recipients.esi, outcome: 'skipped', reason: 'excluded' }),
			expect.objectContaining({ to: recipients.kwame, outcome: 'accepted' }),
		]);
		const second = await birthdays.run('Every morning at nine');
		expect(rowsOf(second, 'Send the wishes')[0]).toMatchObject({ outcome: 'skipped', reason: 'already_sent' });
		await firstTo(recipients.kwame, 'sms');
		expect((await textsOf(recipients.kwame)).toSorted()).toEqual([
			expect.stringMatching(/^Happy birthday, Abla!/),
			expect.stringMatching(/^Happy birthday, Kwame!/),
		]);
		expect(await textsOf(recipients.esi)).toEqual([]);
		expect(await textsOf(recipients.yaw)).toEqual([]);
		await birthdays.retire();
	});
});

describe('opt-out-form', () => {
	const ama = '024 410 0051';
	const esi = '+233244100052';
	const codes = async () =>
		new Map((await rows('Customers')).map(({ phone, opt_out_code }) => [phone, String(opt_out_code)] as const));

	test('opts out the customer of a link by its button, and no one by opening or changing a link', async () => {
		const optOut = example('opt-out-form');
		await optOut.run('Make the tables');
		await insert('Customers', [
			{ phone: ama, name: 'Ama' },
			{ phone: esi, name: 'Esi' },
		]);
		await optOut.publish();
		const balance = await sandbox.balance();
		await optOut.run('Every hour');
		const given = await codes();
		const code = given.get(ama) ?? '';
		expect(code).toMatch(/^[0-9a-f]{12}$/);
		expect(new Set(given.values()).size).toBe(given.size);
		await insert('Customers', [{ phone: '+233244100053', name: 'Yaa' }]);
		await optOut.run('Every hour');
		const all = await codes();
		expect([...all]).toEqual(expect.arrayContaining([...given]));
		expect(all.get('+233244100053')).toMatch(/^[0-9a-f]{12}$/);

		const optedOutBefore = await rows('Opt-outs');
		const link = (ending: string) => `${optOut.urlOf('Opt-out form')}?c=${ending}`;
		for (const method of ['GET', 'HEAD', 'OPTIONS']) await fetch(link(code), { method });
		const { context: customerProfile } = await stage.openCustomer();
		const form = await customerProfile.newPage();
		await form.goto(link(code), { waitUntil: 'load' });
		await form.getByRole('button', { name: 'Opt out' }).waitFor();
		expect(await rows('Opt-outs')).toEqual(optedOutBefore);

		const press = async (url: string, shown: string) =>
			await optOut.startedBy('Opt-out form', async () => {
				await form.goto(url);
				await form.getByRole('button', { name: 'Opt out' }).click();
				await form.getByText(shown).waitFor();
			});
		for (const wrong of ['', '%', 'none', '0123456789ab', encodeURIComponent(esi), code.slice(0, 11)]) {
			await press(link(wrong), 'This link is not complete');
		}
		await press(optOut.urlOf('Opt-out form'), 'This link is not complete');
		expect(await rows('Opt-outs')).toEqual(optedOutBefore);

		await press(link(code), 'You get no more offers from Kofi Shop.');
		await press(link(code), 'You get no more offers from Kofi Shop.');
		const added = (await rows('Opt-outs')).slice(optedOutBefore.length);
		expect(added.map(({ phone }) => phone)).toEqual(['+233244100051']);
		expect(await paidSince(balance)).toBe(0);
		await optOut.retire();
	});
});

describe('order-updates', () => {
	const customer = '+233244100041';
	const trigger = 'When an order changes';
	const order = { id: 1042, phone: '024 410 0041', name: 'Ama' };
	const other = { ...order, id: 1043 };

	async function post(body: object, headers: Record<string, string> = { [shopHeader.name]: shopHeader.value }) {
		const response = await fetch(example('order-updates').urlOf(trigger), {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: JSON.stringify(body),
		});
		return response.status;
	}
	const posted = async (body: object, status?: string) =>
		await example('order-updates').startedBy(trigger, async () => expect(await post(body)).toBe(200), status);

	beforeAll(async () => await example('order-updates').publish());
	afterAll(async () => await example('order-updates').retire());

	test('sends each update of an order of WooCommerce or Shopify once, and ignores other statuses', async () => {
		const balance = await sandbox.balance();
		for (const status of ['pending', 'processing', 'processing', 'refunded', 'completed', 'cancelled']) {
			await posted(wooCommerceOrder(order, status));
		}
		for (const change of [
			{ financial_status: 'pending' },
			{ financial_status: 'paid' },
			{ financial_status: 'paid' },
			{ financial_status: 'paid', fulfillment_status: 'fulfilled' },
			{ financial_status: 'refunded', cancelled_at: new Date().toISOString() },
		]) {
			await posted(shopifyOrder(other, change));
		}
		const texts = (number: string) => [
			`Thank you, Ama. We have received your payment for order ${number}. We will text you when it is on its way. Kofi Shop`,
			`Hello Ama, your order ${number} is on its way. Kofi Shop`,
			`Hello Ama, your order ${number} was canceled. Questions? Call 020 123 4567. Kofi Shop`,
		];
		expect(await textsOf(customer)).toEqual([...texts('1042'), ...texts('#1043')]);
		expect(balance - (await sandbox.balance())).toBeCloseTo(6 * 0.05);
	});

	test.each([
		['an order without a number', { ...wooCommerceOrder({ ...order, phone: '' }, 'processing'), id: 1044 }, /^To /],
		['JSON that is not an order', { status: 'processing' }, /is not an order.*Nothing was sent or charged\./],
	])('fails, says why and sends nothing: %s', async (_, body, error) => {
		const before = [(await sandbox.messages()).length, await sandbox.balance()];
		const { data } = await posted(body, 'error');
		expect(data.resultData.error?.message).toMatch(error);
		expect([(await sandbox.messages()).length, await sandbox.balance()]).toEqual(before);
	});

	test('does not thank for a payment that comes on delivery', async () => {
		const to = '+233244100042';
		const facts = { ...order, phone: '024 410 0042' };
		await posted(wooCommerceOrder({ ...facts, id: 1045 }, 'processing', { method: 'cod', paid: null }));
		await posted({ id: 1046, status: 'processing', payment_method: 'cod', billing: { phone: facts.phone } });
		expect(await textsOf(to)).toEqual([
			'Thank you, Ama. We have received your order 1045. We will text you when it is on its way. Kofi Shop',
			'Thank you, customer. We have received your order 1046. We will text you when it is on its way. Kofi Shop',
		]);
	});

	test('sends nothing about an old order that the shop edits, and sends about JSON without dates', async () => {
		const to = '+233244100043';
		const facts = { ...order, phone: '024 410 0043' };
		const before = [(await sandbox.messages()).length, await sandbox.balance()];
		const ago = (days: number) => new Date(Date.now() - days * 86_400_000);
		for (const [id, status] of [
			[1047, 'processing'],
			[1048, 'completed'],
			[1049, 'cancelled'],
		] as const) {
			await posted(wooCommerceOrder({ ...facts, id }, status, { created: ago(40) }));
		}
		const [processed_at, cancelled_at] = [ago(40).toISOString(), ago(3).toISOString()];
		await posted(shopifyOrder({ ...facts, id: 1050 }, { processed_at }));
		await posted(shopifyOrder({ ...facts, id: 1051 }, { processed_at, cancelled_at }));
		const fulfillments = [{ created_at: ago(3).toISOString() }];
		await posted(shopifyOrder({ ...facts, id: 1052 }, { fulfillment_status: 'fulfilled', fulfillments }));
		expect([(await sandbox.messages()).length, await sandbox.balance()]).toEqual(before);

		const billing = { first_name: 'Ama', phone: facts.phone };
		for (const status of ['processing', 'completed', 'cancelled']) await posted({ id: 1053, status, billing });
		expect(await textsOf(to)).toHaveLength(3);
	});

	test('rejects a webhook without the header of the shop', async () => {
		expect(await post(wooCommerceOrder(order, 'processing'), {})).toBe(403);
	});
});

describe('ai-agent-with-approval', () => {
	const customer = '+233244100051';

	test.each([
		['declined', 'decline', []],
		['approved', 'approve', ['Your bag of rice is ready.']],
	])('sends a customer only a message that the owner approved: %s', async (_, given, expected) => {
		const balance = await sandbox.balance();
		const chat = { sessionId: given, action: 'sendMessage', chatInput: `Tell ${customer} that the rice is ready` };
		const { id } = await example('ai-agent-with-approval').run('When you write', 'waiting', {
			startTime: Date.now(),
			executionTime: 0,
			executionIndex: 0,
			executionStatus: 'success',
			source: [],
			data: { main: [[{ json: chat }]] },
		});
		const [asked] = (await sentTo(owner)).slice(-1);
		const question = asked?.message ?? '';
		expect(question).toContain('Your bag of rice is ready.');
		expect(await sentTo(customer)).toEqual([]);
		expect((await answer(linkIn(question), given)).status).toBe(200);
		await example('ai-agent-with-approval').execution(id);
		expect(await textsOf(customer)).toEqual(expected);
		expect(await paidSince(balance)).toBeCloseTo((asked?.cost ?? 0) + 0.05 * expected.length);
	});
});
