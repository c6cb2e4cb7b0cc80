import type { Browser, Locator, Page } from 'playwright-core';
import { z } from 'zod/v4';
import { RETRY } from '../../relay/waits';
import { startBrowser, takePicture } from '../support/e2e/browser';
import { eventually } from '../support/eventually';
import { eventWhere } from '../support/relay/api';
import { PATIENT } from '../support/relay/quick';
import { type Receiver, startReceiver } from '../support/relay/receiver';
import { createSubscription, createToken, openRelayPage, postEvent, type RelayPage } from '../support/relay/relayPage';
import { INGEST_SECRET, startRelay, type Relay } from '../support/relay/relay';

const list = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A test that starts another relay takes longer on a busy machine, in milliseconds. */
const LONG_MS = 180_000;

let browser: Browser;
let relay: Relay;
let opened: RelayPage;
let page: Page;
let receivers: Receiver[];

beforeAll(async () => {
	// The pause after the first probe is longer than a test.
	const settings = { retry: { ...RETRY, probes: [0.5, 15] } };
	[browser, relay] = await Promise.all([startBrowser(), startRelay({ settings })]);
});
afterAll(async () => {
	await browser.close();
	await relay.stop();
});

beforeEach(async () => {
	receivers = [];
	await openPage(relay);
});
afterEach(async () => {
	await opened.context.close();
	for (const receiver of receivers) await receiver.close();
	await removeSubscriptions();
	expect(opened.problems).toEqual([]);
	expect(opened.strays).toEqual([]);
});

async function openPage(of: Relay): Promise<void> {
	opened = await openRelayPage(browser, of);
	page = opened.page;
	await opened.logIn();
	await page.getByRole('heading', { name: 'Overview' }).waitFor();
}

/** Tests of the same relay get only the deliveries of their own subscriptions. */
async function removeSubscriptions(): Promise<void> {
	const { data } = list.parse(await (await relay.api('GET', '/v1/subscriptions')).json());
	for (const { id } of data) await relay.api('DELETE', `/v1/subscriptions/${id}`);
}

async function receive(): Promise<Receiver> {
	const receiver = await startReceiver();
	receivers.push(receiver);
	return receiver;
}

async function press(name: string, within: Page | Locator = page): Promise<void> {
	await within.getByRole('button', { name, exact: true }).click();
}

function row(text: string): Locator {
	return page.locator('tbody tr', { hasText: text });
}

let sent = 0;

/** An inbound message that no other test has sent. */
function newInbound() {
	sent += 1;
	return { from: '+233244000111', to: 'KOFISHOP', message: `Is shop ${sent} open on Sunday?` };
}

/** A receipt of a message that no other test has. */
function newReceipt() {
	sent += 1;
	return { event: 'message.status', message_id: `msg_${sent}_`, status: 'delivered', to: '+233201234567' };
}

test(
	'says what to do first while there are no events, subscriptions and tokens',
	async () => {
		const fresh = await startRelay();
		try {
			await opened.context.close();
			await openPage(fresh);
			await page.getByRole('heading', { name: 'Welcome.', exact: false }).waitFor();
			await page.getByText('No receipt yet.').waitFor();
			await page.getByText('Off. Inbound messages do not reach the service’s inbox').waitFor();
			await opened.open('subscriptions');
			await page.getByText('No subscriptions yet').waitFor();
			await opened.open('events');
			await page.getByText('No events yet').waitFor();
			const message = newInbound();
			await postEvent(fresh, message, '/sms');
			await row(message.message).waitFor();
			await opened.open('overview');
			await page.getByText(/^Last inbound SMS: (now|\d+ seconds? ago)$/).waitFor();
			expect(await page.getByRole('heading', { name: 'Welcome.', exact: false }).count()).toBe(0);
		} finally {
			await opened.context.close();
			await fresh.stop();
		}
	},
	LONG_MS,
);

