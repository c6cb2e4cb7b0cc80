import { closedPort } from '../support/closedPort';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { useRelay } from '../support/zapier/useRelay';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const targetUrl = 'https://hooks.zapier.com/hooks/standard/7/1/';

describe('turning a Zap with an instant trigger on and off', () => {
	it.each([
		['new_inbound_sms', {}, 'sms.inbound', { opt_outs: 'exclude' }, 'Zapier: New Inbound SMS'],
		[
			'new_inbound_sms',
			{ to: ' KOFISHOP ', keyword: 'Hours, price list', include_opt_outs: true },
			'sms.inbound',
			{ to: ['KOFISHOP'], keywords: ['Hours', 'price list'], opt_outs: 'include' },
			'Zapier: New Inbound SMS (to KOFISHOP, keywords Hours price list)',
		],
		[
			'new_inbound_whatsapp_message',
			{ to: '', keyword: '', include_opt_outs: 'false' },
			'whatsapp.inbound',
			{ opt_outs: 'exclude' },
			'Zapier: New Inbound WhatsApp Message',
		],
		[
			'new_inbound_sms',
			{ to: ['KOFISHOP', '1404'], keyword: ['Hours'] },
			'sms.inbound',
			{ to: ['KOFISHOP', '1404'], keywords: ['Hours'], opt_outs: 'exclude' },
			'Zapier: New Inbound SMS (to KOFISHOP 1404, keywords Hours)',
		],
		[
			'message_status_updated',
			{ statuses: 'Delivered,failed' },
			'message.status',
			{ statuses: ['delivered', 'failed'] },
			'Zapier: Message Status Updated (statuses delivered failed)',
		],
		[
			'message_status_updated',
			{},
			'message.status',
			{ statuses: ['delivered', 'failed'] },
			'Zapier: Message Status Updated (statuses delivered failed)',
		],
		[
			'message_status_updated',
			{ statuses: ['Sent', ''], channel: 'whatsapp' },
			'message.status',
			{ statuses: ['sent'], channels: ['whatsapp'] },
			'Zapier: Message Status Updated (statuses sent, channels whatsapp)',
		],
	])('subscribes %s with %j', async (trigger, inputs, type, filter, label) => {
		const subscribeData = await used.drive({ targetUrl }).run(trigger, 'performSubscribe', inputs);
		const [stored] = [...used.relay.subscriptions.values()];
		expect(stored).toMatchObject({ url: targetUrl, types: [type], label });
		expect(stored?.filter).toEqual(filter);
		expect(subscribeData).toEqual({ id: stored?.id, secret: stored?.secret });
		expect(used.relay.received.map(({ call }) => call)).toEqual(['POST /v1/subscriptions']);
	});

	it.each([
		['stop', 'stop', 'include'],
		['STOPALL', 'stop', 'include'],
		['Start', 'start', 'exclude'],
		['help', 'help', 'exclude'],
		['INFO', 'INFO', 'exclude'],
		['None', 'none', 'exclude'],
	])('asks the relay for the keyword “%s” as %s', async (typed, keyword, opt_outs) => {
		await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe', { keyword: typed });
		expect([...used.relay.subscriptions.values()][0]?.filter).toEqual({ keywords: [keyword], opt_outs });
	});

	it('shortens a long label', async () => {
		await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe', { keyword: 'A'.repeat(300) });
		expect([...used.relay.subscriptions.values()][0]?.label).toHaveLength(100);
	});

	it.each(['', 'A'])('leaves no half of an emoji in a long label that begins with “%s”', async (start) => {
		await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe', { keyword: start + '🛒'.repeat(100) });
		expect([...used.relay.subscriptions.values()][0]?.label?.isWellFormed()).toBe(true);
	});

	it('sends the token to the relay only, and the API key not to the relay', async () => {
		const subscribeData = await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe');
		await used.drive().run('new_inbound_sms', 'performList');
		await used.drive({ subscribeData }).run('new_inbound_sms', 'performUnsubscribe');
		await driveApp(used.account()).run(methods.test);
		expect(used.relay.received).toHaveLength(4);
		for (const { headers } of used.relay.received) {
			expect(headers.authorization).toBe(`Bearer ${used.relay.token}`);
			expect(JSON.stringify(headers)).not.toContain(sandbox.apiKey);
		}
		const toService = await control.requests();
		expect(toService).toHaveLength(1);
		expect(JSON.stringify(toService)).not.toContain(used.relay.token);
	});

	it.each(['X-API-Key', 'Authorization'])(
		'keeps the API key in %s away from a relay with the origin of the service',
		async (header) => {
			const oneOrigin = { base_url: `${used.relay.url}/api/v1/`, api_key: 'sk_1', header };
			await used.drive({ targetUrl }, oneOrigin).run('new_inbound_sms', 'performSubscribe');
			expect(used.relay.received[0]?.headers.authorization).toBe(`Bearer ${used.relay.token}`);
			expect(JSON.stringify(used.relay.received)).not.toContain('sk_1');
		},
	);

	it('has one subscription if Zapier subscribes the same Zap twice', async () => {
		const first = await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe', { keyword: 'HOURS' });
		const second = await used.drive({ targetUrl }).run('new_inbound_sms', 'performSubscribe', { keyword: 'HOURS' });
		expect(second).toEqual(first);
		expect(used.relay.subscriptions.size).toBe(1);
	});

	it.each([204, 404, 410])('turns off if the relay responds %i', async (status) => {
		await using other = await stubServer({ status });
		const gone = used.drive(
			{ subscribeData: { id: 'sub_1', secret: SECRET } },
			{ relay_url: new URL(other.baseUrl).origin },
		);
		expect(await gone.run('new_inbound_sms', 'performUnsubscribe')).toEqual({});
		expect(other.received.map(({ method, url }) => [method, url])).toEqual([['DELETE', '/v1/subscriptions/sub_1']]);
	});

	it('turns off a Zap that was never subscribed, without a request', async () => {
		expect(await used.drive().run('new_inbound_sms', 'performUnsubscribe')).toEqual({});
		expect(used.relay.received).toEqual([]);
	});

	it('fails to turn off if the relay is down or has an error', async () => {
		const subscribeData = { id: 'sub_1', secret: SECRET };
		const down = used.drive({ subscribeData }, { relay_url: `http://127.0.0.1:${await closedPort()}` });
		expect(await down.failure('new_inbound_sms', 'performUnsubscribe')).toMatchObject({
			name: 'AppError',
			code: 'ECONNREFUSED',
			message: expect.stringMatching(/^Relay URL could not be reached: nothing listens/) as string,
		});
		await using busy = await stubServer({ status: 503, body: '' });
		const failed = used.drive({ subscribeData }, { relay_url: new URL(busy.baseUrl).origin });
		expect(await failed.failure('new_inbound_sms', 'performUnsubscribe')).toMatchObject({
			name: 'AppError',
			status: 503,
		});
	});

	it('shows the words of a relay that does not allow the URL of the Zap', async () => {
		const error = { code: 'url_blocked', message: 'This token may only use hooks.zapier.com' };
		await using strict = await stubServer({ status: 422, body: JSON.stringify({ error }) });
		const blocked = used.drive({ targetUrl }, { relay_url: new URL(strict.baseUrl).origin });
		expect(await blocked.failure('new_inbound_sms', 'performSubscribe')).toEqual({
			name: 'AppError',
			code: 'url_blocked',
			status: 422,
			message: 'The relay reports: This token may only use hooks.zapier.com. (code url_blocked, HTTP 422)',
		});
	});
});

