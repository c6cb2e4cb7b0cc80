import type { Context } from 'hono';
import { MAX_BODY_BYTES } from '../../shared/index';
import { decodeContent, tooLarge } from './contentEncoding';

/** A body up to this multiple is read to its end before it is rejected, because many senders read no response before. */
const READ_ANYWAY = 4;

/**
 * Reads the body of a request, also one without Content-Length or with a content encoding.
 * @param most bytes, also of the decoded body. Default: the limit of an event
 * @throws HttpError 413 if it is larger, and those of {@link decodeContent}
 */
export async function readBytes(c: Context, most = MAX_BODY_BYTES): Promise<Uint8Array> {
	const bytes = await readRaw(c, most);
	const encoding = c.req.header('content-encoding');
	return encoding === undefined ? bytes : await decodeContent(bytes, encoding, most);
}

async function readRaw(c: Context, most: number): Promise<Uint8Array> {
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
	throw tooLarge(most);
}
