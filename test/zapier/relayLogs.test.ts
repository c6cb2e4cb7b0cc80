import { inspect } from 'node:util';
import { stubServer } from '../support/stubServer';
import { useSandbox } from '../support/useSandbox';
import { signedHeaders } from '../support/zapier/stubRelay';
import { useRelay } from '../support/zapier/useRelay';
import { executeEvent, handler, methods, type Account, type Surroundings } from '../support/zapier/zapierTestApp';

const { sandbox } = useSandbox();
const used = useRelay(() => ({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey }));

const hook = { targetUrl: 'https://hooks.zapier.com/hooks/standard/7/1/' };
const inbound = {
	from: '+233201234567',
	to: 'KOFISHOP',
	message: 'My PIN is 482913',
	message_id: 'in_1',
	keyword: null,
};
const PRIVATE = ['+233201234567', '201234567', '482913'];

/** Runs a method of New Inbound SMS, or another. @returns its error, and everything that Zapier's core logs */
async function logged(method: string, hook: Surroundings['hook'], more: Account = {}) {
	const lines: Array<{ readonly text: string; readonly data: { readonly log_type: string } }> = [];
	const at = method === methods.test ? method : `triggers.new_inbound_sms.operation.${method}`;
	const customLogger = (text: string, data: { readonly log_type: string }) => lines.push({ text, data });
	const event = { ...executeEvent(at, { ...used.account(), ...more }, {}, { hook }), customLogger };
	const ending = await handler(event).then(
		({ results }) => ({ results }),
		(error: unknown) => ({ error }),
	);
	const { results, error } = { results: undefined, error: undefined, ...ending };
	if (error !== undefined && !(error instanceof Error)) throw new Error('Zapier throws only errors');
	const own = lines.filter(({ data }) => data.log_type !== 'http');
	const shown = [error?.message, error?.stack, ...own.map((line) => inspect(line, { depth: 9 }))].join('\n');
	return { results, error, shown, http: inspect(lines, { depth: 9 }) };
}

/** What a relay or website may repeat of a request in its response. */
const echo = () => {
	const message = `Not now, ${used.relay.token}`;
	return JSON.stringify({ error: { code: 'unavailable', message } });
};

describe("Zapier's log of a relay", () => {
	it('contains neither the token nor the secret when a Zap is turned on and off', async () => {
		const on = await logged('performSubscribe', hook);
		const { secret } = [...used.relay.subscriptions.values()][0] ?? { secret: '' };
		const off = await logged('performUnsubscribe', { ...hook, subscribeData: on.results });
		const tested = await logged(methods.test, {});
		expect(on.results).toMatchObject({ secret: expect.stringMatching(/^whsec_.{44}$/) as string });
		for (const { error, http } of [on, off, tested]) {
			expect(error).toBeUndefined();
			expect(http).toContain('/v1/');
			for (const hidden of [used.relay.token, secret, secret.slice(6), sandbox.apiKey]) {
				expect(http).not.toContain(hidden);
			}
		}
	});

	it.each(['performSubscribe', 'performUnsubscribe', 'performList', methods.test])(
		'contains no token that the relay repeats in an error of %s',
		async (method) => {
			await using other = await stubServer({ status: 503, body: echo() });
			const relay_url = new URL(other.baseUrl).origin;
			const base = { ...hook, subscribeData: { id: 'sub_1', secret: 'whsec_1' } };
			const { error, shown, http } = await logged(method, base, { relay_url, relay_token: ` ${used.relay.token}\n` });
			expect(error?.message).toContain('Not now, rly_…');
			for (const text of [shown, http]) expect(text).not.toContain(used.relay.token);
		},
	);

	it('contains no message, number or secret of a delivery with a wrong signature', async () => {
		const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
		const timestamp = '2026-11-20T09:00:00.000Z';
		const content = JSON.stringify({ id: 'evt_1', type: 'sms.inbound', timestamp, sequence: 1, data: inbound });
		const headers = { ...signedHeaders(secret, 'evt_1', content), 'webhook-id': 'evt_2' };
		const rawRequest = { headers, content };
		const failed = await logged('perform', {
			rawRequest,
			cleanedRequest: JSON.parse(content),
			subscribeData: { id: 's', secret },
		});
		expect(failed.error?.name).toBe('HaltedError');
		for (const hidden of [...PRIVATE, secret, used.relay.token]) {
			expect(failed.shown).not.toContain(hidden);
			expect(failed.http).not.toContain(hidden);
		}
	});

	it('contains no message or number of the events, if reading them fails', async () => {
		await used.relay.publish('sms.inbound', inbound);
		const body = JSON.stringify({ events: [inbound] });
		await using other = await stubServer({ status: 200, body });
		const failed = await logged('performList', {}, { relay_url: new URL(other.baseUrl).origin });
		expect(failed.error?.message).toContain('not like a relay');
		for (const hidden of PRIVATE) expect(failed.shown).not.toContain(hidden);
	});
});
