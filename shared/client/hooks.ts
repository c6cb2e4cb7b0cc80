import type { Endpoint } from '../contract/endpoint';
import type { HttpRequest, HttpResponse, TransportError } from '../transport';

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
	readonly onRequest?: (event: RequestEvent) => void;
	readonly onResponse?: (event: ResponseEvent) => void;
	/** Whether to show texts, codes, numbers and bodies as they are; the key is never shown. */
	readonly unredacted?: boolean;
}

const TEXTS = new Set(['message', 'code', 'subject']);

/**
 * Masks what must not stand in a log: texts and codes as their length, numbers and addresses but for both ends.
 * Values that are neither text nor a list of texts stay.
 */
export function maskInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
	return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, maskValue(key, value)]));
}

function maskValue(key: string, value: unknown): unknown {
	if (Array.isArray(value)) return value.map((entry: unknown) => maskValue(key, entry));
	if (typeof value !== 'string') return value;
	if (TEXTS.has(key)) return `(${[...value].length} characters)`;
	return value.replace(/^(\+?\d{3})\d{3,}(\d{2})$/, '$1…$2').replace(/^(.)[^@]*(@.*)$/, '$1…$2');
}

/** Tells the hooks of an attempt. */
export function tellRequest(
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
export function tellResponse(
	hooks: Hooks,
	endpoint: Endpoint,
	attempt: number,
	result: HttpResponse | TransportError,
	durationMs: number,
): void {
	if (!hooks.onResponse) return;
	const told =
		'status' in result
			? { status: result.status, ...(hooks.unredacted && { body: result.body }) }
			: { failure: result.message };
	undisturbed(() => hooks.onResponse?.({ endpoint: endpoint.id, attempt, ...told, durationMs }));
}

function undisturbed(tell: () => void): void {
	try {
		tell();
	} catch {
		// A log that fails is no reason to lose sight of a message that may have been paid for.
	}
}
