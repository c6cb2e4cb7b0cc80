import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { z } from 'zod/v4';
import { startBrowser } from '../support/e2e/browser';
import { createToken, openRelayPage, type RelayPage } from '../support/relay/relayPage';
import { RELAY_TOKEN, startRelay, type Relay } from '../support/relay/relay';

const tokenList = z.object({ data: z.array(z.object({ name: z.string() })) });

let browser: Browser;
let relay: Relay;
let opened: RelayPage;

beforeAll(async () => {
	[browser, relay] = await Promise.all([startBrowser(), startRelay()]);
});
afterAll(async () => {
	await browser.close();
	await relay.stop();
});
beforeEach(async () => {
	opened = await openRelayPage(browser, relay);
});
afterEach(async () => {
	await opened.context.close();
	expect(opened.strays).toEqual([]);
});

/** Logs in without a browser. @returns the cookie for later requests */
async function logIn(token = RELAY_TOKEN): Promise<{ response: Response; cookie: string; setCookie: string }> {
	const response = await fetch(`${relay.url}/session`, {
		method: 'POST',
		headers: { origin: relay.url, 'content-type': 'application/json' },
		body: JSON.stringify({ token }),
	});
	const setCookie = response.headers.get('set-cookie') ?? '';
	return { response, cookie: setCookie.split(';')[0] ?? '', setCookie };
}

async function createWithCookie(cookie: string, headers: Record<string, string>): Promise<number> {
	const response = await fetch(`${relay.url}/v1/tokens`, {
		method: 'POST',
		headers: { cookie, 'content-type': 'application/json', ...headers },
		body: JSON.stringify({ name: 'Made with the cookie', kind: 'script' }),
	});
	return response.status;
}

async function tokenNames(): Promise<string[]> {
	const { data } = tokenList.parse(await (await relay.api('GET', '/v1/tokens')).json());
	return data.map(({ name }) => name);
}

describe('the login of the relay’s page', () => {
	test('opens the page with an admin token, keeps no token, and stays open after a reload', async () => {
		const { page, context, logIn: enter, problems } = opened;
		await enter();
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		expect(await page.evaluate(() => document.activeElement?.id)).toBe('title');
		await page.reload();
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
		expect(stored).toBe('[{},{},""]');
		expect(JSON.stringify(await context.cookies())).not.toContain(RELAY_TOKEN);
		expect(problems).toEqual([]);
	});

	test('shows the relay’s words after a wrong token, and keeps the input', async () => {
		const { page, logIn: enter } = opened;
		await enter('rly_wrong_token_000000000000000000');
		await page.getByText('This token is wrong or revoked. Paste an admin token.').waitFor();
		expect(await page.getByLabel('Admin token').inputValue()).toBe('rly_wrong_token_000000000000000000');
	});

	test('rejects a token that is not an admin token, and names its kind', async () => {
		const { token } = await createToken(relay, 'Zap', 'zapier');
		await opened.logIn(token);
		await opened.page.getByText('This is a token of kind zapier. The page needs an admin token.').waitFor();
	});

	test('asks for a token before it sends an empty field', async () => {
		await opened.logIn('');
		await opened.page.getByText('This field is empty. Fill it in.').waitFor();
	});

	test('ends with Log out', async () => {
		const { page, context, logIn: enter } = opened;
		await enter();
		await page.getByRole('button', { name: 'Log out' }).waitFor();
		const kept = await context.cookies();
		await page.getByRole('button', { name: 'Log out' }).click();
		await page.getByText('You are logged out.').waitFor();
		expect(await context.cookies()).toEqual([]);
		const cookie = kept.map(({ name, value }) => `${name}=${value}`).join('; ');
		expect((await fetch(`${relay.url}/v1/me`, { headers: { cookie } })).status).toBe(401);
		await page.reload();
		await page.getByLabel('Admin token').waitFor();
	});

	test('ends in every open page when its token is revoked', async () => {
		const { id, token } = await createToken(relay, 'For a while', 'admin');
		const { page, logIn: enter } = opened;
		await enter(token);
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		await relay.api('DELETE', `/v1/tokens/${id}`);
		await page.getByText('Your session ended, or its token was revoked. Log in again.').waitFor();
		expect(await page.evaluate(async () => (await fetch('/v1/me')).status)).toBe(401);
	});

	test('ends if its token is revoked before the page gets the stream of changes', async () => {
		const { id, token } = await createToken(relay, 'For a moment', 'admin');
		const { page, logIn: enter } = opened;
		let release: () => void = () => undefined;
		const revoked = new Promise<void>((resolve) => (release = resolve));
		await page.route('**/v1/stream', async (route) => {
			await revoked;
			await route.continue();
		});
		const read = page.waitForResponse((response) => response.url().includes('/v1/status'));
		await enter(token);
		await read;
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		await relay.api('DELETE', `/v1/tokens/${id}`);
		release();
		await page.getByText('Your session ended, or its token was revoked. Log in again.').waitFor();
	});
});

