import type { Endpoint } from '../../shared/contract/endpoint';
import { readCaught } from '../caught';
import { Refusal } from './refusal';
import { type Shapes, shapeFailure, shapeSuccess } from './shape';

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

/** Puts what a handler gave into the answer that goes out. */
export function successReply(endpoint: Endpoint, output: unknown, shapes: Shapes): Reply {
	return jsonReply(200, shapeSuccess(endpoint, output, shapes));
}

/**
 * Turns what ended a request into an answer: a refusal into its error body, anything else into a 500 that names it,
 * since whoever runs the sandbox is the one to report it.
 */
export function failureReply(error: unknown, errorShape?: Shapes['error_shape']): Reply {
	if (error instanceof Refusal) {
		const { status, code, message, headers } = error;
		return jsonReply(status, shapeFailure(code, message, errorShape), headers);
	}
	console.error(error);
	const message = `The sandbox itself failed: ${readCaught(error).message}`;
	return jsonReply(500, shapeFailure('server_error', message, errorShape));
}

/** Turns a reply into the answer that Hono sends. */
export function toResponse({ status, headers, body }: Reply): Response {
	// Some statuses, like 204, must have no body, and a fault may ask for any of them.
	const bare = status === 204 || status === 205 || status === 304;
	return new Response(bare ? null : body, { status, headers });
}
