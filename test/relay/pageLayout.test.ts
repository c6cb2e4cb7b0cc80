import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/e2e/browser';
import { cutElements, violations, WIDTHS } from '../support/e2e/pageChecks';
import { eventually } from '../support/eventually';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import { createSubscription, createToken, openRelayPage, postEvent, type RelayPage } from '../support/relay/relayPage';
import { startRelay, type Relay } from '../support/relay/relay';

let browser: Browser;
let relay: Relay;
let receiver: Receiver;
let opened: RelayPage;
/** Every section and side panel. */
let places: string[];

beforeAll(async () => {
	receiver = await startReceiver();
	receiver.respond = () => 500;
	const env = { RELAY_SERVICE_URL: 'http://127.0.0.1:9/api/v1' };
	[browser, relay] = await Promise.all([startBrowser(), startRelay({ env })]);
	places = await fill();
	opened = await openRelayPage(browser, relay);
	await opened.logIn();
	await opened.page.getByRole('heading', { name: 'Overview' }).waitFor();
});
afterAll(async () => {
	await browser.close();
	await relay.stop();
	await receiver.close();
});

/** Fills the relay with long content of every kind. @returns every section and side panel */
async function fill(): Promise<string[]> {
	const long = `${'Donaudampfschifffahrt'.repeat(3)} and then some words`;
	const { token } = await createToken(relay, long, 'n8n');
	const path = `/webhook/0b1c7d9e-0000-4000-8000-0000000007bcef/${'k3J9'.repeat(40)}`;
	const words = Array.from({ length: 20 }, (_, index) => `KEYWORD${index}`);
	const subscription = await createSubscription(
		relay,
		{
			url: new URL(path, receiver.url).href,
			types: ['sms.inbound', 'whatsapp.inbound', 'message.status', 'wallet.low_balance', 'unrecognized'],
			reference: `n8n/${'a'.repeat(100)}/${'b'.repeat(100)}`,
			filter: { statuses: ['delivered', 'failed'], keywords: ['none', ...words], opt_outs: 'exclude' },
		},
		token,
	);
	await createSubscription(relay, { url: receiver.url, types: ['message.status'], label: long });
	const receipt = { event: 'message.status', message_id: 'm'.repeat(100), status: 'delivered', to: '+233201234567' };
	const event = await postEvent(relay, receipt);
	await postEvent(relay, { from: '+233244000111', to: 'KOFISHOP', message: long.repeat(10) }, '/sms');
	await postEvent(relay, { event: 'wallet.low_balance', balance: 4.2, threshold: 5, currency: 'GHS' });
	await postEvent(relay, { color: 'blue'.repeat(100) });
	await eventually('the attempts', () => (receiver.requests.length >= 2 ? true : undefined));
	return [
		'overview',
		'events',
		`events/${event}`,
		'subscriptions',
		`subscriptions/${subscription}`,
		'sends',
		'tokens',
		'privacy',
		'events?search=nothing-has-this',
	];
}

async function open(place: string): Promise<void> {
	await opened.open(place);
	if (place.includes('/')) await opened.page.locator('dialog dl').first().waitFor();
}

/** Each width and each mode once. */
const LOOKS = [
	{ width: 390, colorScheme: 'light' },
	{ width: 1280, colorScheme: 'dark' },
] as const;

test('every section passes the accessibility rules of axe in both modes', async () => {
	const { page } = opened;
	for (const place of places) {
		await open(place);
		for (const { width, colorScheme } of LOOKS) {
			await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
			await page.setViewportSize({ width, height: 800 });
			expect([place, width, await violations(page)]).toEqual([place, width, []]);
		}
	}
});

test('the login passes the accessibility rules of axe in both modes', async () => {
	const { page, context } = await openRelayPage(browser, relay);
	await page.goto(relay.url);
	await page.getByLabel('Admin token').waitFor();
	for (const { colorScheme } of LOOKS) {
		await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
		expect([colorScheme, await violations(page)]).toEqual([colorScheme, []]);
	}
	await context.close();
});

test('every section fits into every width, and no cell is cut', async () => {
	const { page } = opened;
	for (const place of places) {
		await open(place);
		for (const width of WIDTHS) {
			await page.setViewportSize({ width, height: 800 });
			// A table becomes cards a moment after the width changed.
			const cut = await eventually('the layout', async () => {
				const found = await cutElements(page);
				return found.length === 0 ? found : undefined;
			}).catch(async () => await cutElements(page));
			expect([place, width, cut]).toEqual([place, width, []]);
		}
	}
});

test('the keyboard reaches the menu of a narrow page, a section, and a record', async () => {
	const { page } = opened;
	await page.setViewportSize({ width: 390, height: 800 });
	await open('overview');
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
	await page.getByRole('button', { name: 'Menu' }).press('Enter');
	await page.getByRole('link', { name: 'Subscriptions', exact: true }).press('Enter');
	await page.waitForFunction(() => document.activeElement?.textContent === 'Subscriptions');
	await page.locator('tbody a').first().press('Enter');
	await page.getByRole('dialog', { name: 'Subscription' }).waitFor();
	expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Subscription');
	await page.keyboard.press('Escape');
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	expect(await page.evaluate(() => document.activeElement?.closest('tbody') !== null)).toBe(true);
});