describe('instant triggers without a working relay', () => {
	const triggers = ['new_inbound_sms', 'message_status_updated', 'new_inbound_whatsapp_message'];
	const perform = ['performSubscribe', 'performUnsubscribe', 'performList'];
	const each = triggers.flatMap((trigger) => perform.map((method) => [trigger, method] as const));
	const hook = {
		targetUrl: 'https://hooks.zapier.com/hooks/standard/7/1/',
		subscribeData: { id: 'sub_1', secret: 'whsec_1' },
	};

	it.each(each)('%s: %s says in one sentence that it needs a relay', async (trigger, method) => {
		const failed = await used.drive(hook, { relay_url: '', relay_token: '' }).failure(trigger, method);
		expect(failed).toMatchObject({ name: 'AppError', code: 'InvalidConnection', status: 400 });
		expect(failed.message).toMatch(/^This trigger needs a relay: [^.]+\. See https:\/\/\S+$/);
	});

	it.each(each)('%s: %s never expires the connection', async (trigger, method) => {
		const failures = [
			await used.drive(hook, { relay_token: 'rly_other' }).failure(trigger, method),
			await used.drive(hook, { relay_token: '' }).failure(trigger, method),
			await used.drive(hook, { relay_url: 'http://relay.example' }).failure(trigger, method),
			await used.drive(hook, { relay_url: `http://127.0.0.1:${await closedPort()}` }).failure(trigger, method),
		];
		expect(failures.map(({ name }) => name)).toEqual(['AppError', 'AppError', 'AppError', 'AppError']);
		const fields = failures.map(({ message }) => /Relay (URL|Token)/.exec(message)?.[0]);
		expect(fields).toEqual(['Relay Token', 'Relay Token', 'Relay URL', 'Relay URL']);
	});
});
