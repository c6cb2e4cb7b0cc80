import type { Page } from 'playwright-core';
import { openDataTable, type Row } from '../support/e2e/dataTable';
import { pictureWorkflow } from '../support/e2e/examplePicture';
import { shopTemplateNames, type Example, type ExampleNode } from '../support/e2e/exampleWorkflow';
import type { N8nApi } from '../support/e2e/n8nApi';
import type { SandboxView, SentMessage } from '../support/e2e/sandboxView';
import { startAnsweringModel, type ScriptedModel } from '../support/e2e/scriptedModel';
import { textsOf } from '../support/e2e/sentTexts';
import { openTemplateStage, type TemplateStage } from '../support/e2e/templateStage';
import { eventually } from '../support/eventually';
import { shopifyCheckout } from '../support/thirdParty/shops/checkouts';
import { shopifyOrder } from '../support/thirdParty/shops/orders';
import { openShopify } from '../support/thirdParty/shops/shopify';

const owner = '+233201234567';
const shopify = openShopify();

let stage: TemplateStage;
let n8n: N8nApi;
let sandbox: SandboxView;
let model: ScriptedModel;
let page: Page;

/** Imports an example. `chosen` returns the options that a user changes in a node. */
const set = async (name: string, chosen: (node: ExampleNode) => object = () => ({})): Promise<Example> =>
	await stage.set(name, { chosen });

/** Does something, and returns the messages that it sent and the amount that left the wallet. */
const sentDuring = async (act: () => Promise<unknown>) => await stage.sentDuring(act);

/** Changes options of a node, and keeps its others. */
const withOptions = ({ parameters }: ExampleNode, changed: object): object => ({
	options: { ...Object(parameters.options), ...changed } as object,
});

const costOf = (messages: readonly SentMessage[]) =>
	Number(messages.reduce((sum, { cost }) => sum + cost, 0).toFixed(4));
const rows = async (table: string): Promise<Row[]> => await (await openDataTable(n8n, table)).rows();
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);

beforeAll(async () => {
	model = await startAnsweringModel((asked) => {
		if (asked.includes('moon')) return 'PERSON';
		if (asked.includes('novel')) return 'A long story. '.repeat(40);
		return asked.includes('credit') ? undefined : 'A bag of rice costs GHS 320.';
	});
	const shop = { hosts: shopify.hosts, credential: { shopifyAccessTokenApi: shopify.credential } };
	// n8n reaches the model on this machine without the proxy.
	const ai = { hosts: {}, credential: { openAiApi: { apiKey: 'none', url: model.url, header: false } } };
	stage = await openTemplateStage(shop, ai);
	({ n8n, sandbox } = stage);
	for (const name of ['opt-out-form', 'ai-support-sms']) await (await set(name)).run('Make the tables');
	await (await set('abandoned-cart-sms')).run('Make the table');
	page = await stage.openEditor();
});

afterAll(async () => {
	await model.stop();
	// No workflow, and nothing else in n8n, asked for another host.
	expect(await stage.close()).toEqual([]);
});

describe('each template', () => {
	test.each(shopTemplateNames)('shows %s without overlaps in the editor', async (name) => {
		const { id } = await set(name);
		const look = await pictureWorkflow(page, id, name);
		expect(look).toMatchObject({ overlapping: [], cutOff: [] });
		expect(look.stickyNotes).toBeGreaterThan(0);
	});
});

