import { bodyKind, groupFields, textDecoder } from '../../shared/index';

/**
 * Reads the fields of a multipart body. Files in it are left out. A text that is not UTF-8 is windows-1252.
 * @returns undefined for a body of another type, or one that cannot be read
 */
export async function parseMultipart(contentType: string, bytes: Uint8Array): Promise<unknown> {
	if (bodyKind(contentType) !== 'multipart') return undefined;
	// One character for each byte, because `formData` replaces bytes that are not UTF-8.
	const body = Buffer.from(Buffer.from(bytes).toString('latin1'));
	const form = await new Response(body, { headers: { 'content-type': contentType } }).formData().catch(() => undefined);
	if (form === undefined) return undefined;
	const decode = textDecoder();
	const decoded = (text: string) => decode(Buffer.from(text, 'latin1')) ?? text;
	const fields = [...form].flatMap(([name, value]): Array<[string, string]> =>
		typeof value === 'string' ? [[decoded(name), decoded(value)]] : [],
	);
	return groupFields(fields);
}
