import type { Context } from 'hono';
import { MAX_BODY_BYTES } from '../../shared/index';
import { HttpError } from './httpError';

/** A body up to this multiple is read to its end before it is rejected, because many senders read no response before. */
const READ_ANYWAY = 4;

/**
 * Reads the body of a request, also one without Content-Length.
 * @param most bytes. Default: the limit of an event
 * @throws HttpError 413 if it is larger
 */
export async function readBytes(c: Context, most = MAX_BODY_BYTES): Promise<Uint8Array> {
	const mostRead = READ_ANYWAY * most;
	const length = c.req.header('content-length');
	if (length !== undefined && Number(length) <= most) return new Uint8Array(await c.req.arrayBuffer());
	const chunks: Uint8Array[] = [];
	let size = Number(length ?? 0) > mostRead ? Infinity : 0;
	const reader = size === 0 ? c.req.raw.body?.getReader() : undefined;
	for (let part = await reader?.read(); part?.value && size <= mostRead; part = await reader?.read()) {
		size += part.value.length;
		if (size <= most) chunks.push(part.value);
	}
	if (size <= most) return Buffer.concat(chunks);
	// The connection would read the rest of the body as the next request.
	if (size > mostRead) c.header('connection', 'close');
	throw new HttpError(413, 'too_large', `The body is larger than ${most / 1024} KB. Send a smaller one.`);
}