describe('abandoned-cart-sms', () => {
	const schedule = 'Every 15 minutes';
	const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
	/** Sending Hours that are open now, or closed now whatever the day and the hour. */
	const hours = (open: boolean) => (node: ExampleNode) =>
		node.name === 'Send the reminder'
			? withOptions(node, {
					sendingHours: {
						values: {
							...{ from: '00:00', until: '24:00', days, timeZone: 'Africa/Accra', outside: 'skip' },
							holidays: open ? [] : [ago(24), ago(0), ago(-24)].map((date) => date.toISOString().slice(0, 10)),
						},
					},
				})
			: {};

	/** A checkout that was changed some hours ago. */
	const leave = (token: string, phone: string | null, { acceptsSms = true, hours = 2 } = {}) =>
		shopifyCheckout({ token, phone, name: token, acceptsSms, changedAt: ago(hours) });
	let example: Example;
	// n8n registers and removes the webhooks of the shop after it has responded.
	beforeAll(async () => {
		example = await set('abandoned-cart-sms', hours(true));
		await example.publish();
		await eventually('the webhooks', () => (shopify.webhooks().length === 3 ? true : undefined));
	});
	afterAll(async () => {
		await example.retire();
		await eventually('the end of the webhooks', () => (shopify.webhooks().length === 0 ? true : undefined));
	});
	const row = async (token: string) => (await rows('Abandoned carts')).find(({ checkout }) => checkout === token);
	/** Waits until the table has a row of each cart. */
	const kept = async (...tokens: string[]) =>
		await eventually(`rows of ${tokens.join(', ')}`, async () => {
			const known = (await rows('Abandoned carts')).map(({ checkout }) => checkout);
			return tokens.every((token) => known.includes(token)) ? true : undefined;
		});
	/** As if the last reminder of a cart had gone out yesterday. */
	async function waitADay(token: string): Promise<void> {
		const table = await openDataTable(n8n, 'Abandoned carts');
		await table.update('checkout', token, { reminded_at: ago(25).toISOString() });
	}
	const reminder = (token: string, words: string) =>
		expect.stringMatching(
			new RegExp(
				`^Hello ${token}, your cart at Kofi Shop is waiting${words}\\. https://kofishop\\.myshopify\\.com/68/checkouts/ac/${token}/\\S+ Opt out: https://n8n\\.example\\.com/form/stop\\?c=[0-9a-f]{12}$`,
			),
		) as string;

	test('sends no second reminder if the customer paid after the first one', async () => {
		await shopify.send('checkouts/create', leave('nana', '024 410 0210'));
		await kept('nana');
		// No one has opted out yet.
		expect(await rows('Opt-outs')).toEqual([]);
		const first = await sentDuring(async () => await example.run(schedule));
		expect(textsOf(first)).toEqual([['+233244100210', reminder('nana', '')]]);
		shopify.addOrder({ id: 2, checkout_token: 'nana', created_at: ago(0).toISOString() });
		await waitADay('nana');
		expect(await sentDuring(async () => await example.run(schedule))).toEqual({ messages: [], paid: 0 });
		expect(await row('nana')).toMatchObject({ status: 'ordered', reminders: 1 });
	});

	test('reminds of a cart twice, each once, stops when there is an order, and says why others got no reminder', async () => {
		await (await openDataTable(n8n, 'Opt-outs')).insert([{ phone: '+233244100206' }]);
		// The owner wrote this name.
		const known = { phone: '+233244100201', name: 'Mrs Ama Owusu' };
		await (await openDataTable(n8n, 'Customers')).insert([known]);
		const former = (await n8n.executions(example.id)).length;
		const carts = [
			leave('ama', '024 410 0201'),
			leave('kofi', '024 410 0202'),
			leave('esi', '024 410 0203', { acceptsSms: false }),
			leave('yaw', null),
			leave('efua', '12345'),
			leave('adwoa', '024 410 0206'),
			leave('kwesi', '024 410 0207', { hours: 0.2 }),
			leave('abena', '024 410 0208', { hours: 80 }),
			leave('akua', '024 410 0209'),
			// The service rejects messages to it, because its owner opted out there.
			leave('akos', '+233990000009'),
		];
		const tokens = carts.map(({ token }) => token);
		// The shop repeats a webhook, and sends one for each change.
		for (const topic of ['checkouts/create', 'checkouts/update', 'checkouts/update']) {
			for (const cart of carts) await shopify.send(topic, cart);
			await kept(...tokens);
		}
		// One order is in the shop though its webhook got lost. The other one is announced.
		const placed = (token: string) => ({ checkout_token: token, created_at: ago(0).toISOString() });
		shopify.addOrder({ id: 1, ...placed('kofi') });
		await shopify.send('orders/create', shopifyOrder({ id: 1042, phone: '', name: 'Akua' }, placed('akua')));
		await eventually('the announced order', async () => ((await row('akua'))?.status === 'ordered' ? true : undefined));
		await n8n.executionsWhen(example.id, former + 3 * carts.length + 1);

		const first = await sentDuring(async () => await example.run(schedule));
		expect(textsOf(first)).toEqual([['+233244100201', reminder('ama', '')]]);
		expect(first.paid).toBe(costOf(first.messages));
		expect(first.paid).toBe(0.1);
		const open = (await rows('Abandoned carts')).filter(({ checkout }) => tokens.includes(String(checkout)));
		const results = Object.fromEntries(
			open.map((one) => [String(one.checkout), [one.status, one.reminders, one.reason]]),
		);
		expect(results).toEqual({
			ama: [null, 1, ''],
			kofi: ['ordered', null, ''],
			esi: ['closed', null, 'The customer did not accept SMS marketing'],
			yaw: ['closed', null, 'The checkout has no phone number'],
			efua: ['closed', null, expect.stringMatching(/^Phone /) as string],
			adwoa: ['closed', 0, expect.stringMatching(/Excluded Numbers/) as string],
			kwesi: [null, null, null],
			abena: ['closed', null, 'Three days without an order'],
			akua: ['ordered', null, null],
			akos: ['closed', 0, expect.stringMatching(/opted out/i) as string],
		});
		expect((await rows('Customers')).filter(({ phone }) => phone === known.phone)).toMatchObject([
			{ ...known, opt_out_code: first.messages[0]?.message.slice(-12) },
		]);
		expect(await sentDuring(async () => await example.run(schedule))).toEqual({ messages: [], paid: 0 });

		await waitADay('ama');
		const second = await sentDuring(async () => await example.run(schedule));
		expect(textsOf(second)).toEqual([['+233244100201', reminder('ama', ', this is our last reminder')]]);
		expect(second.messages[0]?.message.slice(-12)).toBe(first.messages[0]?.message.slice(-12));
		expect(second.paid).toBe(costOf(second.messages));
		expect(await row('ama')).toMatchObject({ status: 'closed', reminders: 2 });
		await waitADay('ama');
		expect(await sentDuring(async () => await example.run(schedule))).toEqual({ messages: [], paid: 0 });
	});

	test('sends nothing while it cannot ask the shop for orders, and reminds once it can', async () => {
		await shopify.send('checkouts/create', leave('serwaa', '024 410 0212'));
		await kept('serwaa');
		shopify.rejectLists(1);
		expect(await sentDuring(async () => await example.run(schedule, 'error'))).toEqual({ messages: [], paid: 0 });
		expect(await row('serwaa')).toMatchObject({ status: null, reminders: null });
		const { messages } = await sentDuring(async () => await example.run(schedule));
		expect(textsOf({ messages })).toEqual([['+233244100212', reminder('serwaa', '')]]);
	});

	test('writes the reminders that went out before the wallet was empty, ends in an error, and sends the others later', async () => {
		for (const number of [1, 2, 3]) {
			await shopify.send('checkouts/create', leave(`wallet${number}`, `024 410 024${number}`));
			await kept(`wallet${number}`);
		}
		// One reminder costs 0.10.
		let error = '';
		const first = await stage.sentWithBalance(0.15, async () => {
			error = (await example.run(schedule, 'error')).data.resultData.error?.message ?? '';
		});
		// The requests leave at the same time, so any of them may be the one that the balance still pays.
		expect(first.messages).toHaveLength(1);
		expect(error).toMatch(/^2 of 3 reminders were not sent\. .*balance.*nothing was sent or charged\./);
		const tokens = ['wallet1', 'wallet2', 'wallet3'];
		const open = tokens.filter((token) => !first.messages[0]?.message.startsWith(`Hello ${token},`));
		expect(open).toHaveLength(2);
		for (const token of tokens) {
			const sent = { status: null, reminders: 1, reason: '' };
			const waits = { status: null, reminders: null, reason: null };
			expect(await row(token)).toMatchObject(open.includes(token) ? waits : sent);
		}
		const { messages } = await sentDuring(async () => await example.run(schedule));
		const later = open.map((token) => [`+23324410024${token.slice(-1)}`, reminder(token, '')]);
		expect(textsOf({ messages })).toEqual(later);
	});

	test.each([
		['the API key was revoked', 'kukua', '+233244100251', 401, 'unauthorized'],
		['the sender ID is not approved', 'mansa', '+233244100252', 422, 'sender_not_approved'],
	])('keeps a cart open and ends in an error if %s, and reminds later', async (message, name, phone, status, code) => {
		await shopify.send('checkouts/create', leave(name, phone));
		await kept(name);
		const body = { code, message };
		await sandbox.control('POST', '/faults', { endpoint: 'sms.sendBulk', kind: 'answer', status, body });
		const none = await sentDuring(async () => {
			const { data } = await example.run(schedule, 'error');
			expect(data.resultData.error?.message).toContain(message);
		});
		expect(none).toEqual({ messages: [], paid: 0 });
		expect(await row(name)).toMatchObject({ status: null, reminders: null, reason: null });
		const { messages } = await sentDuring(async () => await example.run(schedule));
		expect(textsOf({ messages })).toEqual([[phone, reminder(name, '')]]);
	});

	test('keeps a cart open outside the Sending Hours, and reminds of it within them', async () => {
		const atNight = await set('abandoned-cart-sms', hours(false));
		await shopify.send('checkouts/create', leave('afia', '024 410 0211'));
		await kept('afia');
		expect(await sentDuring(async () => await atNight.run(schedule))).toEqual({ messages: [], paid: 0 });
		expect(await row('afia')).toMatchObject({ status: null, reminders: null, reason: null });

		const { messages } = await sentDuring(async () => await example.run(schedule));
		expect(textsOf({ messages })).toEqual([['+233244100211', reminder('afia', '')]]);
	});
});

