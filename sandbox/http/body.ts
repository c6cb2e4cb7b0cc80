import { parseJson } from './parse';
import { Refusal } from './refusal';

/** Longest body that is read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Reads a request's body.
 * @throws Refusal 413 `too_large` as soon as it is longer than {@link MAX_BODY_BYTES}
 */
export async function readBody(request: Request): Promise<Buffer<ArrayBuffer>> {
	if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw tooLarge();
	const chunks: Uint8Array[] = [];
	let size = 0;
	const reader = request.body?.getReader();
	for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
		size += read.value.length;
		if (size > MAX_BODY_BYTES) throw tooLarge();
		chunks.push(read.value);
	}
	return Buffer.concat(chunks);
}

/** Reads a request's body as JSON. @throws Refusal 413 where it is too long, 422 where it is not JSON */
export async function readJson(request: Request): Promise<unknown> {
	return parseJson((await readBody(request)).toString('utf8'));
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

function tooLarge(): Refusal {
	return new Refusal(413, 'too_large', `The body is longer than ${MAX_BODY_BYTES / 1024} KiB.`);
}
