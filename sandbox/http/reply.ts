import type { ServerResponse } from 'node:http';
import type { Endpoint } from '../../shared/contract/endpoint';
import type { RecordedShapes } from '../../shared/shapes/recordedShapes';
import { toErrorInfo } from '../errorInfo';
import { sendDirectly } from '../performance';
import { HttpError } from './httpError';
import { recordedFailure, recordedSuccess, type ShapedResponse } from './recordedShape';
import { shapeRejection } from './rejectionShape';
import { type ShapeRequest, type Shapes, shapeFailure, shapeSuccess } from './shape';

/** A complete response. */
export interface Reply {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Creates a JSON response. */
export function jsonReply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
	return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

/** The shapes of responses: those of the settings, and those of a file, which come first. */
export interface ReplyShapes {
	readonly settings: Shapes;
	readonly recorded: RecordedShapes | undefined;
}

/** Creates the response for a handler's output. */
export function successReply(
	endpoint: Endpoint,
	output: unknown,
	{ settings, recorded }: ReplyShapes,
	request: ShapeRequest,
): Reply {
	const shaped = recordedSuccess(endpoint, output, recorded, request);
	return shaped ? shapedReply(shaped) : jsonReply(200, shapeSuccess(endpoint, output, settings, request));
}

function shapedReply({ status, json, text }: ShapedResponse, headers: Readonly<Record<string, string>> = {}): Reply {
	if (text === undefined) return jsonReply(status, json, headers);
	const type = text.startsWith('<') ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8';
	return { status, headers: { 'content-type': type, ...headers }, body: text };
}

/** Creates the response for an error of an endpoint, with its status or as a 200, according to the shapes. */
export function rejectionReply(endpoint: Endpoint, error: unknown, replyShapes: ReplyShapes): Reply {
	const shapes = replyShapes.settings;
	const shaped = error instanceof HttpError ? recordedFailure(endpoint, error, replyShapes.recorded) : undefined;
	if (shaped && error instanceof HttpError) return shapedReply(shaped, error.headers);
	const body = error instanceof HttpError ? shapeRejection(endpoint, error, shapes) : undefined;
	return body === undefined ? failureReply(error, shapes.error_shape) : jsonReply(200, body);
}

/**
 * Converts an error to a response. An `HttpError` becomes its error body, anything else a 500 with its message, so that
 * users can report the defect.
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

/** Converts a reply to a response for Hono. */
export function toResponse({ status, headers, body }: Reply): Response {
	return new Response(isBare(status) ? null : body, { status, headers });
}

/** Sends a reply. @returns a marker for Hono that the response was sent */
export function sendReply({ status, headers, body }: Reply, outgoing: ServerResponse): Response {
	return sendDirectly(outgoing, status, headers, isBare(status) ? undefined : body);
}

/** Some statuses, such as 204, must not have a body. A fault may use any status. */
function isBare(status: number): boolean {
	return status === 204 || status === 205 || status === 304;
}
