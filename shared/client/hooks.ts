import type { Endpoint } from '../contract/endpoint';
import type { HttpRequest, HttpResponse, TransportError } from '../transport';
import type { FailedCall } from './outcome';
import { redact } from './errorBody';

/** One attempt that is about to leave. Holds no key; texts, codes and numbers are masked unless asked otherwise. */
export interface RequestEvent {
	readonly endpoint: string;
	/** Which attempt of the call, from 1. */
	readonly attempt: number;
	readonly method: string;
	readonly url: string;
	readonly input: Readonly<Record<string, unknown>>;
}

/** What became of one attempt. */
export interface ResponseEvent {
	readonly endpoint: string;
	readonly attempt: number;
	/** HTTP status; undefined where no answer came. */
	readonly status?: number;
	/** Why no answer came. */
	readonly failure?: string;
	/** Time from request to answer, in milliseconds. */
	readonly durationMs: number;
	/** Body as it came; only where `unredacted` was asked for. */
	readonly body?: string;
}

/** For logging. An error that a hook throws does not disturb the call. */
export interface Hooks {
	readonly onRequest?: (event: RequestEvent) => unknown;
	readonly onResponse?: (event: ResponseEvent) => unknown;
	/** Whether to show texts, codes, numbers and bodies as they are; the key is never shown. */
	readonly unredacted?: boolean;
}

/** Keys whose values say nothing of a person. */
const OPEN = new Set([
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

/** Masks what must not stand in a log: numbers and addresses but for both ends, everything else as its length. */
export function maskInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(input).map(([key, value]) => [key, OPEN.has(key) ? value : mask(key, value)]),
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

/** Tells the hooks of an attempt. */
export function emitRequest(
	hooks: Hooks,
	endpoint: Endpoint,
	attempt: number,
	{ method, url }: HttpRequest,
	input: Readonly<Record<string, unknown>>,
): void {
	if (!hooks.onRequest) return;
	const shown = hooks.unredacted ? input : maskInput(input);
	undisturbed(() => hooks.onRequest?.({ endpoint: endpoint.id, attempt, method, url, input: shown }));
}

/**
 * Tells the hooks what became of an attempt.
 * @param durationMs time since it left, in milliseconds
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
	undisturbed(() => hooks.onResponse?.({ endpoint: endpoint.id, attempt, ...reported, durationMs }));
}

function withoutKey(body: string | undefined, secrets: readonly string[]): string | undefined {
	return secrets.reduce((shown, secret) => shown?.replaceAll(secret, 'sk_…'), body);
}

// A log that fails is no reason to lose sight of a message that may have been paid for.
function undisturbed(tell: () => unknown): void {
	try {
		Promise.resolve(tell()).catch(() => undefined);
	} catch {
		return;
	}
}
