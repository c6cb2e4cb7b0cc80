import { z } from 'zod/v4';
import { type Browser, type BrowserContext, type Page } from 'playwright-core';
import { listen, PHONE, run, type TestSandbox } from '../support/testSandbox';
import { openProfile, startBrowser, takePicture } from '../support/e2e/browser';
import { eventually } from '../support/eventually';

let browser: Browser;
let sandbox: TestSandbox;
let context: BrowserContext;
let page: Page;
let strays: string[];
let problems: string[];

beforeAll(async () => {
	browser = await startBrowser();
});
afterAll(async () => await browser.close());

beforeEach(async () => {
	sandbox = await run();
	({ context, strays } = await openProfile(browser));
	await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: sandbox.sandbox.url });
	problems = [];
	page = await context.newPage();
	watch(page);
});

afterEach(async () => {
	await context.close();
	await sandbox[Symbol.asyncDispose]();
	expect(problems).toEqual([]);
	expect(strays).toEqual([]);
});

function watch(watched: Page): void {
	watched.setDefaultTimeout(15_000);
	watched.on('console', (message) => {
		if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
	});
	watched.on('pageerror', (error) => problems.push(String(error)));
}

async function open(section: string): Promise<void> {
	await page.goto(`${sandbox.sandbox.url}/#/${section}`);
	await page.locator('#connection[data-state=live]').waitFor();
}

function row(text: string) {
	return page.locator('tbody tr', { hasText: text });
}

async function press(name: string, exact = true): Promise<void> {
	await page.getByRole('button', { name, exact }).click();
}

async function expectText(selector: string, text: string): Promise<void> {
	await page.locator(selector, { hasText: text }).first().waitFor();
}

/** A short URL as the pages show it. */
function withoutScheme(url: string): string {
	return url.replace('http://', '');
}

/** The status of an API request with a key. */
async function statusWith(key: string): Promise<number> {
	return (await sandbox.api('GET', 'balance', undefined, { 'x-api-key': key })).status;
}

describe('first visit', () => {
	test('shows how to connect, and delivers a first message to the phone', async () => {
		await open('');
		await page.getByRole('heading', { name: 'Welcome.', exact: false }).waitFor();
		expect(await page.locator('#base-url').textContent()).toBe(sandbox.sandbox.baseUrl);
		expect(await page.locator('#api-key').textContent()).toBe('sk_sandbox_demo');
		await takePicture(page, 'dashboard-first-visit');
		await press('Send');
		await page.getByRole('link', { name: 'See it on the phone' }).click();
		const phone = page.frameLocator('iframe[title=Phone]');
		await phone.locator('.bubble.received', { hasText: 'We are open 8 am to 6 pm.' }).waitFor();
		await open('overview');
		expect(await page.locator('.welcome').isVisible()).toBe(false);
		await expectText('.tiles li', '39.95');
	});

	test('copies the API key', async () => {
		await open('overview');
		await press('Copy API key');
		await expectText('#toast', 'Copied');
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('sk_sandbox_demo');
	});

	test('shows a rejection with the service’s message beside the field, and keeps the input', async () => {
		await open('overview');
		await page.getByLabel('To', { exact: true }).fill('KOFI');
		await page.getByLabel('Message', { exact: true }).fill('Long thought about');
		await press('Send');
		const field = page.locator('.field', { has: page.getByLabel('To', { exact: true }) });
		await field.getByText('is not an E.164 phone number', { exact: false }).waitFor();
		expect(await page.getByLabel('To', { exact: true }).getAttribute('aria-invalid')).toBe('true');
		expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Long thought about');
		// The browser logs the 422.
		expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
	});
});

