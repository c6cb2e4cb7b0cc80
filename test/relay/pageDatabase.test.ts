import type { Browser } from 'playwright-core';
import { startBrowser } from '../support/e2e/browser';
import { allowConnections } from '../support/relay/allowConnections';
import { useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import { openRelayPage, postEvent } from '../support/relay/relayPage';
import { inbound } from '../support/relay/requests';

let browser: Browser;
const database = useDatabase('postgres');

beforeAll(async () => {
	browser = await startBrowser();
});
afterAll(async () => await browser.close());

test('the page says that the database is away, and goes on by itself when it is back', async () => {
	const { url = '', start } = database();
	const relay = await start();
	const { context, page, logIn, problems } = await openRelayPage(browser, relay);
	await logIn();
	await page.getByText('No inbound SMS yet.').waitFor();
	const banner = page.getByRole('alert').filter({ hasText: 'The database is away.' });
	await allowConnections(url, false);
	try {
		await banner.waitFor();
		await page.getByText('The database cannot be used now. Try again in a few seconds.').waitFor();
		await page.reload();
		await page.getByRole('status').filter({ hasText: 'The database cannot be used now.' }).waitFor();
	} finally {
		await allowConnections(url, true);
	}
	await page.getByRole('heading', { name: 'Overview' }).waitFor();
	expect(await banner.count()).toBe(0);
	await postEvent(relay, inbound(), '/sms');
	await page.getByText('Last inbound SMS').waitFor();
	await context.close();
	// The browser logs each 503.
	expect(problems.filter((text) => !text.includes('503'))).toEqual([]);
});

test('an open page does not delay the end of the relay', async () => {
	const relay = await database().start();
	const { context, page, logIn } = await openRelayPage(browser, relay);
	await logIn();
	await page.locator('#connection[data-state=live]').waitFor();
	// A page that delays it would keep the connection for as long as it is open.
	await relay.stop();
	await page.locator('#connection[data-state=lost]').waitFor();
	await context.close();
});

test('an event that waits for more than ten minutes to be forwarded is an alarm', async () => {
	const service = await startReceiver();
	service.respond = () => 'hang';
	const env = { RELAY_SERVICE_URL: new URL('/api/v1', service.url).href, RELAY_FORWARD_WHATSAPP: 'true' };
	const { start, query } = database();
	const relay = await start({ env });
	const { context, page, logIn } = await openRelayPage(browser, relay);
	const alarm = (text: string) => page.getByRole('alert').filter({ hasText: text });
	try {
		await postEvent(relay, { ...inbound(), message: 'STOP' }, '/sms');
		await postEvent(relay, { ...inbound(), message: 'STOP' }, '/whatsapp');
		await query(`update relay.delivery set created_at = now() - interval '9 minutes 30 seconds'`);
		await logIn();
		await page.getByText('Last inbound SMS').waitFor();
		expect(await page.getByText('is late.').count()).toBe(0);
		await query(`update relay.delivery set created_at = now() - interval '11 minutes'`);
		await page.reload();
		await alarm('Forwarding to the service is late. An event has waited for 11 minutes.').waitFor();
		await alarm('Forwarding of WhatsApp messages is late. An event has waited for 11 minutes.').waitFor();
		await alarm('Until it works, the service misses inbound WhatsApp messages and opt-outs.').waitFor();
		await page.getByRole('link', { name: 'Forwarding Late' }).waitFor();
	} finally {
		await context.close();
		// First, because the relay waits for an attempt in flight.
		await service.close();
		await relay.stop();
	}
});

test('requests of a gateway that the relay cannot read are an alarm for a day', async () => {
	const { start, query } = database();
	const relay = await start();
	const { context, page, logIn } = await openRelayPage(browser, relay);
	const alarm = (text: string) => page.getByRole('alert').filter({ hasText: text });
	try {
		await logIn();
		await page.getByRole('heading', { name: 'Overview' }).waitFor();
		expect(await alarm('could not read').count()).toBe(0);
		await postEvent(relay, { from: '+233201234567', text: 'STOP' }, '/sms');
		await alarm('The relay could not read 1 request of your gateway in the last 24 hours.').waitFor();
		await alarm('a STOP in it does not reach the service').waitFor();
		await postEvent(relay, { from: '+233201234568', text: 'STOP' }, '/sms');
		await alarm('The relay could not read 2 requests').waitFor();
		await page.getByRole('link', { name: 'See these requests' }).click();
		await page.locator('tbody tr', { hasText: 'Unrecognized' }).nth(1).waitFor();
		await query(`update relay.event set received_at = now() - interval '25 hours' where at_inbound_url`);
		await page.getByRole('link', { name: 'Overview' }).click();
		await page.reload();
		await page.getByText('No unrecognized request for').waitFor();
		expect(await alarm('could not read').count()).toBe(0);
	} finally {
		await context.close();
		await relay.stop();
	}
});
