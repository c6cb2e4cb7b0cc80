import { z } from 'zod/v4';
import { parseJson, type HttpResponse } from '../../../../../shared/index';
import type { RelayAccess } from './relayCredential';

/** One call of the relay's API. */
export interface RelayCall {
	readonly method: 'GET' | 'POST' | 'DELETE';
	/** Begins with `/v1/`. */
	readonly path: string;
	readonly body?: unknown;
	/** Time limit, in milliseconds. */
	readonly timeoutMs: number;
}

/** A call as an HTTP request. Host code adds the header with the token. */
export interface RelayRequest {
	readonly method: RelayCall['method'];
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
	/** Time limit, in milliseconds. */
	readonly timeoutMs: number;
}

/** Sends a request. Returns every status, and throws if there is no response. */
export type SendToRelay = (request: RelayRequest) => Promise<HttpResponse>;

/** A call that did not succeed. */
export class RelayFailure {
	/**
	 * @param message for the user: the field, the cause and what to do. It never contains the word "Authorization", after
	 * which n8n would not try again to activate a workflow
	 * @param logged for n8n's log. It has no words of the relay, which may repeat a part of the registration
	 */
	constructor(
		readonly message: string,
		readonly logged = message,
	) {}
}

/**
 * Calls the relay.
 * @returns the JSON of a 2xx response (undefined for 204), or a failure
 */
export async function callRelay(
	send: SendToRelay,
	access: RelayAccess,
	{ method, path, body, timeoutMs }: RelayCall,
): Promise<{ readonly json: unknown } | RelayFailure> {
	const url = `${access.url}${path}`;
	const headers = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
	try {
		const response = await send({
			...{ method, url, headers, timeoutMs },
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (response.status === 204) return { json: undefined };
		const parsed = parseJson(response.body);
		if (response.status >= 200 && response.status < 300 && parsed) return { json: parsed.value };
		return rejected(access, response.status, parsed?.value);
	} catch (error) {
		const cause = error instanceof Error ? error.message : String(error);
		return new RelayFailure(
			`Relay URL: the relay at ${access.url} does not respond (${plain(cause)}). Start the relay, or correct the URL in the credential`,
		);
	}
}

const errorBody = z.object({
	error: z.object({ code: z.string(), message: z.string().catch(''), field: z.string().optional().catch(undefined) }),
});

function rejected({ url }: RelayAccess, status: number, body: unknown): RelayFailure {
	const parsed = errorBody.safeParse(body);
	const { code, message = '', field } = parsed.success ? parsed.data.error : {};
	if (status === 401) {
		return new RelayFailure(
			'Relay Token: the relay does not know this token. Create one on the page of the relay, and enter it in the credential',
		);
	}
	if (status === 403) {
		return new RelayFailure(
			'Relay Token: this token may not register workflows. Create one for n8n on the page of the relay',
		);
	}
	if (code === 'conflict') {
		return new RelayFailure(
			'Relay Token: this trigger is registered with another token. Use that token, or delete the subscription on the page of the relay',
		);
	}
	if (code === 'url_blocked' || code === 'url_needs_https') {
		return new RelayFailure(
			'The relay may not send to the address of this n8n. Set WEBHOOK_URL of n8n to its public https address, or list its host in RELAY_ALLOW of the relay',
		);
	}
	if (code !== undefined && status < 500) {
		const where = field === undefined ? '' : ` (${plain(field)})`;
		return new RelayFailure(
			`The relay does not accept the registration${where}: ${plain(message)}`,
			`The relay does not accept the registration (HTTP ${status}). Publish the workflow again to see its reason`,
		);
	}
	if (status >= 500) {
		return new RelayFailure(
			`Relay URL: the relay at ${url} is not ready (HTTP ${status}). Try again in a minute, or look at the log of the relay`,
		);
	}
	return new RelayFailure(
		`Relay URL: there is no relay at ${url} (HTTP ${status}). Enter its address, such as https://relay.example.com`,
	);
}

/** Words of others for an error: short, and without the word that stops n8n from trying again. */
function plain(words: string): string {
	return words
		.replace(/authorization/gi, 'token')
		.replace(/[.\s]+$/, '')
		.slice(0, 200);
}

const self = z.object({ token: z.object({ name: z.string().catch(''), kind: z.string() }) });

/** A token as the relay describes it. */
export interface RelayToken {
	readonly name: string;
	/** `n8n`, `zapier`, `script` or `admin`. */
	readonly kind: string;
}

/** Asks the relay about the token (GET /v1/me). */
export async function readRelayToken(
	send: SendToRelay,
	access: RelayAccess,
	timeoutMs: number,
): Promise<RelayToken | RelayFailure> {
	const called = await callRelay(send, access, { method: 'GET', path: '/v1/me', timeoutMs });
	if (called instanceof RelayFailure) return called;
	const read = self.safeParse(called.json);
	if (!read.success) {
		return new RelayFailure(
			`Relay URL: there is no relay at ${access.url}. Enter its address, such as https://relay.example.com`,
		);
	}
	const { token } = read.data;
	// Such a token may only send to Zapier, so the registration of a workflow would fail.
	if (token.kind !== 'zapier') return token;
	return new RelayFailure('Relay Token: this token is for Zapier. Create one for n8n on the page of the relay');
}
