import type { IncomingHttpHeaders } from 'node:http';
import {
	decide,
	isRelayLoop,
	parseBaseUrl,
	parseRetryAfter,
	readResponse,
	TransportError,
	type HttpResponse,
	type Outcome,
	type Reading,
	type RetryPolicy,
} from '../../shared/index';
import { exchange, undiciDispatcher } from '../../shared/transports/undici';
import type { GatewayCall } from './call';
import { callerLeft } from './callerLeft';
import type { Pace } from './pace';
import type { Via } from './via';

/** What happened to a message or a change, as `shared/client` judges it. */
export type OutcomeName = Outcome<unknown>['outcome'];

/** A response of the service. */
export interface ServiceResponse {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	/** As received; undefined if the connection ended before the body was complete. */
	readonly bytes: Uint8Array<ArrayBuffer> | undefined;
	/** The same as text. */
	readonly text: string | undefined;
	/** Its content, by the contract. */
	readonly reading: Reading<unknown>;
}

/** The result of forwarding a call. */
export type Forwarded =
	| { readonly kind: 'response'; readonly outcome: OutcomeName; readonly response: ServiceResponse }
	/** The service may have got it, unless the outcome is `rejected`. */
	| { readonly kind: 'no_response'; readonly outcome: 'rejected' | 'unknown'; readonly failure: TransportError }
	/** It did not leave: the account is paused or limited for longer than the call may take. */
	| { readonly kind: 'paused'; readonly outcome: 'rejected'; readonly retryAfterMs: number }
	/** It did not leave: its time was over, the caller left, or the relay stops. */
	| { readonly kind: 'late'; readonly outcome: 'rejected' };

/** How a call is forwarded. */
export interface ForwardOptions {
	/** Instead of the call's own body. */
	readonly body?: Uint8Array;
	/** The fields of that body. */
	readonly input?: Readonly<Record<string, unknown>>;
	/** No request leaves after this time of `performance.now()`, and the exchange ends then. */
	readonly deadline: number;
	/** Each ends waits before the request leaves. A request in flight continues. Most calls need no signal made of them. */
	readonly waitSignals: readonly AbortSignal[];
}

/** The service behind the relay. */
export interface Service {
	/** Forwards a call, and waits here while the service responds 429. Never throws. */
	forward(call: GatewayCall, options: ForwardOptions): Promise<Forwarded>;
	/** Ends all exchanges. Their outcome is unknown. */
	close(): Promise<void>;
}

/** Only the client decides whether to repeat a call. */
const NO_REPEAT: RetryPolicy = { attempts: 1, budgetMs: 0, baseMs: 0, longestWaitMs: 0 };

/** After a 429, as many attempts as the call has time for. A Retry-After above 30 seconds ends it at once. */
const AFTER_429 = { attempts: Number.MAX_SAFE_INTEGER, baseMs: 500, longestWaitMs: 30_000 };

/**
 * Creates the connection to the service.
 * @param serviceUrl its base URL
 * @param limitMs how long a call may take, waits included, in milliseconds
 */