describe('ai-support-sms', () => {
	const agent = 'A bag of rice costs GHS 320. (Automatic reply. Text PERSON for a person.)';
	const handedOver = 'A person from Kofi Shop will reply to you here.';
	const waiting = (customer: string, words: string) => `A customer waits for a person: ${customer}. ${words}`;
	let example: Example;
	let executions: number;

	/** Publishes it. It waits seconds for more messages, in place of 15. */
	async function start(seconds: number): Promise<void> {
		const hasty = ({ name }: ExampleNode): object => (name === 'Wait for more' ? { amount: seconds } : {});
		example = await set('ai-support-sms', hasty);
		executions = 0;
		await example.publish();
		await sandbox.control('PUT', '/settings', { inbound_url: example.urlOf('When a message arrives') });
	}
	const ended = async (count: number) => {
		executions += count;
		const all = await n8n.executionsWhen(example.id, executions);
		// A check that is missing in the workflow would leave the rejection to the service, which is an error.
		expect(all.slice(-count).map(({ status }) => status)).toEqual(Array(count).fill('success'));
	};
	/** Waits until a message is in a table. Messages of one moment may arrive in another order. */
	const arrived = async (from: string, message: string) =>
		await eventually(`"${message}" from ${from}`, async () => {
			if (message === 'START') return true;
			if (message === 'STOP') return (await rows('Opt-outs')).some(({ phone }) => phone === from) || undefined;
			return (await rows('Chat messages')).some((row) => row.phone === from && row.message === message) || undefined;
		});
	/** Sends messages from a phone, one right after the other, and waits until all are handled. */
	const text = async (from: string, ...messages: string[]) =>
		await sentDuring(async () => {
			for (const message of messages) {
				await sandbox.text(from, 'KOFISHOP', message);
				await arrived(from, message);
			}
			await ended(messages.length);
		});
	/** The words that the model got last. */
	const asked = () => JSON.stringify(model.requests.at(-1)?.messages.at(-1)?.content);

	/** Fills in the form as the person on duty does. */
	async function answer(customer: string, words: string, next: string) {
		return await sentDuring(async () => {
			await page.goto(example.urlOf('Answer as a person'));
			await page.getByLabel('Customer').fill(customer);
			await page.getByLabel('Answer').fill(words);
			await page.getByLabel('Who replies next?').selectOption(next);
			await page.getByRole('button', { name: 'Send' }).click();
			await page.getByText('Done, if this customer waits').waitFor();
			await ended(1);
		});
	}

	describe('while more messages may come', () => {
		beforeAll(async () => await start(3));

		afterAll(async () => await example.retire());

		test('answers messages that come quickly together once, and remembers the conversation', async () => {
			const customer = '+233244100221';
			const before = model.requests.length;
			const first = await text(customer, 'Hello', 'How much is', 'a bag of rice?');
			expect(textsOf(first)).toEqual([[customer, agent]]);
			expect(first.paid).toBe(costOf(first.messages));
			expect(model.requests).toHaveLength(before + 1);
			expect(asked()).toContain('[Customer] Hello\\nHow much is\\na bag of rice?');

			const second = await text(customer, 'And two?');
			expect(textsOf(second)).toEqual([[customer, agent]]);
			expect(asked()).toMatch(
				/\[Customer\] a bag of rice\?\\n\[Shop\] A bag of rice costs GHS 320\.\\n\[Customer\] And two\?/,
			);
			expect(second.paid).toBe(0.05);
		});

		test('answers two messages of the same moment once', async () => {
			const customer = '+233244100229';
			const { messages, paid } = await sentDuring(async () => {
				const both = ['How much is rice?', 'And oil?'];
				await Promise.all(both.map(async (message) => await sandbox.text(customer, 'KOFISHOP', message)));
				await ended(2);
			});
			expect(textsOf({ messages })).toEqual([[customer, agent]]);
			expect(paid).toBe(0.05);
			expect(asked()).toMatch(/How much is rice\?.*And oil\?|And oil\?.*How much is rice\?/);
		});

		test('sends nothing if a STOP comes while it waits, and answers again after a START', async () => {
			const customer = '+233244100223';
			expect(await text(customer, 'How much is rice?', 'STOP')).toEqual({ messages: [], paid: 0 });
			expect(await rows('Opt-outs')).toContainEqual(expect.objectContaining({ phone: customer }));
			await text(customer, 'START');
			const again = await text(customer, 'How much?');
			expect(textsOf(again)).toEqual([[customer, agent]]);
			expect(again.paid).toBe(0.05);
		});
	});

	describe('with one message at a time', () => {
		beforeAll(async () => {
			await start(1);
			// The first time, n8n asks whether the form may identify the user.
			await page.goto(example.urlOf('Answer as a person'));
			await page.getByRole('button', { name: 'Allow access' }).click();
			await page.getByLabel('Customer').waitFor();
		});

		afterAll(async () => await example.retire());

		test('answers a repeated webhook once', async () => {
			const customer = '+233244100222';
			await sandbox.control('POST', '/faults', { endpoint: 'sms.inbound', kind: 'post_copies', copies: 3 });
			const { messages, paid } = await text(customer, 'How much is rice?');
			expect(textsOf({ messages })).toEqual([[customer, agent]]);
			expect(paid).toBe(0.05);
		});

		test('hands over to a person, stays quiet, sends the answers of the person once, and answers when handed back', async () => {
			const customer = '+233244100224';
			const before = model.requests.length;
			const asks = await text(customer, 'I want to talk to a person');
			expect(textsOf(asks)).toEqual([
				[owner, waiting(customer, 'I want to talk to a person')],
				[customer, handedOver],
			]);
			expect(asks.paid).toBe(costOf(asks.messages));
			expect(await text(customer, 'Hello? How much is rice?')).toEqual({ messages: [], paid: 0 });
			expect(model.requests).toHaveLength(before);

			const answered = await answer('024 410 0224', 'Kofi here. Which rice?', 'I do');
			expect(textsOf(answered)).toEqual([[customer, 'Kofi here. Which rice?']]);
			expect(answered.paid).toBe(0.05);
			expect(await answer('024 410 0224', 'Kofi here. Which rice?', 'I do')).toEqual({ messages: [], paid: 0 });
			expect(await text(customer, 'The long one')).toEqual({ messages: [], paid: 0 });
			expect(await answer('024 410 0224', '', 'The agent')).toEqual({ messages: [], paid: 0 });
			expect(await answer('024 410 0224', 'Too late', 'I do')).toEqual({ messages: [], paid: 0 });

			const again = await text(customer, 'Thank you. How much is it?');
			expect(textsOf(again)).toEqual([[customer, agent]]);
			expect(again.paid).toBe(0.05);
			expect(asked()).toContain('[Shop] Kofi here. Which rice?');
		});

		test.each([
			['the agent is not sure', '+233244100225', 'Do you sell on the moon?'],
			['the model fails', '+233244100226', 'Is my credit used up?'],
			['the answer is too long for three SMS', '+233244100227', 'Tell me a novel'],
		])('hands over to a person if %s', async (_, customer, words) => {
			const { messages, paid } = await text(customer, words);
			expect(textsOf({ messages })).toEqual([
				[owner, waiting(customer, words)],
				[customer, handedOver],
			]);
			expect(paid).toBe(costOf(messages));
		});

		test('sends no answer of a person to a customer who opted out', async () => {
			const customer = '+233244100228';
			await text(customer, 'I want an agent');
			await text(customer, 'STOP');
			expect(await answer(customer, 'Hello?', 'The agent')).toEqual({ messages: [], paid: 0 });
		});
	});
});

