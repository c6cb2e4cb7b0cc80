import type { HonoEnv } from './env';
import { parseRequestJson } from './parse';
import { HttpError } from './httpError';

/** Node's own request. */
type Incoming = HonoEnv['Bindings']['incoming'];

/** Maximum length of a body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Maximum length of a bulk send's body, in bytes: 100,000 numbers and a message. */
export const MAX_BULK_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Reads a request's body with Node's events. Reading it with Hono, or with a loop over the stream, takes longer
 * (docs/decisions/0026-keep-the-fast-parts-of-the-sandbox-in-one-folder.md).
 * @throws HttpError 413 `too_large` as soon as the body is longer than `most` bytes, 422 if the connection closes early
 */
export async function readBody(incoming: Incoming, most = MAX_BODY_BYTES): Promise<Buffer> {
	if (Number(incoming.headers['content-length']) > most) throw tooLarge(most);
	const chunks: Buffer[] = [];
	let size = 0;
	await new Promise<void>((resolve, reject) => {
		const cutOff = () => {
			if (!incoming.readableEnded)
				reject(new HttpError(422, 'validation', 'The connection closed before the end of the body.'));
		};
		incoming.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= most) chunks.push(chunk);
			else reject(tooLarge(most));
		});
		incoming.on('end', resolve).on('error', cutOff).on('close', cutOff);
		// The client may have disconnected while a fault delayed the request.
		if (incoming.destroyed) cutOff();
	});
	return Buffer.concat(chunks);
}

/** Reads a request's body as JSON. @throws HttpError 413 if it is too long, 422 if it is not JSON */
export async function readJson(incoming: Incoming, most = MAX_BODY_BYTES): Promise<unknown> {
	return parseRequestJson((await readBody(incoming, most)).toString('utf8'));
}

/**
 * Reads a request's body as a form, urlencoded or multipart.
 * @returns the fields by name; the last one if a name occurs several times
 * @throws HttpError 413 if it is too long, 422 if it is not a form
 */
export async function readForm(incoming: Incoming): Promise<Record<string, unknown>> {
	const body = new Uint8Array(await readBody(incoming));
	const headers = { 'content-type': incoming.headers['content-type'] ?? '' };
	const form = await new Response(body, { headers }).formData().catch(() => {
		throw new HttpError(422, 'validation', 'The body is not a form.');
	});
	const fields: Record<string, unknown> = {};
	form.forEach((value, name) => {
		fields[name] = value;
	});
	return fields;
}

function tooLarge(most: number): HttpError {
	return new HttpError(413, 'too_large', `The body is longer than ${most / 1024} KiB.`);
}
