import { createHash } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import { undiciDispatcher } from '../../shared/transports/undici';
import type { RelayEvent } from '../events/event';
import { type UrlPolicy, BlockedAddress } from '../subscriptions/urlPolicy';
import { RELAY_VERSION } from '../version';
import { sign } from './sign';

/** A receiver of events. */
export interface Receiver {
	readonly url: string;
	/** `whsec_` and base64. */
	readonly secret: string;
	readonly onlyZapier: boolean;
}

/** The result of one request to a receiver. */
export interface AttemptResult {
	readonly ok: boolean;
	/** The response's status; null if there was none. */
	readonly status: number | null;
	/** Why it failed, without data of the event. */
	readonly error: string | null;
	/** Duration in milliseconds. */
	readonly ms: number;
	/** Seconds that the receiver asked for (Retry-After). */
	readonly retryAfter?: number;
}

/** Sends events to a receiver. Never throws. */
export type AttemptDelivery = (
	receiver: Receiver,
	events: readonly RelayEvent[],
	options: { readonly isBatch: boolean; readonly replays: number },
) => Promise<AttemptResult>;

const CONNECT_MS = 5_000;
/** Larger responses are cut. Nothing in them matters. */
const MOST_RESPONSE_BYTES = 65_536;

/**
 * Creates the function that posts events, signed per Standard Webhooks. It follows no redirects.
 * @param limitMs how long a receiver may take, in milliseconds
 * @returns the function, and one that closes its connections
 */
export function createAttempts(
	policy: UrlPolicy,
	limitMs: number,
): { attempt: AttemptDelivery; close: () => Promise<void> } {
	// Without a limit of connections, because all workflows of an n8n have one host. Each subscription has its own limit.
	const connecting = { connect: { timeout: CONNECT_MS, lookup: policy.lookup } };
	const direct = new Agent({ allowH2: false, ...connecting });
	const outgoing = undiciDispatcher(connecting);
	return {
		attempt: async (receiver, events, options) => {
			const began = performance.now();
			const elapsed = () => Math.round(performance.now() - began);
			const issue = policy.check(receiver.url, { onlyZapier: receiver.onlyZapier });
			if (issue) return { ok: false, status: null, error: issue.message, ms: 0 };
			try {
				// A proxy for the internet does not reach the network of the listed hosts.
				const dispatcher = (policy.isListed(receiver.url) ? direct : outgoing).compose(within(limitMs));
				return { ...(await post(dispatcher, receiver, events, options)), ms: elapsed() };
			} catch (error) {
				return { ok: false, status: null, error: describe(error, limitMs), ms: elapsed() };
			}
		},
		async close() {
			await direct.close();
			await outgoing.close();
		},
	};
}

async function post(
	dispatcher: Dispatcher,
	{ url, secret }: Receiver,
	events: readonly RelayEvent[],
	{ isBatch, replays }: { readonly isBatch: boolean; readonly replays: number },
): Promise<Omit<AttemptResult, 'ms'>> {
	const [first] = events;
	const id = isBatch || first === undefined ? batchId(events) : first.id;
	const body = JSON.stringify(isBatch ? events : first);
	const timestamp = Math.floor(Date.now() / 1000);
	const { origin, pathname, search } = new URL(url);
	const response = await dispatcher.request({
		origin,
		path: `${pathname}${search}`,
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'user-agent': `messaging-service-relay/${RELAY_VERSION}`,
			'webhook-id': id,
			'webhook-timestamp': String(timestamp),
			'webhook-signature': sign(secret, id, timestamp, body),
			...(replays > 0 && { 'webhook-replay': String(replays) }),
		},
		body,
	});
	await response.body.dump({ limit: MOST_RESPONSE_BYTES });
	const { statusCode: status, headers } = response;
	const ok = status >= 200 && status < 300;
	const retryAfter = readRetryAfter(headers['retry-after']);
	return {
		ok,
		status,
		error: ok ? null : `The receiver responded ${status}`,
		...(retryAfter !== undefined && { retryAfter }),
	};
}

/** Ends a request that takes too long. Its time begins when it leaves, not while it waits for a connection. */
const within =
	(limitMs: number): Dispatcher.DispatcherComposeInterceptor =>
	(dispatch) =>
	(options, handler) => {
		let isOver = false;
		return dispatch(options, {
			onRequestStart(controller, context) {
				// Unlike a timer of the process, it counts the time of the machine's monotonic clock.
				const late = AbortSignal.timeout(limitMs);
				late.addEventListener('abort', () => {
					if (!isOver) controller.abort(new DOMException('The time is over', 'TimeoutError'));
				});
				handler.onRequestStart?.(controller, context);
			},
			onResponseStart: (...response) => handler.onResponseStart?.(...response),
			onResponseData: (...data) => handler.onResponseData?.(...data),
			onResponseEnd(...end) {
				isOver = true;
				handler.onResponseEnd?.(...end);
			},
			onResponseError(...error) {
				isOver = true;
				handler.onResponseError?.(...error);
			},
		});
	};

/** A batch has the same ID whenever it has the same events. */
function batchId(events: readonly RelayEvent[]): string {
	const hash = createHash('sha256');
	for (const { id } of events) hash.update(id);
	return `bat_${hash.digest('hex').slice(0, 32)}`;
}

function readRetryAfter(header: string | string[] | undefined): number | undefined {
	if (typeof header !== 'string') return undefined;
	if (/^\d+$/.test(header.trim())) return Number(header);
	const at = Date.parse(header);
	return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

const REASONS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'The receiver refused the connection',
	ENOTFOUND: 'The host name does not exist',
	EAI_AGAIN: 'The host name could not be looked up',
	ECONNRESET: 'The receiver closed the connection',
	UND_ERR_SOCKET: 'The receiver closed the connection',
	UND_ERR_ABORTED: 'The proxy did not connect to the receiver',
	UND_ERR_CONNECT_TIMEOUT: 'The receiver did not accept the connection in time',
};

/** Messages of libraries may quote the URL, so only known reasons and codes are kept. */
function describe(error: unknown, limitMs: number): string {
	if (error instanceof BlockedAddress) return error.message;
	if (!(error instanceof Error)) return 'The request failed';
	if (error.name === 'TimeoutError') return `The receiver did not respond within ${limitMs / 1000} seconds`;
	const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
	return (code !== undefined && REASONS[code]) || `The request failed (${code ?? error.name})`;
}