describe('live updates', () => {
	test('shows a message when a program sends it, and each of its statuses', async () => {
		await open('messages');
		await page.getByText('No messages yet').waitFor();
		const { message_id } = await sandbox.sent({ message: 'Your order is on its way.' });
		await row('Your order is on its way.').getByText('submitted').waitFor();
		await sandbox.advance(5000);
		await row('Your order is on its way.').getByText('delivered').waitFor();

		await page.getByRole('link', { name: 'Your order is on its way.' }).click();
		expect(page.url()).toContain(message_id);
		await page.getByRole('dialog').locator('.timeline li').nth(2).waitFor();
		expect(await page.getByRole('dialog').locator('.timeline strong').allTextContents()).toEqual([
			'submitted',
			'sent',
			'delivered',
		]);
		await page.keyboard.press('Escape');
		await page.locator('dialog').waitFor({ state: 'detached' });
		expect(new URL(page.url()).hash).toBe('#/messages');
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Your order is on its way.');
	});

	test('filters messages by text, number and status', async () => {
		await sandbox.sent({ message: 'Apples' });
		await sandbox.sent({ message: 'Bananas', to: '+233244000111' });
		await open('messages');
		await row('Apples').waitFor();
		const search = page.getByLabel('Search');
		await search.fill('Banan');
		await row('Apples').waitFor({ state: 'detached' });
		expect(await row('Bananas').count()).toBe(1);
		await search.fill(PHONE);
		await row('Apples').waitFor();
		expect(await row('Bananas').count()).toBe(0);
		await search.fill('024 40');
		await row('Bananas').waitFor();
		await page.getByText('1 of 1 shown').waitFor();
		expect(await row('Apples').count()).toBe(0);
		await page.getByLabel('Status').selectOption('failed');
		await page.getByText('No messages match').waitFor();
		await press('Show all');
		await row('Bananas').waitFor();
	});

	test('keeps the filters of messages in the URL, for reloads and the back button', async () => {
		const { message_id } = await sandbox.sent({ message: 'École 50% off' });
		await sandbox.sent({ message: 'Bananas', to: '+233244000111' });
		await sandbox.advance(5000);
		await open('messages');
		await page.getByLabel('Search').fill('éCOLE 50%');
		await row('Bananas').waitFor({ state: 'detached' });
		await page.getByLabel('Status').selectOption('delivered');
		await page.waitForURL(/status=delivered/);
		await page.reload();
		await row('École').waitFor();
		expect(await row('Bananas').count()).toBe(0);
		expect(await page.getByLabel('Search').inputValue()).toBe('éCOLE 50%');
		await page.getByRole('link', { name: 'École' }).click();
		await page.getByRole('dialog').waitFor();
		await page.keyboard.press('Escape');
		await page.waitForURL(/status=delivered/);
		await page.getByLabel('Search').fill(message_id);
		await row('École').waitFor();
		await page.getByLabel('Search').fill('');
		await row('Bananas').waitFor();
		await page.getByLabel('Channel').selectOption('email');
		await page.getByText('No messages match').waitFor();
		await page.goBack();
		await row('Bananas').waitFor();
	});

	test('keeps both of two filters that change at the same moment', async () => {
		await sandbox.sent({ message: 'Apples' });
		await open('messages?status=failed');
		await page.getByText('No messages match').waitFor();
		await page.evaluate(() => {
			const change = (name: string, value: string) => {
				const field = document.querySelector<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`);
				if (!field) throw new Error(`There is no ${name}`);
				field.value = value;
				field.dispatchEvent(new Event('input', { bubbles: true }));
			};
			change('status', '');
			change('search', 'Apples');
		});
		await page.getByText('1 of 1 shown').waitFor();
		expect(new URL(page.url()).hash).toBe('#/messages?search=Apples');
	});

	test('keeps a filter that changes before the browser reports that a panel is closed', async () => {
		const { message_id } = await sandbox.sent({ message: 'Apples' });
		await open(`messages/${message_id}?status=failed`);
		await page.getByRole('dialog').getByText('Timeline').waitFor();
		await page.evaluate(() => {
			const dialog = document.querySelector('dialog[open]');
			const field = document.querySelector<HTMLSelectElement>('[name=status]');
			if (!dialog || !field) throw new Error('There is no panel or no filter');
			field.value = '';
			field.dispatchEvent(new Event('input', { bubbles: true }));
			dialog.dispatchEvent(new Event('close'));
		});
		await page.getByText('1 of 1 shown').waitFor();
		expect(new URL(page.url()).hash).toBe('#/messages');
	});

	test('shows the progress of a bulk send, and its messages', async () => {
		await sandbox.sent({ message: 'Alone' });
		await open('messages');
		await sandbox.api('POST', 'sms/bulk', { to: [PHONE, '+233244000111'], sender_id: 'KOFISHOP', message: 'To all' });
		await sandbox.advance(5000);
		await row('To all').nth(1).getByText('delivered').waitFor();
		await page.getByText('1 bulk send', { exact: true }).click();
		await page.locator('.bulk tbody tr', { hasText: '2 of 2' }).getByRole('link', { name: 'To all' }).click();
		await row('Alone').waitFor({ state: 'detached' });
		await press('Show all messages');
		await row('Alone').waitFor();
	});

	test('keeps unsaved input when settings change elsewhere', async () => {
		await open('callbacks');
		const url = page.getByLabel('Callback URL');
		await page.getByLabel('Low-balance threshold').and(page.locator('[name=low_balance_threshold]')).waitFor();
		await url.pressSequentially('http://127.0.0.1:9/half');
		await sandbox.control('PUT', 'settings', { callback_url: 'http://127.0.0.1:1/other', low_balance_threshold: 17 });
		await page.waitForFunction(
			() => document.querySelector<HTMLInputElement>('[name=low_balance_threshold]')?.value === '17',
		);
		expect(await url.inputValue()).toBe('http://127.0.0.1:9/half');
		expect(await url.evaluate((input) => input === document.activeElement)).toBe(true);
	});

	test('keeps the focus when rows are added or change', async () => {
		await open('opt-outs');
		await sandbox.control('POST', 'opt-outs', { number: PHONE });
		const remove = page.getByRole('button', { name: `Remove ${PHONE}` });
		await remove.focus();
		await remove.evaluate((button: HTMLElement) => (button.dataset.seen = 'true'));
		await sandbox.control('POST', 'opt-outs', { number: '+233244000111' });
		await row('+233244000111').waitFor();
		expect(await remove.evaluate((button) => button === document.activeElement)).toBe(true);
		expect(await remove.getAttribute('data-seen')).toBe('true');

		const { message_id } = await sandbox.sent({ to: '+233244000222', message: 'On its way' });
		await open('messages');
		await page.getByRole('link', { name: 'On its way' }).focus();
		await sandbox.control('POST', `messages/${message_id}/status`, { status: 'delivered' });
		await row('On its way').getByText('delivered').waitFor();
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('On its way');
	});

	test('keeps the focus in a list when the pressed button disappears', async () => {
		await open('sender-ids');
		await page.getByRole('button', { name: 'Approve PENDINGCO' }).press('Enter');
		await page.waitForFunction(() => document.activeElement?.matches('tr'));
		expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('PENDINGCO');

		for (const number of [PHONE, '+233244000111']) await sandbox.control('POST', 'opt-outs', { number });
		await open('opt-outs');
		const remove = page.getByRole('button', { name: 'Remove' });
		await remove.nth(1).waitFor();
		const kept = await remove.last().getAttribute('aria-label');
		await remove.first().press('Enter');
		await page.waitForFunction((label) => document.activeElement?.getAttribute('aria-label') === label, kept);
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => document.activeElement?.textContent.startsWith('No opt-outs yet'));
	});

	test('reconnects by itself and shows the missed changes', async () => {
		await open('inbox');
		// The event stream is cut, and cannot be opened for a while.
		await context.route('**/_sandbox/events', async (route) => await route.abort());
		await page.evaluate(() => {
			dispatchEvent(new Event('pagehide'));
			dispatchEvent(new Event('pageshow'));
		});
		await page.locator('#connection[data-state=lost]').waitFor();
		await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'While you were away' });
		await sandbox.control('POST', 'settle');
		await context.unroute('**/_sandbox/events');
		await row('While you were away').waitFor();
		// The browser logs each stream that it could not open.
		expect(problems.splice(0).every((text) => text.includes('ERR_FAILED'))).toBe(true);
	});
});

test('shows data from outside as text, never as markup', async () => {
	const attack = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
	await sandbox.sent({ message: attack });
	await sandbox.api('POST', 'contacts', { name: attack, phone: PHONE, [attack]: attack });
	const inbound = { From: attack, To: attack, Message: attack };
	const received = await fetch(`${sandbox.sandbox.url}/webhooks/inbound/sms`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(inbound),
	});
	expect(received.status).toBe(200);
	await sandbox.control('POST', 'keys', { name: attack.slice(0, 60) });
	await sandbox.control('POST', 'wallet/adjust', { amount: 1, description: attack });
	await sandbox.control('PUT', `snapshots/${encodeURIComponent(attack)}`);
	await using receiver = await listen();
	await sandbox.control('PUT', 'settings', { callback_url: `${receiver.url}?${encodeURIComponent(attack)}` });
	const { message_id } = await sandbox.sent({ message: attack });
	await sandbox.advance(5000);
	await sandbox.control('POST', 'settle');

	const places = ['messages', `messages/${message_id}`, 'inbox', 'contacts', 'keys', 'transactions', 'settings'];
	for (const place of places) {
		await page.goto('about:blank');
		await open(place);
		await page
			.getByText(place === 'keys' ? attack.slice(0, 60) : attack, { exact: false })
			.first()
			.waitFor();
		expect(await page.locator('img[src=x], main script, dialog script').count()).toBe(0);
	}
	await open(`phone/${encodeURIComponent(PHONE)}`);
	const phone = page.frameLocator('iframe[title=Phone]');
	await phone.getByText(attack).first().waitFor();
	expect(await phone.locator('img[src=x]').count()).toBe(0);
	for (const frame of page.frames())
		expect(await frame.evaluate((): unknown => Reflect.get(window, 'attacked'))).toBeUndefined();
});

test('sends from a requested sender ID only while it is approved', async () => {
	await open('sender-ids');
	await page.getByLabel('Name').fill('AMASHOP');
	await press('Request');
	await row('AMASHOP').getByText('pending').waitFor();
	expect((await sandbox.send({ sender_id: 'AMASHOP' })).status).toBe(422);
	await press('Approve AMASHOP');
	await row('AMASHOP').getByText('approved').waitFor();
	expect((await sandbox.send({ sender_id: 'AMASHOP' })).status).toBe(200);
	await press('Reject AMASHOP');
	await row('AMASHOP').getByText('rejected').waitFor();
	expect((await sandbox.send({ sender_id: 'AMASHOP' })).status).toBe(422);
});

test('shows a new API key once, and accepts it until it is rotated or revoked', async () => {
	await open('keys');
	await page.getByLabel('What is it for?').fill('My shop');
	await press('Create a key');
	const secret = (await page.locator('#new-key').textContent()) ?? '';
	expect(secret).toMatch(/^sk_sandbox_.{20,}/);
	expect(await statusWith(secret)).toBe(200);
	await press('Copy API key');
	await expectText('dialog', 'Copied');
	expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
	await page.keyboard.press('Escape');
	await page.locator('dialog').waitFor({ state: 'detached' });
	expect(await page.content()).not.toContain(secret);

	await press('Rotate My shop');
	await press('Rotate');
	const next = (await page.locator('#new-key').textContent()) ?? '';
	expect([await statusWith(secret), await statusWith(next)]).toEqual([401, 200]);
	await page.keyboard.press('Escape');

	await press('Revoke My shop');
	await press('Cancel');
	expect(await statusWith(next)).toBe(200);
	await press('Revoke My shop');
	await press('Revoke');
	await expectText('#toast', 'was revoked');
	expect(await statusWith(next)).toBe(401);
	expect(await row('My shop').getByText('revoked').count()).toBe(2);
	await page.reload();
	await row('My shop').first().waitFor();
	expect(await page.content()).not.toContain(next);
});

test('applies a fault to the next request and no other', async () => {
	await open('faults');
	await page.getByLabel('Applies to').selectOption('sms.send');
	await page.getByLabel('Status', { exact: true }).selectOption('429');
	await page.getByLabel('Retry-After').fill('7');
	await press('Add fault');
	await expectText('.divided li', 'Respond with 429');
	expect((await sandbox.api('GET', 'balance')).status).toBe(200);
	const met = await sandbox.send();
	expect([met.status, met.headers.get('retry-after')]).toEqual([429, '7']);
	await page.getByText('None. Everything works').waitFor();
	expect((await sandbox.send()).status).toBe(200);

	await page.getByLabel('What happens').selectOption('drop_after');
	expect(await page.getByLabel('Status', { exact: true }).isVisible()).toBe(false);
	await press('Add fault');
	await expectText('.divided li', 'cut the connection');
	await press('Remove all');
	await page.getByText('None. Everything works').waitFor();
	expect((await sandbox.send()).status).toBe(200);
});

test('logs each API request with its response, and links to its message', async () => {
	await open('api-log');
	await page.getByText('No requests yet').waitFor();
	const { message_id } = await sandbox.sent({ message: 'Logged' });
	await sandbox.send({ to: 'KOFI' });
	await sandbox.api('GET', 'balance', undefined, { 'x-api-key': 'sk_sandbox_wrong_secret' });
	await row('POST /api/v1/sms/send').nth(1).waitFor();
	await row('to is not an E.164 phone number').getByText('422').waitFor();
	await page.getByLabel('Result').selectOption('true');
	await page.getByText('2 of 2 shown').waitFor();
	await row('The API key is not valid').getByRole('link').click();
	const panel = page.getByRole('dialog');
	await panel.getByText('not a valid key').waitFor();
	expect(await page.content()).not.toContain('sk_sandbox_wrong_secret');
	await page.keyboard.press('Escape');
	await page.getByLabel('Result').selectOption('');
	await page.getByLabel('Search').fill('logged');
	await page.getByText('1 of 1 shown').waitFor();
	await row('POST /api/v1/sms/send').getByRole('link').click();
	await panel
		.getByRole('region', { name: 'Request body' })
		.getByText('"message": "Logged"', { exact: false })
		.waitFor();
	await panel.getByRole('region', { name: 'Response body' }).getByText(message_id, { exact: false }).waitFor();
	expect(await panel.textContent()).not.toContain('sk_sandbox_demo');
	await panel.getByRole('link', { name: message_id }).click();
	await panel.getByText('Timeline').waitFor();
});

test('says on every page that the clock has moved and a fault is waiting, by the sandbox’s day', async () => {
	await open('overview');
	const chips = page.locator('.chips');
	await chips.getByRole('link', { name: 'Clock stopped' }).waitFor();
	await sandbox.sent({ message: 'Before' });
	await sandbox.advance(86_400_000);
	await sandbox.control('POST', 'clock/run');
	await sandbox.control('POST', 'faults', { endpoint: '*', kind: 'html' });
	await chips.getByRole('link', { name: 'Clock +', exact: false }).waitFor();
	await chips.getByRole('link', { name: '1 fault waiting' }).click();
	await page.getByRole('heading', { name: 'Faults', exact: true }).waitFor();
	await sandbox.control('DELETE', 'faults');
	await chips.getByRole('link', { name: 'fault', exact: false }).waitFor({ state: 'detached' });
	await sandbox.sent({ message: 'After' });
	await open('messages');
	expect(await row('After').locator('time').textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
	expect(await row('Before').locator('time').textContent()).toMatch(/\w{3}.*\d\d:\d\d:\d\d$/);
	await open(`phone/${encodeURIComponent(PHONE)}`);
	const days = page.frameLocator('iframe[title=Phone]').locator('.day');
	await days.nth(1).waitFor();
	expect(await days.allTextContents()).toEqual([expect.not.stringContaining('Today'), 'Today']);
});

test('says on the phone in its own window, and at the checkout, that the clock has moved and a fault is waiting', async () => {
	const { body } = await sandbox.api('POST', 'wallet/topup', { amount: 20 });
	const { reference } = z.object({ reference: z.string() }).parse(body);
	const chips = page.locator('.chips');
	for (const path of ['/phone', `/checkout/${reference}`]) {
		await page.goto(sandbox.sandbox.url + path);
		await chips.getByRole('link', { name: 'Clock stopped' }).waitFor();
		await sandbox.advance(3_600_000);
		await sandbox.control('POST', 'clock/run');
		await chips.getByRole('link', { name: 'Clock +', exact: false }).waitFor();
		await sandbox.control('POST', 'faults', { endpoint: '*', kind: 'html' });
		await chips.getByRole('link', { name: '1 fault waiting' }).click();
		await page.getByRole('heading', { name: 'Faults', exact: true }).waitFor();
		await sandbox.control('DELETE', 'faults');
		await sandbox.control('POST', 'clock/freeze');
	}
	await page.goto(`${sandbox.sandbox.url}/phone?embedded=1`);
	await page.locator('#connection[data-state=live]').waitFor();
	expect(await chips.count()).toBe(0);
});

test('closes a question when the user goes back, and keeps the record', async () => {
	await open('overview');
	await page.getByRole('link', { name: 'Settings' }).click();
	await press('Reset sandbox');
	await page.getByRole('dialog').waitFor();
	await page.goBack();
	await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor();
	expect(await page.getByRole('dialog').count()).toBe(0);
});

test('opens a phone by a number without country code, and shows no secret of a callback URL', async () => {
	await open('phone');
	await page.getByLabel('Number or email address').fill('024 400 0111');
	await press('Open phone');
	await page.waitForURL(/%2B233244000111/);
	const url = 'http://127.0.0.1:9/webhook/0b1c7d9e-0000-4000-8000-0000000007bcef/k3J9secret';
	await sandbox.control('PUT', 'settings', { inbound_url: url });
	await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'HOURS' });
	await sandbox.control('POST', 'settle');
	await open('callbacks');
	await row('127.0.0.1:9/webhook/…7bcef').waitFor();
	expect(await page.locator('tbody').textContent()).not.toContain('k3J9secret');
	expect(await page.getByLabel('Inbound URL', { exact: true }).inputValue()).toBe(url);
});

test('removes one fault and moves the focus to the next one', async () => {
	await open('faults');
	for (const kind of ['html', 'drop_before']) await sandbox.control('POST', 'faults', { endpoint: '*', kind });
	await page.getByRole('button', { name: 'Remove: Respond with a web page', exact: false }).press('Enter');
	await expectText('#toast', 'Fault removed');
	expect((await sandbox.control('GET', 'faults')).body).toMatchObject([{ kind: 'drop_before' }]);
	await page.waitForFunction(() =>
		document.activeElement?.getAttribute('aria-label')?.startsWith('Remove: Cut the connection'),
	);
	await page.keyboard.press('Enter');
	await page.getByText('None. Everything works').waitFor();
	await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'kind');
});

test('applies a webhook fault to the next message from a phone', async () => {
	await using receiver = await listen();
	await using second = await listen();
	await open('callbacks');
	const card = page.locator('.card', { hasText: 'Inbound messages' });
	await card.getByLabel('Inbound URL', { exact: true }).fill(receiver.url);
	await card.getByLabel('More inbound URLs').fill(`\n${second.url}\nnonsense`);
	await card.getByRole('button', { name: 'Save' }).click();
	await card.getByText('More inbound URLs, line 2, is not an http or https URL').waitFor();
	expect(problems.splice(0)).toEqual([expect.stringContaining('422')]);
	await card.getByLabel('More inbound URLs').fill(second.url);
	await card.getByRole('button', { name: 'Save' }).click();
	await expectText('#toast', 'Saved');

	await open('faults');
	await page.getByLabel('What happens').selectOption('post_copies');
	await page.getByLabel('Applies to').selectOption('sms.inbound');
	await page.getByLabel('Copies').fill('3');
	await press('Add fault');
	await expectText('.divided li', 'Deliver it 3 times');
	await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: 'HOURS' });
	await page.getByText('None. Everything works').waitFor();
	await sandbox.control('POST', 'settle');
	expect([receiver.received.length, second.received.length]).toEqual([3, 3]);
});

test('changes the shape of error responses', async () => {
	await open('faults');
	await page.getByLabel('Errors').selectOption('nested');
	await page.getByText('Not saved yet').waitFor();
	await press('Save');
	await expectText('#toast', 'Saved');
	expect((await sandbox.send({ to: 'x' })).body).toMatchObject({ error: { code: 'validation' } });
});

test('lists the attempts of a callback, and Replay sends it again', async () => {
	await using receiver = await listen(503);
	await open('callbacks');
	await page.getByLabel('Callback URL').fill(receiver.url);
	await page.locator('.card', { hasText: 'Callback URL' }).getByRole('button', { name: 'Save' }).click();
	await expectText('#toast', 'Saved');
	await sandbox.sent();
	await sandbox.advance(500);
	await sandbox.control('POST', 'settle');
	expect(receiver.received).toHaveLength(1);
	await row('Receipt: sent').getByText('503').waitFor();
	await row('Receipt: sent').getByText('retrying at').waitFor();
	await page.getByRole('link', { name: 'Receipt: sent' }).click();
	const panel = page.getByRole('dialog');
	await panel.getByText('responded with 503').waitFor();
	await panel.getByText('"status": "sent"', { exact: false }).waitFor();
	await panel.getByRole('button', { name: 'Replay', exact: false }).click();
	await panel.locator('.divided li').nth(1).waitFor();
	const [first, second] = await eventually('the second request', () =>
		receiver.received.length === 2 ? receiver.received : undefined,
	);
	expect(second?.body).toBe(first?.body);
});

test('advances, runs and pauses the clock', async () => {
	await open('clock');
	await page.getByText('Paused', { exact: false }).and(page.locator('#clock-state')).waitFor();
	await sandbox.sent({ to: '+233990000005' });
	await press('+ 1 hour');
	await page.getByText('1 h', { exact: false }).and(page.locator('#clock-state')).waitFor();
	const [{ status }] = (await sandbox.control('GET', 'messages')).body as [{ status: string }];
	expect(status).toBe('delivered');
	await press('Run clock');
	await page.getByText('Running', { exact: false }).and(page.locator('#clock-state')).waitFor();
	expect((await sandbox.control('GET', 'clock')).body).toMatchObject({ running: true });
	await press('Pause clock');
	await page.getByText('Paused', { exact: false }).and(page.locator('#clock-state')).waitFor();
	expect((await sandbox.control('GET', 'clock')).body).toMatchObject({ running: false });
});

test('adds a top-up to the balance once it is paid at the checkout', async () => {
	await open('top-ups');
	await page.getByLabel('Credit to add').fill('25');
	await press('Create a top-up');
	const [checkout] = await Promise.all([
		context.waitForEvent('page'),
		page.getByRole('link', { name: 'Open the checkout' }).click(),
	]);
	watch(checkout);
	await checkout.locator('#pay').click();
	await checkout.getByText('Paid: the credit is in your wallet.').waitFor();
	await row('completed').waitFor();
	await open('transactions');
	await row('+25.00').getByText('65.00').waitFor();
});

test('shows the steps of a payer whose prompt never came, and lets the payer approve', async () => {
	await open('top-ups');
	await page.getByLabel('Credit to add').fill('25');
	await press('Create a top-up');
	const [checkout] = await Promise.all([
		context.waitForEvent('page'),
		page.getByRole('link', { name: 'Open the checkout' }).click(),
	]);
	watch(checkout);
	await checkout.getByLabel('Test mobile money, no prompt').check();
	await checkout.locator('#pay').click();
	await checkout.getByRole('status').getByText('My Approvals').waitFor();
	await row('pending').getByRole('link', { name: 'Approve' }).waitFor();
	await checkout.getByRole('button', { name: 'Approve the payment' }).click();
	await checkout.getByText('Paid: the credit is in your wallet.').waitFor();
	expect(await checkout.getByRole('button').count()).toBe(0);
	await row('completed').waitFor();
});

test('shows messages of every channel on the phone, and sends STOP from it', async () => {
	await sandbox.sent({ message: 'By SMS' });
	await sandbox.api('POST', 'whatsapp/send', { to: PHONE, message: 'By WhatsApp' });
	await sandbox.api('POST', 'voice/send', { to: PHONE, message: 'By voice' });
	const later = { to: [PHONE], sender_id: 'KOFISHOP', message: 'Later', schedule_at: '2099-12-24 08:30:00' };
	await sandbox.api('POST', 'sms/bulk', later);
	await open('phone');
	const phone = page.frameLocator('iframe[title=Phone]');
	await phone.locator('.entry', { hasText: 'By SMS' }).waitFor();
	await phone.locator('.entry', { hasText: 'By WhatsApp' }).getByText('· WhatsApp').waitFor();
	await phone.locator('.entry', { hasText: 'By voice' }).getByText('Spoken').waitFor();
	await phone.locator('.entry', { hasText: 'Later' }).getByText('scheduled for').waitFor();
	await phone.getByLabel('Text message').fill('half a thought');
	await phone.getByRole('button', { name: 'STOP' }).click();
	await phone.locator('.bubble.sent[data-status=posted]', { hasText: 'STOP' }).waitFor();
	expect(await phone.getByLabel('Text message').inputValue()).toBe('half a thought');
	await open('opt-outs');
	await row(PHONE).waitFor();
	expect((await sandbox.send()).status).toBe(422);
	await press(`Remove ${PHONE}`);
	await page.getByText('No opt-outs yet').waitFor();
	expect((await sandbox.send()).status).toBe(200);
});

test('shows the emails to an address, without a field to reply', async () => {
	await sandbox.api('POST', 'email/send', { to: 'ama@shop.example', subject: 'Your order', message: 'It is packed.' });
	await open('phone');
	await page.getByRole('link', { name: 'ama@shop.example' }).click();
	const phone = page.frameLocator('iframe[title=Phone]');
	await phone.locator('.bubble .subject', { hasText: 'Your order' }).waitFor();
	await phone.getByText('· Email').waitFor();
	expect(await phone.getByLabel('Text message').isVisible()).toBe(false);
	await page.getByLabel('Number or email address').fill('neither');
	await press('Open phone');
	await page.getByText('nor an email address.').waitFor();
	await page.getByLabel('Number or email address').fill('kofi@shop.example');
	await press('Open phone');
	await phone.getByText('Emails to this address appear here.').waitFor();
	await page.getByLabel('Number or email address').fill(PHONE);
	await press('Open phone');
	await phone.getByLabel('Text message').waitFor();
});

test('shows the result of each delivery of a message to several URLs', async () => {
	await using good = await listen();
	await using bad = await listen(500);
	await sandbox.control('PUT', 'settings', { inbound_url: good.url, inbound_urls: [bad.url] });
	await open('phone');
	const phone = page.frameLocator('iframe[title=Phone]');
	await phone.getByText('and 1 more').waitFor();
	await phone.getByLabel('Text message').fill('Hello shop');
	await phone.getByRole('button', { name: 'Send', exact: true }).click();
	const deliveries = phone.locator('.entry', { hasText: 'Hello shop' }).locator('.deliveries li');
	await deliveries
		.and(phone.locator('[data-status=posted]'))
		.getByText(`${withoutScheme(good.url)}: accepted, 200`)
		.waitFor();
	await deliveries
		.and(phone.locator('[data-status=failed]'))
		.getByText(`${withoutScheme(bad.url)}: responded with 500`)
		.waitFor();
	await phone.getByText('delivered to 1 of 2').waitFor();
	await open('callbacks');
	await page.getByText('2 of 2 shown').waitFor();
	const failed = row(withoutScheme(bad.url));
	await failed.getByText('500').waitFor();
	await failed.getByText('retrying at').waitFor();
	bad.answer(200);
	await failed.getByRole('link', { name: 'SMS: Hello shop' }).click();
	await page.getByRole('dialog').getByText('responded with 500').waitFor();
	await page.keyboard.press('Escape');
	await failed.getByRole('button', { name: 'Replay' }).click();
	await failed.getByText('200').waitFor();
	expect(bad.received.map(({ body }) => body)).toEqual([good.received[0]?.body, good.received[0]?.body]);
});

test('saves a snapshot, and asks before it restores it or resets the sandbox', async () => {
	const requests: string[] = [];
	page.on('request', (request) => {
		if (request.method() === 'POST') requests.push(new URL(request.url()).pathname);
	});
	await open('settings');
	await press('Save snapshot');
	await page.getByRole('button', { name: 'Restore before' }).waitFor();
	await sandbox.sent();
	await press('Restore before');
	await press('Restore');
	await expectText('#toast', 'Restored: before');
	expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
	await sandbox.sent();
	await press('Reset sandbox');
	await page.keyboard.press('Escape');
	await page.locator('dialog').waitFor({ state: 'detached' });
	await press('Reset sandbox');
	await press('Reset');
	await expectText('#toast', 'Sandbox reset');
	expect(requests).toEqual(['/_sandbox/snapshots/before/restore', '/_sandbox/reset']);
	expect((await sandbox.control('GET', 'messages')).body).toEqual([]);
});

describe('with the keyboard only', () => {
	const focused = async () =>
		await page.evaluate(() => {
			const element = document.activeElement;
			const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
			return (label ?? element?.getAttribute('aria-label') ?? element?.textContent ?? '').trim();
		});
	async function tabTo(name: string): Promise<void> {
		for (let presses = 0; presses < 40; presses += 1) {
			await page.keyboard.press('Tab');
			if ((await focused()) === name) return;
		}
		throw new Error(`${name} cannot be reached with Tab; the focus is on ${await focused()}`);
	}

	test('adds and removes a contact with the keyboard only', async () => {
		await open('overview');
		await tabTo('Contacts');
		expect(await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)).toBe(
			'solid',
		);
		await page.keyboard.press('Enter');
		await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor();
		expect(await focused()).toBe('Contacts');
		await tabTo('Name');
		await page.keyboard.type('Yaw Darko');
		await page.keyboard.press('Tab');
		await page.keyboard.press('Enter');
		// The form shows an error in the empty field and focuses it.
		await page.getByText('This field is empty. Fill it in.').waitFor();
		expect(await focused()).toBe('Phone number');
		await page.keyboard.type('024 400 0111');
		await page.keyboard.press('Enter');
		await row('Yaw Darko').getByText('+233244000111').waitFor();
		expect(await page.getByLabel('Name').inputValue()).toBe('');
		await tabTo('Remove Yaw Darko');
		await page.keyboard.press('Space');
		await row('Yaw Darko').waitFor({ state: 'detached' });
	});

	test('offers to skip the menu with the first Tab', async () => {
		await open('keys');
		await page.keyboard.press('Tab');
		expect(await focused()).toBe('Skip to the content');
		await page.keyboard.press('Enter');
		await page.keyboard.press('Tab');
		expect(await focused()).toBe('What is it for?');
	});
});

test('opens the menu on a narrow screen, follows a link and closes it with Escape', async () => {
	await page.setViewportSize({ width: 360, height: 780 });
	await open('overview');
	await press('Menu');
	await page.keyboard.press('Escape');
	expect(await page.getByRole('link', { name: 'Clock', exact: true }).isVisible()).toBe(false);
	await press('Menu');
	await page.getByRole('link', { name: 'Clock', exact: true }).click();
	await page.getByRole('heading', { name: 'Clock', exact: true }).waitFor();
	expect(await page.getByRole('link', { name: 'Clock', exact: true }).isVisible()).toBe(false);
});

test('lists the numbers of the chart in a table', async () => {
	await sandbox.sent();
	await sandbox.sent();
	await open('overview');
	await page.locator('.chart', { hasText: 'Messages' }).getByText('2', { exact: true }).first().waitFor();
	const drawing = page.getByRole('img', { name: 'Messages in the last 24 hours: 2', exact: false });
	expect(await drawing.locator('.bar').count()).toBe(24);
	await page.getByText('Show as table').click();
	expect(await page.locator('.plain tbody tr').first().locator('td').allTextContents()).toEqual(['2', '0.10']);
	await press('Last 30 days');
	await page.getByRole('img', { name: 'Messages in the last 30 days: 2', exact: false }).waitFor();
	expect(await page.locator('.plain tbody tr').count()).toBe(30);
});

test('shows more of a long list of transactions', async () => {
	for (let count = 0; count < 60; count += 1) await sandbox.control('POST', 'wallet/adjust', { amount: 1 });
	await open('transactions');
	await page.getByText('50 of 61 shown, newest first').waitFor();
	expect(await row('First top-up').count()).toBe(0);
	await press('Show more');
	await page.getByText('61 of 61 shown, newest first').waitFor();
	await row('First top-up').waitFor();
	expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});
