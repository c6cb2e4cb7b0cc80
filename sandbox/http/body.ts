import { parseJson } from './parse';
import { Refusal } from './refusal';

/** Longest body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Longest body of a bulk send, in bytes: 100,000 numbers and a text. */
export const MAX_BULK_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Reads a request's body.
 * @throws Refusal 413 `too_large` as soon as it is longer than that many bytes
 */
export async function readBody(request: Request, most = MAX_BODY_BYTES): Promise<Buffer<ArrayBuffer>> {
	const promised = request.headers.get('content-length');
	if (Number(promised) > most) throw tooLarge(most);
	// Whoever says how long a body is cannot send more than that, and this way of reading is much the fastest.
	if (promised !== null) return Buffer.from(await request.arrayBuffer());
	const chunks: Uint8Array[] = [];
	let size = 0;
	const reader = request.body?.getReader();
	for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
		size += read.value.length;
		if (size > most) throw tooLarge(most);
		chunks.push(read.value);
	}
	return Buffer.concat(chunks);
}

/** Reads a request's body as JSON. @throws Refusal 413 where it is too long, 422 where it is not JSON */
export async function readJson(request: Request, most = MAX_BODY_BYTES): Promise<unknown> {
	return parseJson((await readBody(request, most)).toString('utf8'));
}

/**
 * Reads a request's body as a form, urlencoded or multipart.
 * @returns the fields by name; of several with one name the last
 * @throws Refusal 413 where it is too long, 422 where it is not a form
 */
export async function readForm(request: Request): Promise<Record<string, unknown>> {
	const body = await readBody(request);
	const headers = { 'content-type': request.headers.get('content-type') ?? '' };
	const form = await new Response(body, { headers }).formData().catch(() => {
		throw new Refusal(422, 'validation', 'The body is not a form.');
	});
	const fields: Record<string, unknown> = {};
	form.forEach((value, name) => {
		fields[name] = value;
	});
	return fields;
}

function tooLarge(most: number): Refusal {
	return new Refusal(413, 'too_large', `The body is longer than ${most / 1024} KiB.`);
}
