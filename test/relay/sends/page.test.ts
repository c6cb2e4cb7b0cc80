import type { Browser, Page } from 'playwright-core';
import { startBrowser, takePicture } from '../../support/e2e/browser';
import { openRelayPage, type RelayPage } from '../../support/relay/relayPage';
import { startRelay, type Relay } from '../../support/relay/relay';
import { gatewayEnv, sendThrough, sms } from '../../support/relay/gateway';
import { accept, startService, type ScriptedService } from './service';

const AMA = '+233201234567';
const KOFI = '+233241234567';
const ESI = '+233209876543';

let browser: Browser;
let relay: Relay;
let service: ScriptedService;
let opened: RelayPage;
let page: Page;

beforeAll(async () => {
	service = await startService();
	[browser, relay] = await Promise.all([startBrowser(), startRelay({ env: gatewayEnv(service.baseUrl) })]);
	opened = await openRelayPage(browser, relay);
	({ page } = opened);
	await opened.logIn();
	await page.getByRole('heading', { name: 'Overview' }).waitFor();
});
afterAll(async () => {
	await browser.close();
	await relay.stop();
	await service.close();
});

test('a person settles unknown sends on the page, and the relay does as they say', async () => {
	service.respond = (response) => response.destroy();
	await sendThrough(relay, sms('For Ama', AMA), { key: 'ama' });
	await sendThrough(relay, sms('For Kofi', KOFI), { key: 'kofi' });
	service.respond = (response) => accept(response, 'msg_again');

	await relay.post({ message_id: 'msg_lost', status: 'delivered', to: AMA });
	await relay.post({ message_id: 'msg_other', status: 'delivered', to: ESI });
	await relay.post({ from: AMA, to: 'KOFISHOP', message: 'HOURS' });

	await page.getByRole('link', { name: '2 unknown sends' }).click();
	await page.getByRole('button', { name: `It arrived: ${AMA}` }).waitFor();
	await takePicture(page, 'relay-sends');
	// The evidence: the receipt of this number, and no other event.
	await page.getByRole('link', { name: `Receipts of ${AMA}` }).click();
	await page.getByRole('row').filter({ hasText: AMA }).waitFor();
	expect(await page.getByRole('row').count()).toBe(2);
	await page.goBack();
	await page.getByRole('button', { name: `It arrived: ${AMA}` }).click();
	await page.locator('#toast', { hasText: 'Settled. It is not sent again.' }).waitFor();
	await page.getByRole('link', { name: '1 unknown send', exact: true }).waitFor();

	await page.getByRole('button', { name: `Send again: ${KOFI}` }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Allow' }).click();
	await page.getByText('Nothing to settle').waitFor();
	await page.getByRole('link', { name: /unknown send/ }).waitFor({ state: 'detached' });

	const ama = await sendThrough(relay, sms('For Ama', AMA), { key: 'ama' });
	const kofi = await sendThrough(relay, sms('For Kofi', KOFI), { key: 'kofi' });
	expect([ama.isReplay, kofi.isReplay]).toEqual([true, false]);
	const sent = service.received.filter(({ url }) => url.endsWith('/sms/send'));
	expect(sent.map(({ body }) => (JSON.parse(body) as { to: string }).to)).toEqual([AMA, KOFI, KOFI]);
	expect([opened.problems, opened.strays]).toEqual([[], []]);
});

test('a number is erased from an unknown send, and the page says so', async () => {
	service.respond = (response) => response.destroy();
	await sendThrough(relay, sms('For Esi', ESI), { key: 'esi' });
	await opened.open('privacy');
	await page.getByLabel('Phone number').fill(ESI);
	await page.getByRole('button', { name: 'Erase' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
	await page.getByText(`1 recipient of ${ESI} erased.`).waitFor();
	await opened.open('sends');
	await page.getByText('Erased number').waitFor();
	expect(await page.getByText(ESI).count()).toBe(0);
	expect([opened.problems, opened.strays]).toEqual([[], []]);
});
