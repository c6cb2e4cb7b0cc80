import type { Browser, BrowserContext, Page } from 'playwright-core';
import { startSandbox } from '../../../sandbox/server';
import { openGoogle, type Google } from '../thirdParty/google';
import type { Sheet } from '../thirdParty/google/sheets';
import type { Hosts } from '../thirdParty/proxy';
import { openProfile, startBrowser } from './browser';
import { chosenSheet } from './chosenSheet';
import { connectGoogle } from './connectGoogle';
import { importExample, type Example, type ExampleNode, type Importer } from './exampleWorkflow';
import type { N8nApi } from './n8nApi';
import type { N8nAccess } from './n8nServer';
import { openSandboxView, type SandboxView, type SentMessage } from './sandboxView';
import { openSharedN8n } from './sharedN8n';

/** The choices of a user after the import of an example. */
export interface Choices {
	/** The spreadsheet of the template. */
	readonly sheet?: Sheet;
	/** Other parameters of a node. */
	readonly chosen?: (node: ExampleNode) => object;
	/** IDs of other credentials by their type. */
	readonly credentials?: Importer['credentials'];
}

/** The messages of a run, oldest first, and the amount that left the wallet. */
export interface Sent {
	readonly messages: SentMessage[];
	readonly paid: number;
}

/** Another company that the templates use, beside Google. */
export interface OtherCompany {
	/** The stand-ins of its hosts. */
	readonly hosts: Hosts;
	/** The data of its credential by n8n's type, such as `shopifyAccessTokenApi`. */
	readonly credential: Readonly<Record<string, object>>;
}

/** The shared n8n with a sandbox and stand-ins of other companies, and with a credential for each. */
export interface TemplateStage {
	readonly server: N8nAccess;
	readonly n8n: N8nApi;
	readonly sandbox: SandboxView;
	readonly google: Google;
	/** Imports an example and makes the choices of its blue note. */
	readonly set: (name: string, choices?: Choices) => Promise<Example>;
	/** Does something, and returns the messages that it sent. */
	readonly sentDuring: (act: () => Promise<unknown>) => Promise<Sent>;
	/** The same while the wallet has this balance. Afterwards, the difference goes back. */
	readonly sentWithBalance: (balance: number, act: () => Promise<unknown>) => Promise<Sent>;
	/** Sends a message to the shop from a phone, and waits until the example that receives it is done. */
	readonly textIn: (receiver: Example, from: string, message: string) => Promise<void>;
	/**
	 * Opens the browser of a customer, which can reach only this machine.
	 * @returns `strays` collects the URLs of blocked requests
	 */
	readonly openCustomer: () => Promise<{ readonly context: BrowserContext; readonly strays: readonly string[] }>;
	/** Opens a browser page that is logged in to n8n. */
	readonly openEditor: () => Promise<Page>;
	/**
	 * Stops everything but n8n.
	 * @returns the hosts that n8n asked for and that have no stand-in
	 */
	readonly close: () => Promise<readonly string[]>;
}

/**
 * Opens the surroundings of templates.
 * @param others companies beside Google
 */
export async function openTemplateStage(...others: readonly OtherCompany[]): Promise<TemplateStage> {
	const google = openGoogle();
	const hosts = [google, ...others].flatMap((company) => Object.entries(company.hosts));
	const running = await startSandbox({ clock: 'running' });
	const sandbox = openSandboxView(running.url);
	const server = await openSharedN8n(Object.fromEntries(hosts));
	const { n8n } = server;
	const { editor } = server;
	const { baseUrl, apiKey } = running;
	const credentials: Record<string, string> = {};
	for (const one of [{ messagingServiceApi: { baseUrl, apiKey } }, ...others.map(({ credential }) => credential)]) {
		for (const [type, data] of Object.entries(one)) {
			credentials[type] = (await n8n.call<{ id: string }>('POST', '/credentials', { name: type, type, data })).id;
		}
	}
	for (const type of ['googleSheetsOAuth2Api', 'googleCalendarOAuth2Api']) {
		credentials[type] = await connectGoogle(editor, google.account, type);
	}
	const importer: Importer = { n8n, n8nUrl: server.url, editor, credentials };
	let browser: Browser | undefined;
	const openNewProfile = async () => {
		browser ??= await startBrowser();
		return await openProfile(browser);
	};

	async function sentDuring(act: () => Promise<unknown>): Promise<Sent> {
		const before = new Set((await sandbox.messages()).map((message) => message.message_id));
		const balance = await sandbox.balance();
		await act();
		const messages = (await sandbox.messages()).filter((message) => !before.has(message.message_id)).reverse();
		return { messages, paid: Number((balance - (await sandbox.balance())).toFixed(4)) };
	}

	return {
		server,
		n8n,
		sandbox,
		google,
		async set(name, { sheet, chosen, credentials: own } = {}) {
			const choose = (node: ExampleNode) => ({
				...(node.type.endsWith('.googleCalendar') && {
					calendar: { __rl: true, mode: 'list', value: google.calendar.id },
				}),
				...chosen?.(node),
				...(sheet && chosenSheet(node, sheet)),
			});
			return await importExample(name, { ...importer, credentials: { ...credentials, ...own }, chosen: choose });
		},
		sentDuring,
		async sentWithBalance(balance, act) {
			const more = balance - (await sandbox.balance());
			const adjust = async (amount: number) =>
				await sandbox.control('POST', '/wallet/adjust', { amount: Number(amount.toFixed(4)) });
			await adjust(more);
			try {
				return await sentDuring(act);
			} finally {
				await adjust(-more);
			}
		},
		async textIn(receiver, from, message) {
			const trigger = 'When a message arrives';
			await sandbox.control('PUT', '/settings', { inbound_url: receiver.urlOf(trigger) });
			await receiver.startedBy(trigger, async () => await sandbox.text(from, 'KOFISHOP', message));
		},
		openCustomer: openNewProfile,
		async openEditor() {
			const { context } = await openNewProfile();
			const { url } = server;
			await context.addCookies(Object.entries(server.session).map(([name, value]) => ({ name, value, url })));
			const page = await context.newPage();
			await page.goto(url);
			await page.waitForURL(/\/home\//);
			return page;
		},
		async close() {
			await browser?.close();
			await running.stop();
			return await server.close();
		},
	};
}
