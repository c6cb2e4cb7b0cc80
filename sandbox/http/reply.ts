import type { Endpoint } from '../../shared/contract/endpoint';
import { readCaught } from '../caught';
import { Refusal } from './refusal';

/** A complete answer. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes a JSON answer. */
export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

/** Puts what a handler gave into the body that goes out: a record beside `success`, a list under `data`. */
export function successReply({ answer }: Endpoint, output: unknown): Reply {
	if (answer.kind === 'list') return jsonReply(200, { success: true, data: output });
	return jsonReply(200, { success: true, ...(typeof output === 'object' ? output : {}) });
}

/**
 * Turns what ended a request into an answer: a refusal into its error body, anything else into a 500 that names it,
 * since whoever runs the sandbox is the one to report it.
 */
export function failureReply(error: unknown): Reply {
	if (error instanceof Refusal) {
		const { status, code, message, headers } = error;
		return jsonReply(status, { success: false, code, message }, headers);
	}
	console.error(error);
	const message = `The sandbox itself failed: ${readCaught(error).message}`;
	return jsonReply(500, { success: false, code: 'server_error', message });
}

/** Turns a reply into the answer that Hono sends. */
export function toResponse({ status, headers, body }: Reply): Response {
	// Some statuses, like 204, must have no body, and a fault may ask for any of them.
	const bare = status === 204 || status === 205 || status === 304;
	return new Response(bare ? null : body, { status, headers });
}