describe('the overview', () => {
	test('copies what to paste where', async () => {
		const urls = {
			'Callback URL': `${relay.url}/in/${INGEST_SECRET}`,
			'Inbound URL': `${relay.url}/in/${INGEST_SECRET}/sms`,
			'Relay URL': relay.url,
		};
		for (const [name, url] of Object.entries(urls)) {
			await press(`Copy ${name}`);
			await page.locator('#toast', { hasText: `Copied: ${name}` }).waitFor();
			expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url);
		}
	});

	test('says for how long no receipt has arrived', async () => {
		await postEvent(relay, newReceipt());
		await page.getByText(/^Last receipt: (now|\d+ seconds? ago)$/).waitFor();
		await page.clock.setFixedTime(Date.now() + 3 * 3_600_000 + 60_000);
		await page.reload();
		await page.getByText('No receipt for 3 hours').waitFor();
	});
});

describe('the events', () => {
	test('appear when they arrive, and are found by text, number and type', async () => {
		await opened.open('events');
		const inbound = newInbound();
		await postEvent(relay, inbound, '/sms');
		await row(inbound.message).getByText('+233244000111 → KOFISHOP').waitFor();
		const receipt = newReceipt();
		await postEvent(relay, receipt);
		await row('Receipt: delivered').first().waitFor();
		await page.getByLabel('Search').fill(inbound.message.toUpperCase());
		await row('Receipt: delivered').first().waitFor({ state: 'detached' });
		await row(inbound.message).waitFor();
		await page.getByLabel('Search').fill(receipt.message_id);
		await row('Receipt: delivered').waitFor();
		expect(await row(inbound.message).count()).toBe(0);
		await page.getByLabel('Type').selectOption('sms.inbound');
		await page.getByText('No events match').waitFor();
		expect(page.url()).toContain('type=sms.inbound');
		await press('Show all');
		await row(inbound.message).waitFor();
	});

	test('grow by fifty, with a count of those that are shown', async () => {
		for (let number = 1; number <= 60; number += 1) {
			await postEvent(relay, { ...newInbound(), message: `One of sixty: ${number}` }, '/sms');
		}
		await opened.open('events?search=One of sixty');
		await page.getByText('50 shown, newest first').waitFor();
		await press('Show more');
		await page.getByText('60 shown, newest first').waitFor();
		expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
	});

	test('show the request, and each attempt of a receiver that fails', async () => {
		const inbound = newInbound();
		const failing = await receive();
		failing.respond = () => 500;
		const working = await receive();
		await createSubscription(relay, { url: failing.url, types: ['sms.inbound'], label: 'Failing' });
		await createSubscription(relay, { url: working.url, types: ['sms.inbound'], label: 'Working' });
		await postEvent(relay, inbound, '/sms');
		await opened.open('events');
		const event = row(inbound.message);
		await event.getByText('1 delivered').waitFor();
		await event.getByText('1 pending').waitFor();
		await page.getByRole('link', { name: inbound.message }).click();

		const panel = page.getByRole('dialog');
		const deliveries = panel.locator('.divided > li:has(> .panel-status)');
		const failed = deliveries.filter({ hasText: 'Failing' });
		await failed.getByText('The receiver responded 500').first().waitFor();
		await failed.getByText(/next in \d+ seconds?|next now/).waitFor();
		await deliveries.filter({ hasText: 'Working' }).getByText('200').waitFor();
		expect(await panel.getByRole('region', { name: 'Request body' }).textContent()).toBe(
			JSON.stringify(inbound, null, 2),
		);

		await takePicture(page, 'relay-event');

		failing.respond = () => 200;
		await press('Retry Failing', panel);
		await failed.getByText('200').waitFor();
		expect(failing.events()).toHaveLength(1);
		await page.keyboard.press('Escape');
		await panel.waitFor({ state: 'detached' });
		await event.getByText('2 delivered').waitFor();
		expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(inbound.message);
	});

	test('are replayed to the chosen subscription, with the same ID', async () => {
		const inbound = newInbound();
		const first = await receive();
		const second = await receive();
		await createSubscription(relay, { url: second.url, types: ['wallet.low_balance'], label: 'Second' });
		await createSubscription(relay, { url: first.url, types: ['sms.inbound'], label: 'First' });
		const id = await postEvent(relay, inbound, '/sms');
		await first.waitFor(1);
		await opened.open(`events/${id}`);
		const panel = page.getByRole('dialog');
		// The one that wants such events comes first.
		expect(await panel.getByLabel('Subscription').locator('option').allTextContents()).toEqual(['First', 'Second']);
		await panel.getByLabel('Subscription').selectOption({ label: 'Second' });
		await press('Replay', panel);
		expect((await second.waitFor(1)).map((event) => event.id)).toEqual([id]);
		expect(second.requests[0]?.headers['webhook-replay']).toBe('1');
		await panel.getByRole('link', { name: 'Second' }).waitFor();
		expect(first.requests).toHaveLength(1);
	});
});

