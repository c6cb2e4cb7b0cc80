import { z } from 'zod/v4';
import { endpoint } from '../contract/endpoint';
import type { HttpResponse, Transport } from '../transport';
import { parseJson, successFlag } from './response';
import { call } from './call';
import type { Outcome } from './outcome';
import { API_SUFFIX, parseBaseUrl } from './request';

/** An inbound text as the service's webhook takes it. */
export interface ForwardedMessage {
	readonly from: string;
	readonly to: string;
	readonly message: string;
}

const PATH = '/webhooks/inbound/sms';

/**
 * Not in the contract's table: it stands outside the API's prefix, and no key opens it
 * (docs/api.md#inbound-sms-webhook).
 */
const inboundWebhook = endpoint({
	id: 'inbound.forward',
	method: 'POST',
	path: PATH,
	summary: 'Forward an inbound message to the service',
	input: z.object({ From: z.string(), To: z.string(), Message: z.string() }),
	output: z.looseObject({}),
	answer: { kind: 'record' },
	successFalse: 'refused',
	// The inbox may then show it twice, which is better than an opt-out that is lost.
	repeat: 'safe',
	charges: false,
	errors: ['validation'],
	example: { input: { From: '+233201234567', To: 'KOFISHOP', Message: 'HOURS' }, output: {} },
});

/**
 * Where the service itself takes inbound texts: `{site_url}/webhooks/inbound/sms` (docs/api.md#inbound-sms-webhook).
 * @param baseUrl as in the credential
 * @returns undefined where the base URL cannot be right
 */
export function inboundWebhookUrl(baseUrl: string, apiKey: string): string | undefined {
	const parsed = parseBaseUrl(baseUrl, apiKey);
	if ('issue' in parsed) return undefined;
	const site = parsed.baseUrl.endsWith(API_SUFFIX) ? parsed.baseUrl.slice(0, -API_SUFFIX.length) : parsed.baseUrl;
	return `${site.replace(/\/$/, '')}${PATH}`;
}

/**
 * Passes an inbound text on to the service, so that its inbox and opt-out list go on working; tried three times within
 * about 15 seconds. Its answer is not shown in the interface: any 2xx that does not say `success: false` counts.
 * @param url of the webhook
 * @param headers beside the usual ones
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
				send: async (request) => asResult(await transport.send({ ...request, url })),
			},
			baseUrl: url,
			headers,
			timeoutMs: 5_000,
			retry: { attempts: 3, budgetMs: 10_000, baseMs: 1_000, longestWaitMs: 5_000 },
			hooks: {},
			secrets: [],
			shown: { keyWorked: false },
		},
		inboundWebhook,
		{ From: from, To: to, Message: message },
	);
}

function asResult(response: HttpResponse): HttpResponse {
	const { status, body } = response;
	const taken = status >= 200 && status < 300 && successFlag(parseJson(body)?.value) !== false;
	return taken ? { ...response, body: '{}' } : response;
}