describe('the cookie of the relay’s page', () => {
	test('is out of reach of scripts and other sites, expires, and does not contain the token', async () => {
		const { response, setCookie } = await logIn();
		expect(response.status).toBe(200);
		expect(setCookie).toMatch(/^relay_session=[^;]+; Max-Age=43200; HttpOnly; SameSite=Strict$/);
		expect(setCookie).not.toContain(RELAY_TOKEN);
	});

	test('authenticates reads, and writes of the relay’s own origin only', async () => {
		const { cookie } = await logIn();
		expect((await fetch(`${relay.url}/v1/me`, { headers: { cookie } })).status).toBe(200);
		expect(await createWithCookie(cookie, {})).toBe(403);
		expect(await createWithCookie(cookie, { origin: 'null' })).toBe(403);
		expect(await createWithCookie(cookie, { origin: 'http://127.0.0.1:1' })).toBe(403);
		expect(await createWithCookie(cookie, { origin: `${relay.url}.example` })).toBe(403);
		expect(await createWithCookie(cookie, { origin: relay.url })).toBe(201);
	});

	test('is worthless after its session ended, and other sessions of the token continue', async () => {
		const [ended, other] = [await logIn(), await logIn()];
		const status = async (cookie: string) => (await fetch(`${relay.url}/v1/me`, { headers: { cookie } })).status;
		const headers = { cookie: ended.cookie, origin: relay.url };
		expect((await fetch(`${relay.url}/session`, { method: 'DELETE', headers })).status).toBe(204);
		expect([await status(ended.cookie), await status(other.cookie)]).toEqual([401, 200]);
	});

	test('is worthless after its token is revoked', async () => {
		const { id, token } = await createToken(relay, 'Soon revoked', 'admin');
		const { cookie } = await logIn(token);
		await relay.api('DELETE', `/v1/tokens/${id}`);
		expect((await fetch(`${relay.url}/v1/me`, { headers: { cookie } })).status).toBe(401);
	});

	test('is worthless after a change', async () => {
		const { cookie } = await logIn();
		const [name = '', value = ''] = cookie.split('=');
		const changed = `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`;
		for (const wrong of [changed, 'x', '', RELAY_TOKEN]) {
			const response = await fetch(`${relay.url}/v1/me`, { headers: { cookie: `${name}=${wrong}` } });
			expect([wrong, response.status]).toEqual([wrong, 401]);
		}
	});

	test('does not replace a wrong bearer token', async () => {
		const { cookie } = await logIn();
		const headers = { cookie, authorization: 'Bearer rly_wrong' };
		expect((await fetch(`${relay.url}/v1/me`, { headers })).status).toBe(401);
	});

	test('is not given to a login from another origin', async () => {
		const response = await fetch(`${relay.url}/session`, {
			method: 'POST',
			headers: { origin: 'http://127.0.0.1:1' },
			body: JSON.stringify({ token: RELAY_TOKEN }),
		});
		expect(response.status).toBe(403);
		expect(response.headers.get('set-cookie')).toBeNull();
	});

	test('does nothing for a page on another port of this machine, which is the same site', async () => {
		const { page, logIn: enter } = opened;
		await enter();
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		const attacker = await startAttacker();
		try {
			await page.goto(`http://127.0.0.1:${(attacker.address() as AddressInfo).port}/`);
			const sent = page.waitForResponse(`${relay.url}/v1/tokens`);
			await page.evaluate(async (url) => {
				const body = '{"name":"Forged","kind":"admin"}';
				await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', body });
			}, `${relay.url}/v1/tokens`);
			expect((await sent).status()).toBe(403);
		} finally {
			attacker.close();
			attacker.closeAllConnections();
		}
		expect(await tokenNames()).not.toContain('Forged');
	});
});

/** Starts a server with an empty page. */
async function startAttacker(): Promise<Server> {
	const server = createServer((_request, response) => {
		response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Other page</title>');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return server;
}
