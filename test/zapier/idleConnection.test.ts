import { forgetfulProxy, type ForgetfulProxy } from '../support/forgetfulProxy';
import { useSandbox } from '../support/useSandbox';
import { stubRelay } from '../support/zapier/stubRelay';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const sms = { to: '+233201234567', sender_id: 'KOFISHOP', message: 'Your order is ready.' };
const RUNS = 8;

const { sandbox, control } = useSandbox();
let proxy: ForgetfulProxy;
beforeEach(async () => {
	proxy = await forgetfulProxy(sandbox.url);
});
afterEach(() => proxy[Symbol.asyncDispose]());

const account = () => driveApp({ base_url: sandbox.baseUrl.replace(sandbox.url, proxy.url), api_key: sandbox.apiKey });

describe('after a run whose connection the network forgot', () => {
	it('sends the message of the next run', async () => {
		for (let run = 0; run < RUNS; run++) await account().run(methods.sendSms, { ...sms, message: `Order ${run}` });
		expect(await control.messages()).toHaveLength(RUNS);
	});

	it('sends all requests of the next bulk send', async () => {
		const to = Array.from({ length: 20 }, (_, index) => `+2332012345${index + 10}`);
		const inputs = { ...sms, recipients_from: 'list', to, numbers_per_request: 2 };
		for (let run = 0; run < 2; run++) {
			expect(await account().run(methods.sendBulkSms, inputs)).toMatchObject({ accepted: 20, unknown: 0 });
		}
		expect(await control.messages()).toHaveLength(40);
	});

	it('turns a Zap with an instant trigger on and off', async () => {
		await using relay = await stubRelay();
		await using between = await forgetfulProxy(relay.url);
		const connection = { base_url: sandbox.baseUrl, api_key: sandbox.apiKey, relay_token: relay.token };
		const at = (method: string) => `triggers.new_inbound_sms.operation.${method}`;
		for (let zap = 0; zap < RUNS; zap++) {
			const targetUrl = `https://hooks.zapier.com/hooks/standard/7/${zap}/`;
			const on = driveApp({ ...connection, relay_url: between.url }, { hook: { targetUrl } });
			const subscribeData = await on.run(at('performSubscribe'));
			const off = driveApp({ ...connection, relay_url: between.url }, { hook: { targetUrl, subscribeData } });
			await off.run(at('performUnsubscribe'));
		}
		expect(relay.subscriptions.size).toBe(0);
	});
});
