/**
 * One HTTP request, complete except for the authentication header if the host adds it.
 * @example const request: HttpRequest = { method: 'GET', url, headers: { Accept: 'application/json' }, timeoutMs: 30_000 };
 */
export interface HttpRequest {
	readonly method: 'GET' | 'POST';
	/** Absolute URL, including the query. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Serialized body, to be sent byte for byte. */
	readonly body?: string;
	/** Time limit of the whole exchange, in milliseconds. */
	readonly timeoutMs: number;
	/** Ends the exchange early. */
	readonly signal?: AbortSignal;
	/** Ends a wait of the transport before the request leaves. A request in flight continues. */
	readonly waitSignal?: AbortSignal;
	/** A host that adds the authentication header leaves it out of this request. */
	readonly withoutKey?: true;
}

/**
 * One HTTP response with any status.
 * @example const response: HttpResponse = { status: 200, headers: {}, body: '{"success":true}' };
 */
export interface HttpResponse {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string | undefined>>;
	/** Body as text; undefined if the connection ended before the body was complete. */
	readonly body: string | undefined;
}

/**
 * The port that a host implements: it sends requests and waits. It must not follow redirects or repeat requests.
 * `send` returns every status as a value and throws only a {@link TransportError}.
 * @example createClient({ ...options, transport: undiciTransport() });
 */
export interface Transport {
	send(request: HttpRequest): Promise<HttpResponse>;
	/** Resolves after the given number of milliseconds, or rejects as soon as the signal is aborted. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** Current time of the clock that `sleep` uses, in milliseconds from any start; never goes back. */
	now?(): number;
}

/**
 * Current time of a transport's clock, in milliseconds from any start: for durations, not for dates.
 * @example const began = nowOf(transport);
 */
export function nowOf(transport: Transport): number {
	return transport.now?.() ?? performance.now();
}

/**
 * There was no response. `left` says whether any byte of the request may have reached the service: `no` only if it
 * certainly did not (unknown host, refused connection, failed TLS handshake), otherwise `maybe`.
 * @example throw new TransportError('the connection was cut', 'maybe', 'ECONNRESET');
 */
export class TransportError extends Error {
	override readonly name = 'TransportError';

	constructor(
		/** The cause, without secrets. */
		message: string,
		readonly left: 'no' | 'maybe',
		/** The system's code, e.g. `ECONNREFUSED`. */
		readonly code: string | undefined,
		/** Whether the caller's signal ended the request. */
		readonly aborted = false,
	) {
		super(message);
	}
}

const NEVER_LEFT = new Set([
	'ENOTFOUND',
	'EAI_AGAIN',
	'EAI_FAIL',
	'ECONNREFUSED',
	'UND_ERR_CONNECT_TIMEOUT',
	'UND_ERR_PRX_CONN',
	'UND_ERR_PRX_TLS',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
	'ERR_TLS_CERT_ALTNAME_INVALID',
]);

const FAILS_WHILE_CONNECTING = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);

/** OpenSSL's messages if the other side does not use TLS. They may also occur in the middle of a connection. */
const NO_TLS =
	/wrong version number|packet length too long|unsupported protocol|alert (protocol version|handshake failure)/i;

/** Plain-language versions of Node's network errors. */
const PLAIN_WORDS: ReadonlyArray<readonly [RegExp, string]> = [
	[/ENOTFOUND|EAI_FAIL/, 'its host name was not found'],
	[/EAI_AGAIN/, 'the DNS lookup failed, try again'],
	[/ECONNREFUSED/, 'nothing listens at that address'],
	[/ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/, 'that address does not respond'],
	[/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'there is no network route to that address'],
	[/CERT_HAS_EXPIRED/, 'its certificate has expired'],
	[/CERT_NOT_YET_VALID/, 'its certificate is not valid yet'],
	[/ALTNAME_INVALID/, 'its certificate is for another host name'],
	[/SELF_SIGNED|UNABLE_TO/, 'its certificate is not trusted'],
	[/ECONNRESET|EPIPE|UND_ERR_SOCKET|socket hang up|aborted|other side closed/, 'the connection was cut'],
];

/** A failed connection, as Node reports it. */
export interface SystemFailure {
	/** E.g. `ECONNREFUSED`. */
	readonly code?: string;
	/** The system call that failed, e.g. `connect`. */
	readonly syscall?: string;
	readonly message: string;
}

/**
 * Creates the port's error for a failed connection, and decides whether the request may have left this machine. A reset is
 * always `maybe`: on a kept-alive socket it looks the same as a reset after the service read the request.
 * @example connectionFailure({ code: 'ECONNREFUSED', message: 'connect ECONNREFUSED' }).left // 'no'
 */
export function connectionFailure({ code, syscall, message }: SystemFailure): TransportError {
	if (NO_TLS.test(message)) {
		return new TransportError('that address does not use https correctly', 'maybe', code);
	}
	const connecting = code !== undefined && FAILS_WHILE_CONNECTING.has(code) && syscall === 'connect';
	const left = connecting || (code !== undefined && NEVER_LEFT.has(code)) ? 'no' : 'maybe';
	const [, meaning] = PLAIN_WORDS.find(([words]) => words.test(`${code} ${message}`)) ?? [];
	return new TransportError(meaning === undefined ? message : `${meaning} (${message})`, left, code);
}

/**
 * The port's error for an exchange that exceeded its time limit.
 * @param timeoutMs the limit, in milliseconds
 * @example timedOut(30_000).message // 'it took longer than 30 seconds'
 */
export function timedOut(timeoutMs: number): TransportError {
	return new TransportError(`it took longer than ${timeoutMs / 1000} seconds`, 'maybe', 'TIMEOUT');
}