describe('the subscriptions', () => {
	test('show their filter, health and lag, and are paused and activated', async () => {
		const inbound = newInbound();
		const receiver = await receive();
		await createSubscription(relay, {
			url: receiver.url,
			types: ['sms.inbound'],
			label: 'Order updates',
			filter: { keywords: ['none', 'MENU'], opt_outs: 'exclude' },
		});
		await opened.open('subscriptions');
		const one = row('Order updates');
		await one.getByText('keyword none or MENU, without opt-outs').waitFor();
		await one.getByText('no success yet').waitFor();
		await press('Pause Order updates');
		await one.getByText('paused').waitFor();
		await postEvent(relay, inbound, '/sms');
		await one.getByText(/oldest: \d+ seconds?/).waitFor();
		expect(receiver.requests).toEqual([]);
		await press('Activate Order updates');
		await receiver.waitFor(1);
		await one.getByText(/last success (now|\d+ seconds? ago)/).waitFor();
		await one.getByText('active', { exact: true }).waitFor();
	});

	test('say when a receiver that fails is tried again, and Retry does not wait for it', async () => {
		const receiver = await receive();
		receiver.respond = () => 503;
		const id = await createSubscription(relay, {
			url: receiver.url,
			types: ['message.status'],
			label: 'Order updates',
		});
		const events: string[] = [];
		for (let index = 0; index < 6; index += 1) events.push(await postEvent(relay, newReceipt()));
		await opened.open('subscriptions');
		const one = row('Order updates');
		await one.getByText('failing', { exact: true }).waitFor();
		await one.getByText(/events wait, next attempt in 1\d seconds/).waitFor();
		await opened.open(`subscriptions/${id}`);
		await page.getByRole('dialog').getByText('To try sooner, retry one of them.').waitFor();
		const asked = receiver.requests.length;
		receiver.respond = () => 200;
		await opened.open(`events/${events[0]}`);
		await press('Retry Order updates', page.getByRole('dialog'));
		await eventually('the retry', () => (receiver.requests.length > asked ? true : undefined), 10_000);
		await opened.open('subscriptions');
		await one.getByText('active', { exact: true }).waitFor();
	});

	test('get a test event', async () => {
		const receiver = await receive();
		const id = await createSubscription(relay, { url: receiver.url, types: ['sms.inbound'], label: 'Order updates' });
		await opened.open(`subscriptions/${id}`);
		await press('Send test event');
		expect((await receiver.waitFor(1)).map(({ type }) => type)).toEqual(['relay.test']);
	});

	test('are deleted only after a confirmation', async () => {
		const receiver = await receive();
		const id = await createSubscription(relay, { url: receiver.url, types: ['sms.inbound'], label: 'Order updates' });
		await opened.open(`subscriptions/${id}`);
		await press('Delete');
		await press('Cancel');
		expect((await relay.api('GET', `/v1/subscriptions/${id}`)).status).toBe(200);
		await press('Delete');
		await press('Delete', page.getByRole('dialog', { name: 'Delete Order updates?' }));
		await page.locator('#toast', { hasText: 'Order updates was deleted' }).waitFor();
		await page.getByRole('dialog').waitFor({ state: 'detached' });
		expect((await relay.api('GET', `/v1/subscriptions/${id}`)).status).toBe(404);
	});

	test('say before a deletion that n8n does not notice it', async () => {
		const receiver = await receive();
		const input = { url: receiver.url, types: ['sms.inbound'], label: 'Replies' };
		const { token } = await createToken(relay, 'my n8n', 'n8n');
		const id = await createSubscription(relay, input, token);
		await opened.open(`subscriptions/${id}`);
		await press('Delete');
		await page.getByRole('dialog').getByText('gets no more events until you publish it again').waitFor();
		await press('Cancel');
	});
});

