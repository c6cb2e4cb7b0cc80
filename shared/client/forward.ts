import { z } from 'zod/v4';
import { endpoint } from '../contract/endpoint';
import type { HttpResponse, Transport } from '../transport';
import { parseJson } from '../reading/json';
import { successFlag } from '../reading/response';
import { call } from './call';
import type { Outcome } from './outcome';
import { API_SUFFIX, parseBaseUrl } from './request';

/**
 * An inbound message as the service's webhook expects it (docs/api.md#inbound-sms-webhook).
 * @example const inbound: ForwardedMessage = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' };
 */
export interface ForwardedMessage {
	readonly from: string;
	readonly to: string;
	readonly message: string;
}

const PATHS = { sms: '/webhooks/inbound/sms', whatsapp: '/webhooks/whatsapp/inbound' } as const;

/** Not in the contract's table, because it is outside the API's prefix and takes no key (docs/api.md#inbound-sms-webhook). */
const inboundWebhook = endpoint({
	id: 'inbound.forward',
	method: 'POST',
	path: PATHS.sms,
	summary: 'Forward an inbound message to the service',
	input: z.object({ From: z.string(), To: z.string(), Message: z.string() }),
	output: z.looseObject({}),
	response: { kind: 'record' },
	// A repeat may show the message twice in the inbox, which is better than a lost opt-out.
	repeat: 'safe',
	charges: false,
	errors: ['validation'],
	example: { input: { From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' }, output: {} },
});

/**
 * The URL of the service's own webhook for inbound messages (docs/api.md#inbound-sms-webhook,
 * docs/api.md#inbound-whatsapp-webhook).
 * @param baseUrl as in the credential
 * @param options about plain http, as for {@link parseBaseUrl}
 * @returns undefined if the base URL is not valid
 * @example inboundWebhookUrl('https://sms.example/api/v1/', key) // 'https://sms.example/webhooks/inbound/sms'
 */
export function inboundWebhookUrl(
	baseUrl: string,
	apiKey: string,
	channel: 'sms' | 'whatsapp' = 'sms',
	options?: Parameters<typeof parseBaseUrl>[2],
): string | undefined {
	const parsed = parseBaseUrl(baseUrl, apiKey, options);
	if ('issue' in parsed) return undefined;
	const site = parsed.baseUrl.endsWith(API_SUFFIX) ? parsed.baseUrl.slice(0, -API_SUFFIX.length) : parsed.baseUrl;
	return `${site.replace(/\/$/, '')}${PATHS[channel]}`;
}

/**
 * Forwards an inbound message to the service, to keep its inbox and opt-out list complete. Up to three attempts, within
 * about 15 seconds. The response is undocumented (docs/api.md#inbound-sms-webhook), so any 2xx counts as success, unless
 * it says `success: false`.
 * @param url of the webhook
 * @param headers beside the usual ones
 * @returns the outcome; never throws
 * @example const { outcome } = await forwardInbound(transport, url, { from, to, message });
 */
export async function forwardInbound(
	transport: Transport,
	url: string,
	{ from, to, message }: ForwardedMessage,
	headers: Readonly<Record<string, string>> = {},
): Promise<Outcome<unknown>> {
	return await call(
		{
			transport: {
				...transport,
				send: async (request) => withoutBody(await transport.send({ ...request, url })),
			},
			baseUrl: url,
			headers,
			timeoutMs: 5_000,
			retry: { attempts: 3, budgetMs: 10_000, baseMs: 1_000, longestWaitMs: 5_000 },
			secrets: [],
			history: { keyWorked: false },
		},
		inboundWebhook,
		{ From: from, To: to, Message: message },
	);
}

/** Empties the body of an accepted message, so that nothing in it counts as a failure. */
function withoutBody(response: HttpResponse): HttpResponse {
	const { status, body } = response;
	const accepted = status >= 200 && status < 300 && successFlag(parseJson(body)?.value) !== false;
	return accepted ? { ...response, body: '{}' } : response;
}
