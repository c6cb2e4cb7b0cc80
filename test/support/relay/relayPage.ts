import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod/v4';
import { openProfile } from '../e2e/browser';
import { RELAY_TOKEN, type Relay } from './relay';

const created = z.looseObject({ id: z.string() });
const newToken = created.extend({ token: z.string() });

/** The relay's page in a browser profile of its own. */
export interface RelayPage {
	readonly context: BrowserContext;
	readonly page: Page;
	/** Errors and warnings of the browser's console. */
	readonly problems: string[];
	/** Requests to other hosts. */
	readonly strays: string[];
	/** Opens a section or a record, such as `events`. */
	readonly open: (place: string) => Promise<void>;
	/** Logs in on the page. */
	readonly logIn: (token?: string) => Promise<void>;
}

/** Opens a browser profile for the page of a relay, not logged in. */
export async function openRelayPage(browser: Browser, relay: Relay): Promise<RelayPage> {
	const { context, strays } = await openProfile(browser);
	await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: relay.url });
	const page = await context.newPage();
	page.setDefaultTimeout(20_000);
	await page.emulateMedia({ reducedMotion: 'reduce' });
	const problems: string[] = [];
	page.on('console', (message) => {
		if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
	});
	page.on('pageerror', (error) => problems.push(String(error)));
	return {
		context,
		page,
		problems,
		strays,
		async open(place) {
			// A new hash alone would not load the page again.
			await page.goto('about:blank');
			await page.goto(`${relay.url}/#/${place}`);
			await page.locator('#connection[data-state=live]').waitFor();
			await page.locator('#view:not([aria-busy])').waitFor();
		},
		async logIn(token = RELAY_TOKEN) {
			await page.goto(relay.url);
			await page.getByLabel('Admin token').fill(token);
			await page.keyboard.press('Enter');
		},
	};
}

/** Creates a token. @returns it with its ID */
export async function createToken(relay: Relay, name: string, kind: string) {
	return newToken.parse(await (await relay.api('POST', '/v1/tokens', { name, kind })).json());
}

/** Creates a subscription. @returns its ID */
export async function createSubscription(relay: Relay, body: object, token?: string): Promise<string> {
	return created.parse(await (await relay.api('POST', '/v1/subscriptions', body, token)).json()).id;
}

/** Posts an event. @returns its ID */
export async function postEvent(relay: Relay, body: object, path = ''): Promise<string> {
	return created.parse(await (await relay.post(body, { path })).json()).id;
}
