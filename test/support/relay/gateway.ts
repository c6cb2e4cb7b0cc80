import { z } from 'zod/v4';
import type { Relay } from './relay';

/** A response of the gateway. */
export interface GatewayResponse {
	readonly status: number;
	/** `Relay-Outcome`; null if there is none. */
	readonly outcome: string | null;
	/** Whether it repeats the stored response. */
	readonly isReplay: boolean;
	readonly headers: Headers;
	readonly text: string;
	/** The code of an error of the relay. */
	readonly code: string | undefined;
}

/** Options of a call. */
export interface GatewayOptions {
	readonly key?: string;
	/** The API key. Default: that of a new sandbox. */
	readonly apiKey?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal;
}

const errorBody = z.object({ error: z.object({ code: z.string() }) });

/** The settings of a relay in front of a service. */
export function gatewayEnv(baseUrl: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
	return { RELAY_SERVICE_URL: baseUrl.replace(/\/$/, ''), ...more };
}

/** Calls the service through a relay. */
export async function callThrough(
	relay: Pick<Relay, 'url'>,
	method: string,
	path: string,
	body?: object | string,
	{ key, apiKey = 'sk_sandbox_demo', headers = {}, signal }: GatewayOptions = {},
): Promise<GatewayResponse> {
	const response = await fetch(`${relay.url}/api/v1${path}`, {
		method,
		headers: {
			'content-type': 'application/json',
			'x-api-key': apiKey,
			...(key !== undefined && { 'idempotency-key': key }),
			...headers,
		},
		...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
		...(signal && { signal }),
	});
	const text = await response.text();
	return {
		status: response.status,
		outcome: response.headers.get('relay-outcome'),
		isReplay: response.headers.get('idempotent-replayed') === 'true',
		headers: response.headers,
		text,
		code: codeOf(text),
	};
}

function codeOf(text: string): string | undefined {
	try {
		return errorBody.safeParse(JSON.parse(text)).data?.error.code;
	} catch {
		return undefined;
	}
}

/** The body of one SMS. */
export function sms(message = 'We are open', to = '+233201234567'): { to: string; sender_id: string; message: string } {
	return { to, sender_id: 'KOFISHOP', message };
}

/** Sends one SMS through a relay. */
export async function sendThrough(
	relay: Pick<Relay, 'url'>,
	body: object | string = sms(),
	options: GatewayOptions = {},
): Promise<GatewayResponse> {
	return await callThrough(relay, 'POST', '/sms/send', body, options);
}
