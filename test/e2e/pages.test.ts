import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod/v4';
import { sections } from '../../sandbox/ui/dashboard/sections';
import { openProfile, startBrowser } from '../support/e2e/browser';
import { COLOR_RULES, cutElements, inEachWidth, violations, WIDTHS } from '../support/e2e/pageChecks';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

const idRow = z.object({ id: z.number() });
const topUp = z.object({ reference: z.string() });

/** Every section with its heading. */
const headings: Readonly<Record<string, string>> = {
	overview: 'Overview',
	messages: 'Messages',
	phone: 'Phone',
	inbox: 'Inbox',
	'opt-outs': 'Opt-outs',
	'sender-ids': 'Sender IDs',
	contacts: 'Contacts',
	transactions: 'Transactions',
	'top-ups': 'Top-ups',
	keys: 'Keys',
	callbacks: 'Callbacks',
	'api-log': 'API log',
	faults: 'Faults',
	clock: 'Clock',
	'magic-values': 'Magic values',
	settings: 'Settings',
};

let browser: Browser;
let sandbox: TestSandbox;
let context: BrowserContext;
let page: Page;
/** Every page and side panel, as a path. */
let places: string[];

beforeAll(async () => {
	browser = await startBrowser();
	sandbox = await run();
	places = await fill();
});
afterAll(async () => {
	await sandbox[Symbol.asyncDispose]();
	await browser.close();
});

beforeEach(async () => {
	({ context } = await openProfile(browser));
	page = await context.newPage();
	page.setDefaultTimeout(15_000);
	await page.emulateMedia({ reducedMotion: 'reduce' });
});
afterEach(async () => await context.close());

/** Fills the sandbox with long content of every kind. @returns every page and side panel */
async function fill(): Promise<string[]> {
	const long = `${'Donaudampfschifffahrt'.repeat(8)} and then some words`;
	const url = `http://127.0.0.1:9/webhook/0b1c7d9e-0000-4000-8000-0000000007bcef/${'k3J9'.repeat(40)}`;
	await sandbox.control('POST', 'wallet/adjust', { amount: 124_414.35, description: long });
	await sandbox.control('PUT', 'settings', { callback_url: url, inbound_url: url });
	const { message_id } = await sandbox.sent({ message: long });
	await sandbox.sent({ to: '+233990000002', message: 'See https://shop.example/orders/1 for details.' });
	await sandbox.send({ to: 'not a number' });
	await sandbox.api('POST', 'email/send', { to: `${'a'.repeat(50)}@example.com`, subject: long, message: long });
	await sandbox.api('POST', 'sms/bulk', { to: [PHONE, '+233244000111'], sender_id: 'KOFISHOP', message: long });
	await sandbox.api('POST', 'contacts', { name: long, phone: PHONE, note: long });
	await sandbox.control('POST', 'faults', { endpoint: 'sms.send', kind: 'hang' });
	await sandbox.control('POST', 'packages', { credits: 10_000_000 });
	await sandbox.control('PUT', `snapshots/${'x'.repeat(80)}`);
	await sandbox.control('POST', `phones/${PHONE}/texts`, { to: 'KOFISHOP', message: long });
	await sandbox.control('POST', 'opt-outs', { number: '+233200000009' });
	// Yesterday's rows have a date beside their time.
	await sandbox.advance(86_400_000);
	// A top-up expires after a day.
	const { body } = await sandbox.api('POST', 'wallet/topup', { amount: 9999.99 });
	const { reference: unprompted } = topUp.parse((await sandbox.api('POST', 'wallet/topup', { amount: 20.04 })).body);
	await sandbox.control('POST', `top-ups/${unprompted}/checkout`, { action: 'pay', method: 'mobile_money' });
	await sandbox.control('POST', 'settle');

	const newest = async (path: string) => z.array(idRow).parse((await sandbox.control('GET', path)).body)[0]?.id ?? 0;
	return [
		...sections.map(({ name }) => `/#/${name}`),
		`/#/messages/${message_id}`,
		`/#/callbacks/${await newest('callbacks')}`,
		`/#/api-log/${await newest('requests?failed=true')}`,
		`/phone?number=${encodeURIComponent(PHONE)}`,
		`/checkout/${topUp.parse(body).reference}`,
		`/checkout/${unprompted}`,
		'/docs',
	];
}

async function open(place: string): Promise<void> {
	// A new hash alone would not load the page again.
	await page.goto('about:blank');
	await page.goto(sandbox.sandbox.url + place);
	if (place.startsWith('/#/')) {
		await page.locator('#connection[data-state=live]').waitFor();
		await page.locator('#view:not([aria-busy])').waitFor();
		if (place.split('/').length > 3) await page.locator('dialog dl').first().waitFor();
	} else if (place.startsWith('/phone')) await page.locator('.bubble').first().waitFor();
	else if (place === '/docs') await page.locator('#sms\\.send').waitFor();
	else await page.locator('main button').first().waitFor();
}

test.each([
	['the accessibility rules of axe in light mode', 'light', undefined],
	['those about colors in dark mode', 'dark', COLOR_RULES],
] as const)('every page passes %s', async (_, colorScheme, rules) => {
	await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
	for (const place of places) {
		await open(place);
		const found = await inEachWidth(page, async () => await violations(page, rules), [390, 1280]);
		expect([place, found]).toEqual([place, {}]);
	}
});

test('every page has its heading and fits into each width, and no cell or amount is cut', async () => {
	for (const place of places) {
		await open(place);
		const section = sections.find(({ name }) => place === `/#/${name}`);
		if (section) expect([place, await page.locator('#title').textContent()]).toEqual([place, headings[section.name]]);
		if (place === '/#/messages') await page.locator('details.bulk > summary').click();
		const cut = await inEachWidth(page, async () => await cutElements(page), [360, ...WIDTHS]);
		expect([place, cut]).toEqual([place, {}]);
		await page.setViewportSize({ width: 1280, height: 800 });
		// Scrollbars are hidden in this browser, so only a reserved gutter leaves a plain strip beside the page.
		expect([place, await page.evaluate(() => document.body.offsetWidth)]).toEqual([place, 1280]);
	}
});

test.each([
	['GHS 1,050.00', 1050],
	['GHS 124,454.35', 124_454.35],
])('the balance %s fits into its tile at every width', async (text, balance) => {
	const wallet = await sandbox.wallet();
	await sandbox.control('POST', 'wallet/adjust', { amount: Math.round((balance - wallet.balance) * 10_000) / 10_000 });
	await open('/#/overview');
	await page.locator('.tile-value', { hasText: text }).waitFor();
	expect(await inEachWidth(page, async () => await cutElements(page))).toEqual({});
});
