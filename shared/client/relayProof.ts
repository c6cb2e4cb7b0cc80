import { nowOf, TransportError, type HttpRequest, type HttpResponse } from '../transport';
import type { CallOptions, Connection, RelayMemory, RelayProof } from './connection';
import { CanceledError, ConnectionError, InputError, type ServiceError } from './errors';
import { NOTHING_CHARGED } from './hint';
import { isFromRelay } from './relayReply';
import { API_SUFFIX } from './request';
import { decideKeyed } from './retry';

/** Whether the base URL is the address of a relay, and if not, why. */
export type RelayCheck = { readonly found: true } | { readonly found: false; readonly error: ServiceError };

/** The URL that a proof is about, and the method. */
type ProvedCall = Pick<HttpRequest, 'method' | 'url'>;

/** The number of an attempt that a relay does not forward (docs/relay.md#requests). */
const NO_ATTEMPT = '0';

/**
 * Asks once whether the calls to a URL arrive at a relay, with a request that has no key and changes nothing. A proxy may
 * send some paths to the relay and others to the service, so the request goes where the calls go.
 * Calls at the same time share the request. Only a relay that was found is remembered.
 */
export async function proveRelay(
	connection: Connection,
	{ proofs }: RelayMemory,
	call: ProvedCall,
): Promise<RelayProof> {
	const { url } = call;
	const proof = proofs.get(url) ?? askRelay(connection, call);
	proofs.set(url, proof);
	const proved = await proof;
	if (proved.kind !== 'found' && proofs.get(url) === proof) proofs.delete(url);
	return proved;
}

async function askRelay(
	{ transport, baseUrl, timeoutMs }: Connection,
	{ method, url }: ProvedCall,
): Promise<RelayProof> {
	if (!baseUrl.endsWith(API_SUFFIX)) return { kind: 'path' };
	try {
		const headers = { Accept: 'application/json', 'Relay-Attempt': NO_ATTEMPT };
		return proofOf(await transport.send({ method, url, headers, timeoutMs, withoutKey: true }), url);
	} catch (error) {
		const cause = error instanceof Error ? error.message : String(error);
		return { kind: 'away', cause, ...(error instanceof TransportError && { code: error.code }) };
	}
}

/** A page of a proxy in front of a relay that is away proves nothing. */
function proofOf(response: HttpResponse, url: string): RelayProof {
	if (isFromRelay(response)) return { kind: 'found' };
	const { status } = response;
	return mayBeOfProxy(status)
		? { kind: 'away', cause: `HTTP ${status} without a relay`, status }
		: { kind: 'other', status, path: new URL(url).pathname };
}

/**
 * Whether a proxy in front of a relay responds with this status if the relay is away or busy. Any other response comes from
 * something else at the address, which may have accepted the call.
 */
export function mayBeOfProxy(status: number): boolean {
	return status >= 500 || status === 408 || status === 429;
}

/** The error for an address at which no relay was found. Nothing was sent. */
export function relayMissing(endpoint: string, proof: Exclude<RelayProof, { kind: 'found' }>): ServiceError {
	const say = (message: string) => new InputError(endpoint, [{ field: 'baseUrl', message }]);
	switch (proof.kind) {
		case 'path':
			return say(
				'is not the address of a relay, because it does not end in /api/v1/. Correct it, or turn off Base URL Is a Relay',
			);
		case 'other':
			return say(
				`is not the address of a relay (HTTP ${proof.status} at ${proof.path}). Enter the address of the relay, or turn off Base URL Is a Relay`,
			);
		case 'away': {
			const { cause, status, code } = proof;
			const hint = `Check the base URL, and that the relay runs. ${NOTHING_CHARGED}`;
			return new ConnectionError(`The relay does not respond: ${cause}`, { endpoint, sent: 'no', status, code, hint });
		}
	}
}

const CHECK = 'relay.check';

/**
 * Checks that the base URL is that of a relay, with retries while it does not respond.
 * @returns the reason as a value if it is not; never throws
 */
export async function checkRelay(
	connection: Connection,
	{ signal, waitSignal = signal }: Pick<CallOptions, 'signal' | 'waitSignal'> = {},
): Promise<RelayCheck> {
	const { relay: memory } = connection;
	if (!memory) {
		const issue = { field: 'relay', message: 'is not turned on for this client: turn it on to check the relay' };
		return { found: false, error: new InputError(CHECK, [issue]) };
	}
	const { transport, retry, baseUrl } = connection;
	const me = { method: 'GET', url: `${baseUrl.slice(0, -API_SUFFIX.length)}/v1/me` } as const;
	const began = nowOf(transport);
	for (let number = 1; ; number += 1) {
		const proof = await unlessCanceled(async () => await proveRelay(connection, memory, me), waitSignal);
		if (proof === undefined) {
			const error = new CanceledError('The request was canceled', { endpoint: CHECK, sent: 'no', hint: '' });
			return { found: false, error };
		}
		if (proof.kind === 'found') return { found: true };
		const attempt = { kind: 'no-relay', mayPass: proof.kind === 'away' } as const;
		const next = decideKeyed(attempt, false, number, nowOf(transport) - began, retry, Math.random());
		if (next.next !== 'retry') return { found: false, error: relayMissing(CHECK, proof) };
		await transport.sleep(next.waitMs, waitSignal).catch(() => undefined);
	}
}

/**
 * Waits for work that others may share, unless the caller cancels.
 * @param begin begins the work. It is not called if the signal is already aborted
 * @returns undefined if the signal was aborted first
 */
export async function unlessCanceled<Result>(
	begin: () => Promise<Result>,
	signal: AbortSignal | undefined,
): Promise<Result | undefined> {
	if (!signal) return await begin();
	if (signal.aborted) return undefined;
	let cancel: () => void = () => undefined;
	const canceled = new Promise<undefined>((resolve) => (cancel = () => resolve(undefined)));
	signal.addEventListener('abort', cancel, { once: true });
	try {
		return await Promise.race([begin(), canceled]);
	} finally {
		signal.removeEventListener('abort', cancel);
	}
}
