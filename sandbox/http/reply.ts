import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Endpoint } from '../../shared/contract/endpoint';
import { toErrorInfo } from '../errorInfo';
import { HttpError } from './httpError';
import { shapeRejection } from './rejectionShape';
import { type ShapeRequest, type Shapes, shapeFailure, shapeSuccess } from './shape';

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
export function successReply(endpoint: Endpoint, output: unknown, shapes: Shapes, asked: ShapeRequest): Reply {
	return jsonReply(200, shapeSuccess(endpoint, output, shapes, asked));
}

/** Makes the answer to a call that an endpoint did not carry out: by its status, or in a 200, as is set. */
export function rejectionReply(endpoint: Endpoint, error: unknown, shapes: Shapes): Reply {
	const body = error instanceof HttpError ? shapeRejection(endpoint, error, shapes) : undefined;
	return body === undefined ? failureReply(error, shapes.error_shape) : jsonReply(200, body);
}

/**
 * Turns what ended a request into an answer: a refusal into its error body, anything else into a 500 that names it,
 * since whoever runs the sandbox is the one to report it.
 */
export function failureReply(error: unknown, errorShape?: Shapes['error_shape']): Reply {
	if (error instanceof HttpError) {
		const { status, code, message, headers } = error;
		return jsonReply(status, shapeFailure(code, message, errorShape), headers);
	}
	console.error(error);
	const message = `The sandbox itself failed: ${toErrorInfo(error).message}`;
	return jsonReply(500, shapeFailure('server_error', message, errorShape));
}

/** Turns a reply into the answer that Hono sends. */
export function toResponse({ status, headers, body }: Reply): Response {
	return new Response(isBare(status) ? null : body, { status, headers });
}

/** Sends a reply past Hono, which takes half the time. @returns what tells Hono so */
export function sendReply({ status, headers, body }: Reply, outgoing: ServerResponse): Response {
	if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
	if (isBare(status)) outgoing.writeHead(status, headers).end();
	else outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
	return RESPONSE_ALREADY_SENT;
}

/** Some statuses, like 204, must have no body, and a fault may ask for any of them. */
function isBare(status: number): boolean {
	return status === 204 || status === 205 || status === 304;
}
