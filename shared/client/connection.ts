import type { Transport } from '../transport';
import type { RetryPolicy } from './retry';

/** The result of one attempt to find the relay. */
export type RelayProof =
	| { readonly kind: 'found' }
	/** Something else responds at the address. */
	| { readonly kind: 'other'; readonly status: number; readonly path: string }
	/** The address cannot be that of a relay. */
	| { readonly kind: 'path' }
	/** There is no clear response now. */
	| { readonly kind: 'away'; readonly cause: string; readonly status?: number; readonly code?: string };

/** Whether the relay was found, shared by all calls of a client. */
export interface RelayMemory {
	/** The proofs that were found, or that are in flight, by the URL of the calls. */
	readonly proofs: Map<string, Promise<RelayProof>>;
}

/** The settings that all calls of one client share. */
export interface Connection {
	readonly transport: Transport;
	/** Ends with a slash. */
	readonly baseUrl: string;
	/** Headers that authenticate; empty if the host adds them. */
	readonly headers: Readonly<Record<string, string>>;
	/** Time limit of one attempt, in milliseconds. */
	readonly timeoutMs: number;
	readonly retry: RetryPolicy;
	/** Values that errors and logs must not show: the key. */
	readonly secrets: readonly string[];
	/** Findings of earlier calls. */
	readonly history: { keyWorked: boolean };
	/** Set if the base URL is that of a relay (decision 33). */
	readonly relay?: RelayMemory;
}

/**
 * Options of one call.
 * @example await client.sms.send(input, { signal: AbortSignal.timeout(60_000) });
 */
export interface CallOptions {
	/** Ends the call, its waits included. */
	readonly signal?: AbortSignal;
	/** Ends waits and later attempts, but not a request in flight. */
	readonly waitSignal?: AbortSignal;
	/**
	 * Idempotency key of a call through a relay: 1 to 255 visible ASCII characters. Default: a new random one. A call that
	 * only reads ignores it.
	 */
	readonly idempotencyKey?: string;
	/**
	 * A second idempotency key, by the recipient of the call. No other call and no entry of a bulk send with this key sends
	 * again. Only together with `idempotencyKey`.
	 */
	readonly recipientKey?: string;
	/** Idempotency keys of a bulk send through a relay: one for each entry of `to`, all different. */
	readonly idempotencyKeys?: readonly string[];
	/**
	 * Maximum age of these keys, in seconds: 1 to 999,999. An earlier call does not keep a key longer than that, if it gave a
	 * maximum age too. Default: no maximum.
	 */
	readonly keyMaxAgeSeconds?: number;
	/**
	 * For a bulk send whose `schedule_at` is not the time that its sender gave: that time, or `now`. Its keys belong to the
	 * message at that time, so the same message that moves to another time is a repeat.
	 */
	readonly movedFrom?: string;
}