export function createService(
	serviceUrl: string,
	limitMs: number,
	{ pace, via }: { readonly pace: Pace; readonly via: Via },
): Service {
	const dispatcher = undiciDispatcher();
	const base = apiUrl(serviceUrl);
	const closing = new AbortController();

	async function attempt(call: GatewayCall, body: Uint8Array | undefined, left: number): Promise<ServiceResponse> {
		const { status, headers, bytes } = await exchange(dispatcher, {
			method: call.method,
			url: `${base}${call.path}`,
			headers: { ...call.headers, 'accept-encoding': 'identity', via: via.add(call.headers.via) },
			...(body && { body }),
			timeoutMs: Math.ceil(left),
			signal: closing.signal,
		});
		return { status, headers, bytes, text: bytes && new TextDecoder().decode(bytes), reading: { kind: 'unreadable' } };
	}

	async function forward(
		call: GatewayCall,
		{ body = call.body, input = call.input, deadline, waitSignals }: ForwardOptions,
	): Promise<Forwarded> {
		const { repeat } = call.endpoint;
		const stops = [...waitSignals, closing.signal];
		let before: Forwarded | undefined;
		for (let number = 1; ; number += 1) {
			let tooLong: number | undefined;
			try {
				tooLong = await pace.turn(call.mode, deadline, stops);
			} catch {
				// The caller left, the relay stops, or the database has no slot to give.
				return before ?? { kind: 'late', outcome: 'rejected' };
			}
			if (tooLong !== undefined) return before ?? { kind: 'paused', outcome: 'rejected', retryAfterMs: tooLong };
			if (repeat === 'once' && (await callerLeft(stops))) return before ?? { kind: 'late', outcome: 'rejected' };
			// Others may see a call as unknown after its time. So one that was stopped here for long must not leave.
			const left = deadline - performance.now();
			if (left <= 0) return before ?? { kind: 'late', outcome: 'rejected' };
			let response: ServiceResponse;
			try {
				response = await attempt(call, body, left);
			} catch (error) {
				const failure = error instanceof TransportError ? error : new TransportError('', 'maybe', undefined);
				// Ended by the relay itself, in the middle of the exchange.
				const aborted = failure.aborted && repeat === 'once';
				const { next } = decide(repeat, { kind: 'no-response', left: failure.left, aborted }, 1, 0, NO_REPEAT, 0);
				return { kind: 'no_response', outcome: next === 'unknown' ? 'unknown' : 'rejected', failure };
			}
			const { status, text } = response;
			const read = judged(call, response, text);
			const reading = readResponse(call.endpoint, read, input);
			const readable = reading.kind === 'rejection';
			const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
			const policy = status === 429 ? { ...AFTER_429, budgetMs: limitMs } : NO_REPEAT;
			const elapsed = limitMs - (deadline - performance.now());
			const { next, ...verdict } = decide(
				repeat,
				{ kind: 'response', status, readable, retryAfterMs },
				number,
				elapsed,
				policy,
				Math.random(),
			);
			const isUnknown = next === 'unknown' && !isRelayLoop(read);
			const outcome = reading.kind === 'output' ? 'accepted' : isUnknown ? 'unknown' : 'rejected';
			const result: Forwarded = { kind: 'response', outcome, response: { ...response, reading } };
			if (next !== 'retry' || !('waitMs' in verdict)) {
				// The caller gets this response, and others must not ask the service before it allows that.
				if (status === 429 && retryAfterMs !== undefined) pace.pause(call.mode, retryAfterMs);
				return result;
			}
			before = result;
			pace.pause(call.mode, verdict.waitMs);
		}
	}

	return {
		forward,
		async close() {
			closing.abort();
			await dispatcher.destroy();
		},
	};
}

/**
 * Completes the service's base URL, which may be set without `/api/v1`.
 * @returns without a slash at the end
 */
export function apiUrl(serviceUrl: string): string {
	const parsed = parseBaseUrl(serviceUrl, '');
	return 'issue' in parsed ? serviceUrl : parsed.baseUrl.replace(/\/$/, '');
}

function valueOf(header: string | string[] | undefined): string | undefined {
	return Array.isArray(header) ? header[0] : header;
}

/** The contract does not know the content of other paths. If the call only reads, its status is enough. */
function judged(
	{ endpoint }: GatewayCall,
	{ status, headers }: ServiceResponse,
	text: string | undefined,
): HttpResponse {
	const isOther = endpoint.id.startsWith('other.') && endpoint.repeat === 'safe';
	const judgedHeaders = {
		'retry-after': headers['retry-after'],
		'relay-version': valueOf(headers['relay-version']),
		'relay-outcome': valueOf(headers['relay-outcome']),
	};
	return { status, headers: judgedHeaders, body: isOther ? '{}' : text };
}
