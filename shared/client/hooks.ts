import type { Endpoint } from '../contract/endpoint';
import type { HttpRequest, HttpResponse, TransportError } from '../transport';
import type { FailedCall } from './outcome';
import { redact } from './errorBody';

/**
 * An attempt that is about to leave. Contains no key. Texts, codes and numbers are masked unless `unredacted` is set.
 * @example const onRequest = ({ endpoint, attempt }: RequestEvent) => console.log(endpoint, attempt);
 */
export interface RequestEvent {
	readonly endpoint: string;
	/** Number of the attempt, from 1. */
	readonly attempt: number;
	readonly method: string;
	readonly url: string;
	readonly input: Readonly<Record<string, unknown>>;
}

/**
 * The result of an attempt.
 * @example const onResponse = ({ status, durationMs }: ResponseEvent) => console.log(status, durationMs);
 */
export interface ResponseEvent {
	readonly endpoint: string;
	readonly attempt: number;
	/** HTTP status; undefined if there was no response. */
	readonly status?: number;
	/** Why there was no response. */
	readonly failure?: string;
	/** Time from request to response, in milliseconds. */
	readonly durationMs: number;
	/** Body as received; only if `unredacted` is set. */
	readonly body?: string;
}

/**
 * Functions for logging. An error in a hook does not affect the call.
 * @example createClient({ ...options, hooks: { onResponse: (event) => logger.info(event) } });
 */
export interface Hooks {
	readonly onRequest?: (event: RequestEvent) => unknown;
	readonly onResponse?: (event: ResponseEvent) => unknown;
	/** Whether to show texts, codes, numbers and bodies in full. The key is never shown. */
	readonly unredacted?: boolean;
}

/** Keys whose values are not personal. */
const NOT_PERSONAL = new Set([
	'sender_id',
	'priority',
	'schedule_at',
	'amount',
	'limit',
	'offset',
	'verification_id',
	'id',
	'reference',
]);

/** Masks an input for a log: only both ends of numbers and addresses are shown, and only the length of other values. */
export function maskInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(input).map(([key, value]) => [key, NOT_PERSONAL.has(key) ? value : mask(key, value)]),
	);
}

function mask(key: string, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((entry: unknown) => mask(key, entry));
	if (typeof value === 'boolean' || value === undefined || value === null) return value;
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	const party = key === 'to' || key === 'phone';
	if (party && /^\+\d{9,}$/.test(text)) return `${text.slice(0, 4)}…${text.slice(-2)}`;
	if (party && text.includes('@')) return `${text.slice(0, 1)}…${text.slice(text.lastIndexOf('@'))}`;
	return `(${[...text].length} characters)`;
}

/** Calls the hook for an attempt. */
export function emitRequest(
	hooks: Hooks,
	endpoint: Endpoint,
	attempt: number,
	{ method, url }: HttpRequest,
	input: Readonly<Record<string, unknown>>,
): void {
	if (!hooks.onRequest) return;
	const shown = hooks.unredacted ? input : maskInput(input);
	ignoringErrors(() => hooks.onRequest?.({ endpoint: endpoint.id, attempt, method, url, input: shown }));
}

/**
 * Calls the hook for the result of an attempt.
 * @param durationMs time since the request left, in milliseconds
 */
export function emitResponse(
	hooks: Hooks,
	{ endpoint, input, secrets }: FailedCall,
	attempt: number,
	result: HttpResponse | TransportError,
	durationMs: number,
): void {
	if (!hooks.onResponse) return;
	const reported =
		'status' in result
			? { status: result.status, ...(hooks.unredacted && { body: withoutKey(result.body, secrets) }) }
			: { failure: redact(result.message, hooks.unredacted ? {} : input, secrets) };
	ignoringErrors(() => hooks.onResponse?.({ endpoint: endpoint.id, attempt, ...reported, durationMs }));
}

function withoutKey(body: string | undefined, secrets: readonly string[]): string | undefined {
	return secrets.reduce((shown, secret) => shown?.replaceAll(secret, 'sk_…'), body);
}

// A failing log must not hide the outcome of a message that may have been charged.
function ignoringErrors(hook: () => unknown): void {
	try {
		Promise.resolve(hook()).catch(() => undefined);
	} catch {
		return;
	}
}