describe('the tokens', () => {
	test('are created, shown once, and revoked after a confirmation', async () => {
		await opened.open('tokens');
		await page.getByLabel('Name').fill('n8n of the shop');
		await page.getByLabel('Kind').selectOption('n8n');
		await press('Create a token');
		const token = (await page.locator('#new-token').textContent()) ?? '';
		await press('Copy Token');
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(token);
		expect((await relay.api('GET', '/v1/me', undefined, token)).status).toBe(200);
		await page.keyboard.press('Escape');
		await row('n8n of the shop')
			.getByText(/now|seconds? ago/)
			.waitFor();
		expect(await page.content()).not.toContain(token);
		await press('Revoke n8n of the shop');
		await press('Revoke', page.getByRole('dialog'));
		await row('n8n of the shop').waitFor({ state: 'detached' });
		expect((await relay.api('GET', '/v1/me', undefined, token)).status).toBe(401);
	});

	test.each([
		['n8n', 'Workflows stay published in n8n, but get no more events.'],
		['zapier', 'The relay asks Zapier to turn the Zaps off.'],
		['script', 'Receivers get no more events until you register them with another token.'],
	])('say before a revocation what ends with a token of the kind %s', async (kind, sentence) => {
		const receiver = await receive();
		const { token } = await createToken(relay, `Soon revoked: ${kind}`, kind);
		const id = await createSubscription(relay, { url: receiver.url, types: ['sms.inbound'] }, token);
		await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
		await postEvent(relay, newInbound(), '/sms');
		await opened.open('tokens');
		await press(`Revoke Soon revoked: ${kind}`);
		const dialog = page.getByRole('dialog', { name: `Revoke Soon revoked: ${kind}?` });
		await dialog.getByText('1 subscription ends, and 1 pending delivery is canceled.').waitFor();
		await dialog.getByText(sentence).waitFor();
		await dialog.getByText('Sends through the relay continue.').waitFor();
		await press('Cancel', dialog);
		expect((await relay.api('GET', `/v1/subscriptions/${id}`)).status).toBe(200);
		await press(`Revoke Soon revoked: ${kind}`);
		await press('Revoke', dialog);
		await row(`Soon revoked: ${kind}`).waitFor({ state: 'detached' });
		expect((await relay.api('GET', `/v1/subscriptions/${id}`)).status).toBe(404);
	});

	test('say before the revocation of the token of the page that you are logged out', async () => {
		await opened.open('tokens');
		await press('Revoke First token');
		const dialog = page.getByRole('dialog');
		await dialog.getByText('No subscription belongs to it.').waitFor();
		await dialog.getByText('You are logged out.').waitFor();
		await press('Cancel', dialog);
	});

	test('show the relay’s words when the last admin token would go', async () => {
		await opened.open('tokens');
		await press('Revoke First token');
		await press('Revoke', page.getByRole('dialog'));
		await page.getByText('This is the last admin token. Create another one first.').waitFor();
		// The browser logs the 422.
		expect(opened.problems.splice(0)).toEqual([expect.stringContaining('422')]);
	});

	test('appear when another program creates them', async () => {
		await opened.open('tokens');
		await row('First token').waitFor();
		await createToken(relay, 'Made elsewhere', 'script');
		await row('Made elsewhere').waitFor();
	});
});

