import type { Context } from 'hono';
import { MAX_BODY_BYTES } from '../../shared/index';
import { HttpError } from './httpError';

/** A body up to this size is read to its end before it is rejected, because many senders read no response before. */
const MOST_READ = 4 * MAX_BODY_BYTES;

/**
 * Reads the body of a request, also one without Content-Length.
 * @throws HttpError 413 if it is larger than any event needs
 */
export async function readBytes(c: Context): Promise<Uint8Array> {
	const length = c.req.header('content-length');
	if (length !== undefined && Number(length) <= MAX_BODY_BYTES) return new Uint8Array(await c.req.arrayBuffer());
	const chunks: Uint8Array[] = [];
	let size = Number(length ?? 0) > MOST_READ ? Infinity : 0;
	const reader = size === 0 ? c.req.raw.body?.getReader() : undefined;
	for (let part = await reader?.read(); part?.value && size <= MOST_READ; part = await reader?.read()) {
		size += part.value.length;
		if (size <= MAX_BODY_BYTES) chunks.push(part.value);
	}
	if (size <= MAX_BODY_BYTES) return Buffer.concat(chunks);
	// The connection would read the rest of the body as the next request.
	if (size > MOST_READ) c.header('connection', 'close');
	throw new HttpError(413, 'too_large', `The body is larger than ${MAX_BODY_BYTES / 1024} KB. Send a smaller one.`);
}
