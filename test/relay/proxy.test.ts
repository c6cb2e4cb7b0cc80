import type { Browser, Page } from 'playwright-core';
import { openProfile, startBrowser } from '../support/e2e/browser';
import { startPrefixProxy, type PrefixProxy } from '../support/relay/prefixProxy';
import { INGEST_SECRET, RELAY_TOKEN, startRelay, type Relay } from '../support/relay/relay';
import { inbound } from '../support/relay/requests';

const json = { 'content-type': 'application/json' };

let browser: Browser;
beforeAll(async () => {
	browser = await startBrowser();
});
afterAll(async () => await browser.close());

async function logIn(page: Page, address: string): Promise<void> {
	await page.goto(address);
	await page.getByLabel('Admin token').fill(RELAY_TOKEN);
	await page.keyboard.press('Enter');
}

/** Starts a relay whose public URL is that of a proxy. Each needs the port of the other, so a first relay finds a port. */
async function startBehindProxy(): Promise<{ relay: Relay; proxy: PrefixProxy }> {
	const first = await startRelay();
	const port = Number(new URL(first.url).port);
	await first.stop();
	const proxy = await startPrefixProxy(`http://127.0.0.1:${port}`, '/relay/');
	const relay = await startRelay({ port, folder: first.folder, env: { RELAY_PUBLIC_URL: proxy.url } });
	return { relay, proxy };
}

describe('behind a proxy with a path, which replaces the Host header', () => {
	let relay: Relay;
	let proxy: PrefixProxy;
	beforeAll(async () => ({ relay, proxy } = await startBehindProxy()), 180_000);
	afterAll(async () => {
		await proxy.close();
		await relay.stop();
	});

	test('the page works, shows the public URLs, and its cookie stays below the path', async () => {
		const { context, strays } = await openProfile(browser);
		const page = await context.newPage();
		const problems: string[] = [];
		page.on('console', (message) => {
			if (message.type() === 'error') problems.push(message.text());
		});
		await logIn(page, proxy.url);
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		await page.locator('#connection[data-state=live]').waitFor();
		expect(await page.locator('#callback-url').textContent()).toBe(`${proxy.url}in/${INGEST_SECRET}`);
		expect(await page.locator('#relay-url').textContent()).toBe(proxy.url.replace(/\/$/, ''));
		expect((await context.cookies()).map(({ path }) => path)).toEqual(['/relay']);
		await page.getByRole('link', { name: 'Events', exact: true }).click();
		const message = inbound({ message: 'Through the proxy' });
		const body = JSON.stringify(message);
		const response = await fetch(`${proxy.url}in/${INGEST_SECRET}/sms`, { method: 'POST', headers: json, body });
		expect(response.status).toBe(200);
		await page.getByRole('link', { name: 'Through the proxy' }).click();
		await page.getByRole('dialog').getByText('No subscription wanted this event.').waitFor();
		expect(page.url()).toMatch(new RegExp(`^${proxy.url}#/events/evt_`));
		await page.reload();
		await page.getByRole('dialog').waitFor();
		await page.keyboard.press('Escape');
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByText('You are logged out.').waitFor();
		expect(await context.cookies()).toEqual([]);
		expect([strays, problems]).toEqual([[], []]);
		await context.close();
	});

	test('a page of another host cannot log in, and the message names the setting', async () => {
		const origin = new URL(proxy.url).origin;
		const body = JSON.stringify({ token: RELAY_TOKEN });
		const from = async (source: string) =>
			await fetch(`${proxy.url}session`, { method: 'POST', headers: { ...json, origin: source }, body });
		expect((await from(origin)).status).toBe(200);
		const rejected = await from('https://example.com');
		expect(rejected.status).toBe(403);
		expect(await rejected.text()).toContain('RELAY_PUBLIC_URL');
	});
});

describe('without RELAY_PUBLIC_URL', () => {
	test('the page shows the address that the browser uses', async () => {
		const relay = await startRelay();
		const { context } = await openProfile(browser);
		const page = await context.newPage();
		const proxy = await startPrefixProxy(relay.url, '/tools/relay/', true);
		await logIn(page, proxy.url);
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		expect(await page.locator('#callback-url').textContent()).toBe(`${proxy.url}in/${INGEST_SECRET}`);
		await context.close();
		await proxy.close();
		await relay.stop();
	});
});

test('the cookie is Secure if the browser uses https, whatever a header of a proxy says', async () => {
	const relay = await startRelay({ env: { RELAY_PUBLIC_URL: 'https://relay.example.com' } });
	const cookieOf = async (headers: Record<string, string>) => {
		const init = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify({ token: RELAY_TOKEN }) };
		return (await fetch(`${relay.url}/session`, init)).headers.get('set-cookie');
	};
	expect(await cookieOf({ origin: 'https://relay.example.com' })).toContain('; Secure');
	expect(await cookieOf({ origin: relay.url, 'x-forwarded-proto': 'https' })).not.toContain('Secure');
	expect(await cookieOf({ origin: 'http://relay.example.com', 'x-forwarded-host': 'relay.example.com' })).toBeNull();
	await relay.stop();
});