describe('low-balance-top-up', () => {
	const trigger = 'When the wallet runs low';

	/** A user with another amount, and with less patience: seconds in place of hours and a day. */
	const impatient =
		(amount: number, options: object = {}, waitOnceMore = 2) =>
		(node: ExampleNode): object => {
			if (node.name === 'Ask the owner') return withOptions(node, options);
			if (node.name === 'Wait once more') return { timeLimit: waitOnceMore };
			if (node.parameters.operation === 'waitForTopUp') return { timeLimit: 2 };
			if (node.name !== 'Settings') return {};
			const fields = [
				{ id: '1', name: 'owner', value: owner, type: 'string' },
				{ id: '2', name: 'amount', value: amount, type: 'number' },
			];
			return { assignments: { assignments: fields } };
		};
	const seconds = (count: number) => ({
		unit: 'minutes',
		remindAfter: count / 60,
		maxReminders: 1,
		intro: 'Reminder:',
	});
	const limit = (count: number) => ({
		values: { limitType: 'afterTimeInterval', resumeAmount: count / 60, resumeUnit: 'minutes' },
	});

	/** The messages to the owner since `known`, once there are `count`. */
	const toOwner = async (known: number, count: number) =>
		await eventually(`${count} messages to the owner`, async () => {
			const all = (await sandbox.messages()).filter(({ to }) => to === owner).reverse();
			return all.length >= known + count ? all.slice(known).map(({ message }) => message) : undefined;
		});
	const countOfOwner = async () => (await sandbox.messages()).filter(({ to }) => to === owner).length;

	async function approve(question: string): Promise<void> {
		const link = question.split('\n').at(-1) ?? '';
		await eventually(`the page ${link} to accept`, async () => {
			const { status } = await fetch(link, { method: 'POST', body: new URLSearchParams({ answer: 'approve' }) });
			return status === 200 ? true : undefined;
		});
	}

	/** Pays the newest top-up, or presses another button. @returns its status */
	async function checkOut(choice: { action: string; method?: string }): Promise<string> {
		const [{ reference } = { reference: '' }] = await sandbox.control<Array<{ reference: string }>>('GET', '/top-ups');
		const path = `/top-ups/${reference}/checkout`;
		return (await sandbox.control<{ status: string }>('POST', path, choice)).status;
	}

	test('reminds the owner once, sends the steps of a pending payment, and says if it is still pending at the end', async () => {
		// With this amount, the sandbox leaves the top-up pending forever.
		const example = await set('low-balance-top-up', impatient(50.03, { reminder: { values: seconds(1) } }));
		const { messages, paid } = await sentDuring(async () => {
			const known = await countOfOwner();
			const { id } = await example.run(trigger, 'waiting');
			const [, again = ''] = await toOwner(known, 2);
			await approve(again);
			await example.execution(id);
		});
		const [question = '', ...others] = messages.map(({ message }) => message);
		expect(question).toMatch(/^Your SMS wallet has GHS .* left\. Add GHS 50\.03\?\nhttp/);
		expect(others).toEqual([
			`Reminder: ${question}`,
			expect.stringMatching(/^Pay GHS /),
			expect.stringMatching(/^Top-up not paid yet\. Mobile money: approve the payment on your phone\./),
			expect.stringMatching(/^Your top-up of GHS 50\.03 is not confirmed after two hours\. It is still pending\./),
		]);
		expect(messages.map(({ to }) => to)).toEqual(Array(5).fill(owner));
		expect(paid).toBe(costOf(messages));
	});

	test('informs the owner if a payment failed', async () => {
		const example = await set('low-balance-top-up', impatient(50.01));
		const { messages, paid } = await sentDuring(async () => {
			const known = await countOfOwner();
			const { id } = await example.run(trigger, 'waiting');
			await approve((await toOwner(known, 1))[0] ?? '');
			await toOwner(known, 2);
			await checkOut({ action: 'pay', method: 'card' });
			await example.execution(id);
		});
		expect(textsOf({ messages })).toEqual([
			[owner, expect.stringMatching(/^Your SMS wallet has GHS .* left\. Add GHS 50\.01\?/)],
			[owner, expect.stringMatching(/^Pay GHS /)],
			[
				owner,
				expect.stringMatching(
					/^Your top-up of GHS 50\.01 was not paid \(\w+\)\. Nothing was added to your SMS wallet\./,
				),
			],
		]);
		expect(paid).toBe(costOf(messages));
	});

	test.each([
		['approve', 50.04, /^Thank you\. GHS 50\.04 has been added\. Your SMS wallet now has GHS \d+\.\d\d\.$/],
		['decline', 0, /^Your top-up of GHS 50\.04 was not paid \(failed\)\. Nothing was added to your SMS wallet\./],
	])('sends the steps if no prompt comes to the phone, and then the result: %s', async (action, credit, result) => {
		// With this amount, the sandbox sends no prompt.
		const example = await set('low-balance-top-up', impatient(50.04, {}, 60));
		const { messages, paid } = await sentDuring(async () => {
			const known = await countOfOwner();
			const { id } = await example.run(trigger, 'waiting');
			await approve((await toOwner(known, 1))[0] ?? '');
			await toOwner(known, 2);
			expect(await checkOut({ action: 'pay', method: 'mobile_money' })).toBe('pending');
			await toOwner(known, 3);
			await checkOut({ action });
			await example.execution(id);
		});
		expect(textsOf({ messages })).toEqual([
			[owner, expect.stringMatching(/^Your SMS wallet has GHS .* left\. Add GHS 50\.04\?/)],
			[owner, expect.stringMatching(/^Pay GHS /)],
			[owner, expect.stringMatching(/^Top-up not paid yet\. Mobile money: approve the payment on your phone\./)],
			[owner, expect.stringMatching(result)],
		]);
		expect(paid).toBeCloseTo(costOf(messages) - credit);
	});

	test('fails and says so if no one responds', async () => {
		const example = await set('low-balance-top-up', impatient(50, { limitWaitTime: limit(1) }));
		const { messages, paid } = await sentDuring(async () => {
			const { data } = await example.run(trigger, 'error');
			expect(data.resultData.error?.message).toMatch(/^No one responded to the question about the top-up/);
		});
		expect(messages.map(({ to }) => to)).toEqual([owner]);
		expect(paid).toBe(costOf(messages));
	});
});
