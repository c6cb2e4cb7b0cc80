/** One HTTP request, complete but for authentication where the host adds it. */
export interface HttpRequest {
	readonly method: 'GET' | 'POST';
	/** Absolute URL with the query. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Serialised body; it must reach the wire byte for byte. */
	readonly body?: string;
	/** Longest time for the whole exchange, in milliseconds. */
	readonly timeoutMs: number;
	/** Ends the exchange early. */
	readonly signal?: AbortSignal;
	/** Ends the wait before it leaves, where a transport makes it wait; what has left is not touched. */
	readonly waitSignal?: AbortSignal;
}

/** One HTTP answer, whatever its status. */
export interface HttpResponse {
	readonly status: number;
	/** Names in lower case. */
	readonly headers: Readonly<Record<string, string | undefined>>;
	/** Body as text; undefined where the connection ended before the body was complete. */
	readonly body: string | undefined;
}

/**
 * The port that a host fills: how a request leaves, and how time passes. Redirects are not followed.
 * `send` gives every status as a value and throws only a {@link TransportError}.
 */
export interface Transport {
	send(request: HttpRequest): Promise<HttpResponse>;
	/** Resolves after that many milliseconds, or rejects as soon as the signal is aborted. */
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** The present by the clock that `sleep` follows, in milliseconds from any beginning; never goes back. */
	now?(): number;
}

/** The present by a transport's clock, in milliseconds from any beginning: for durations, not for dates. */
export function presentOf(transport: Transport): number {
	return transport.now?.() ?? performance.now();
}

/**
 * No answer came. `left` tells whether any byte of the request may have reached the service: `no` only where that
 * is certain (unknown host, refused connection, failed TLS handshake), `maybe` in all other cases.
 */
export class TransportError extends Error {
	override readonly name = 'TransportError';

	constructor(
		/** What went wrong in the words of the system, without secrets. */
		message: string,
		readonly left: 'no' | 'maybe',
		/** The system's code, e.g. `ECONNREFUSED`. */
		readonly code: string | undefined,
		/** Whether the caller's own signal ended it. */
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

/** OpenSSL's words where the other side does not speak TLS; they may also come in the middle of a connection. */
const NO_TLS =
	/wrong version number|packet length too long|unsupported protocol|alert (protocol version|handshake failure)/i;

/** What the system's words mean, for who does not know them. */
const MEANINGS: ReadonlyArray<readonly [RegExp, string]> = [
	[/ENOTFOUND|EAI_FAIL/, 'its host name is not known'],
	[/EAI_AGAIN/, 'its host name cannot be looked up now'],
	[/ECONNREFUSED/, 'nothing answers at that address'],
	[/ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/, 'that address does not answer'],
	[/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'there is no way to that address'],
	[/CERT_HAS_EXPIRED/, 'its certificate has expired'],
	[/CERT_NOT_YET_VALID/, 'its certificate is not valid yet'],
	[/ALTNAME_INVALID/, 'its certificate is for another host name'],
	[/SELF_SIGNED|UNABLE_TO/, 'its certificate is not trusted'],
	[/ECONNRESET|EPIPE|UND_ERR_SOCKET|socket hang up|aborted|other side closed/, 'the connection was cut'],
];

/** What the system says of a failed connection. */
export interface SystemFailure {
	/** E.g. `ECONNREFUSED`. */
	readonly code?: string;
	/** The system call that failed, e.g. `connect`. */
	readonly syscall?: string;
	readonly message: string;
}

/**
 * Makes the port's error from the system's words, and tells whether the request may have left this machine. A reset is
 * always `maybe`: on a kept-alive socket it cannot be told apart from a reset after the service had read the request.
 */
export function connectionFailure({ code, syscall, message }: SystemFailure): TransportError {
	if (NO_TLS.test(message)) {
		return new TransportError('that address does not speak https as it should', 'maybe', code);
	}
	const connecting = code !== undefined && FAILS_WHILE_CONNECTING.has(code) && syscall === 'connect';
	const left = connecting || (code !== undefined && NEVER_LEFT.has(code)) ? 'no' : 'maybe';
	const [, meaning] = MEANINGS.find(([words]) => words.test(`${code} ${message}`)) ?? [];
	return new TransportError(meaning === undefined ? message : `${meaning} (${message})`, left, code);
}

/**
 * The port's error for an exchange that took longer than its limit.
 * @param timeoutMs the limit, in milliseconds
 */
export function timedOut(timeoutMs: number): TransportError {
	return new TransportError(`it took longer than ${timeoutMs / 1000} seconds`, 'maybe', 'TIMEOUT');
}
