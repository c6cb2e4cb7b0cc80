import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { HttpError } from './httpError';

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const gzip: Decode = promisify(gunzip);
const zlib: Decode = promisify(inflate);
const raw: Decode = promisify(inflateRaw);
const brotli: Decode = promisify(brotliDecompress);

/** The low half of the first byte of the zlib format, which some senders leave out. */
const ZLIB_METHOD = 8;

const DECODERS: ReadonlyMap<string, Decode> = new Map([
	['gzip', gzip],
	['x-gzip', gzip],
	['deflate', async (bytes, limits) => await (((bytes[0] ?? 0) & 0xf) === ZLIB_METHOD ? zlib : raw)(bytes, limits)],
	['br', brotli],
]);

/** The encodings that {@link decodeContent} reads, as the header `Accept-Encoding` names them. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** Most encodings of one body. */
const MOST_ENCODINGS = 2;

/**
 * Decodes a body by its header `Content-Encoding`.
 * @param most bytes of the decoded body
 * @throws HttpError 400 if it is damaged, 413 if it is larger, 415 for an unknown encoding
 */
export async function decodeContent(body: Uint8Array, header: string, most: number): Promise<Uint8Array> {
	const names = header
		.split(',')
		.map((name) => name.trim().toLowerCase())
		.filter((name) => name !== '' && name !== 'identity');
	const decoders = names.map((name) => DECODERS.get(name)).filter((one) => one !== undefined);
	if (decoders.length < names.length || names.length > MOST_ENCODINGS) {
		const message = `The content encoding is unknown. Send the body as it is, or with one of: ${ACCEPTED_ENCODINGS}.`;
		throw new HttpError(415, 'unsupported_media_type', message);
	}
	let decoded = body;
	for (const decode of decoders.reverse()) {
		try {
			decoded = await decode(decoded, { maxOutputLength: most });
		} catch (error) {
			if (isTooLarge(error)) throw tooLarge(most);
			const message = 'The body does not match its content encoding. Send it complete, or without Content-Encoding.';
			throw new HttpError(400, 'invalid', message);
		}
	}
	return decoded;
}

/** The error of a body that is too large. @param most bytes */
export function tooLarge(most: number): HttpError {
	return new HttpError(413, 'too_large', `The body is larger than ${most / 1024} KB. Send a smaller one.`);
}

function isTooLarge(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
