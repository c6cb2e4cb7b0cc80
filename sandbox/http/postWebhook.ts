import { type Dispatcher, request } from 'undici';
import { toErrorInfo } from '../errorInfo';
import { isLoopback } from './guard';

/** Timeout of a webhook, in milliseconds. */
export const POST_TIMEOUT_MS = 10_000;

/** Stored length of a response, in characters. */
const STORED_LENGTH = 2000;

const WORDS: Readonly<Record<string, string>> = {
	ECONNREFUSED: 'connection refused',
	ECONNRESET: 'connection reset',
	ENOTFOUND: 'unknown host',
	EAI_AGAIN: 'unknown host',
	EHOSTUNREACH: 'host unreachable',
	ENETUNREACH: 'network unreachable',
	UND_ERR_SOCKET: 'connection closed without a response',
};

/** Format of a body. */
export type PostFormat = 'json' | 'form';

/** A webhook to send. */
export interface Posting {
	readonly url: string;
	readonly contentType: string;
	readonly body: string;
	/** In addition to the usual ones. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Result of a webhook. `problem` says why it failed, in words for users; null if it succeeded. */
export interface PostResponse {
	readonly httpStatus: number | null;
	/** First 2,000 characters of the response. */
	readonly answer: string | null;
	readonly problem: string | null;
}

/** Options of {@link postWebhook}. */
export interface PostOptions {
	readonly dispatcher: Dispatcher;
	/** Whether other machines may receive webhooks. */
	readonly outside: boolean;
	/** Aborts the request. */
	readonly stopping: AbortSignal;
}

/** Writes fields as JSON or as a form. In a form, an object becomes `outer[inner]`. */
export function writeBody(
	fields: Readonly<Record<string, unknown>>,
	format: PostFormat,
): Omit<Posting, 'url' | 'headers'> {
	if (format === 'json') return { contentType: 'application/json', body: JSON.stringify(fields) };
	const form = new URLSearchParams(flatten(fields, (name) => name));
	return { contentType: 'application/x-www-form-urlencoded', body: form.toString() };
}

function flatten(fields: object, nameOf: (key: string) => string): [string, string][] {
	return Object.entries(fields).flatMap(([key, value]: [string, unknown]): [string, string][] => {
		if (value === null || value === undefined) return [];
		if (typeof value === 'object') return flatten(value, (inner) => `${nameOf(key)}[${inner}]`);
		return [[nameOf(key), typeof value === 'string' ? value : JSON.stringify(value)]];
	});
}

/** Sends a webhook. Does not follow redirects. @returns the result; it never throws */
export async function postWebhook(
	{ url, contentType, body, headers }: Posting,
	options: PostOptions,
): Promise<PostResponse> {
	const { dispatcher, outside, stopping } = options;
	if (!outside && !isLoopback(URL.parse(url)?.hostname ?? '')) {
		return failed('not sent: the URL is on another machine, and the setting allow_outside_urls is off');
	}
	const timeout = AbortSignal.timeout(POST_TIMEOUT_MS);
	try {
		const { statusCode, body: received } = await request(url, {
			method: 'POST',
			headers: { ...headers, 'content-type': contentType, 'user-agent': 'messaging-service-sandbox' },
			body,
			dispatcher,
			signal: AbortSignal.any([stopping, timeout]),
		});
		const response = await readStart(received);
		const good = statusCode >= 200 && statusCode < 300;
		return { httpStatus: statusCode, answer: response, problem: good ? null : `responded with ${statusCode}` };
	} catch (error) {
		if (stopping.aborted) return failed('the sandbox stopped');
		if (timeout.aborted) return failed(`no response within ${POST_TIMEOUT_MS / 1000} s`);
		return failed(describe(error));
	}
}

async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	// Leaving the loop closes the rest unread, so an endless response cannot fill the memory.
	for await (const chunk of body) {
		text += chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : '';
		if (text.length >= STORED_LENGTH) break;
	}
	return text.slice(0, STORED_LENGTH);
}

function failed(problem: string): PostResponse {
	return { httpStatus: null, answer: null, problem };
}

function describe(error: unknown): string {
	const { message, code = '' } = toErrorInfo(error);
	return WORDS[code] ?? message;
}