test('erases the events of a number after a confirmation, and reports how many', async () => {
	await postEvent(relay, { ...newInbound(), from: '+233244000333' }, '/sms');
	await postEvent(relay, { ...newInbound(), from: '+233244000334' }, '/sms');
	await opened.open('privacy');
	await page.getByText('Events are kept for 30 days.').waitFor();
	await page.getByLabel('Phone number').fill('+233244000333');
	await press('Erase');
	await press('Cancel');
	expect(await countEvents('+23324400033')).toBe(2);
	await press('Erase');
	await press('Erase', page.getByRole('dialog'));
	await page.getByText('1 event of +233244000333 erased.').waitFor();
	expect(await countEvents('+23324400033')).toBe(1);
	await press('Erase');
	await press('Erase', page.getByRole('dialog'));
	await page.getByText('No event or unknown send has the number +233244000333.').waitFor();
});

test(
	'alarms while forwarding to the service fails, and replays what failed',
	async () => {
		const service = await startReceiver();
		await service.close();
		const env = { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href };
		let fresh = await startRelay({ env, settings: PATIENT });
		try {
			await opened.context.close();
			await openPage(fresh);
			const id = await postEvent(fresh, { ...newInbound(), message: 'Forwarded later' }, '/sms');
			await page.getByRole('alert').filter({ hasText: 'Forwarding to the service has failed for' }).waitFor();
			await page.getByText('1 pending, 0 failed.').waitFor();
			await opened.open('tokens');
			await page.getByRole('link', { name: 'Forwarding fails' }).click();
			await page.getByRole('link', { name: 'See the forwarding' }).click();
			await page.getByRole('dialog').getByText('The relay’s own').waitFor();

			await opened.context.close();
			await fresh.stop();
			const callback = await receive();
			fresh = await startRelay({
				env: { ...env, RELAY_CALLBACK_URL: callback.url },
				folder: fresh.folder,
				// The next failure is the last one.
				settings: { retry: { ...RETRY, schedule: [] } },
			});
			await fresh.api('POST', `/v1/deliveries/sub_service:${id}/retry`);
			await eventWhere(fresh, id, ({ deliveries }) => deliveries[0]?.state === 'failed');
			const back = await startReceiver(Number(new URL(service.url).port));
			receivers.push(back);
			await openPage(fresh);
			const alarm = (text: string) => page.getByRole('alert').filter({ hasText: text });
			// A request that succeeds ends the failure, and the failed delivery stays.
			await postEvent(fresh, newInbound(), '/sms');
			await alarm('Forwarding to the service gave up 1 delivery.').waitFor();
			await fresh.api('PATCH', '/v1/subscriptions/sub_callback', { state: 'paused' });
			await alarm('Forwarding to the previous callback URL is paused.').waitFor();
			await fresh.api('PATCH', '/v1/subscriptions/sub_callback', { state: 'active' });
			await alarm('is paused.').waitFor({ state: 'detached' });
			await opened.open('subscriptions/sub_service');
			await press('Replay failed');
			await page.locator('#toast', { hasText: 'Replay of 1 event started.' }).waitFor();
			await eventually('the forwarded message', () =>
				back.requests.find(({ text }) => text.includes('Forwarded later')),
			);
			await page.getByRole('button', { name: 'Replay failed' }).waitFor({ state: 'detached' });
			await opened.open('overview');
			await alarm('Forwarding').waitFor({ state: 'detached' });
			await opened.open(`events/${id}`);
			await page.getByRole('dialog').getByText('delivered', { exact: true }).waitFor();
		} finally {
			await opened.context.close();
			await fresh.stop();
		}
	},
	LONG_MS,
);

async function countEvents(search: string): Promise<number> {
	const response = await relay.api('GET', `/v1/events?q=${encodeURIComponent(search)}`);
	return list.parse(await response.json()).data.length;
}
