import { bodyKind } from '../../shared/index';

/**
 * Reads the fields of a multipart body. Files in it are left out. Bytes that are not UTF-8 are windows-1252.
 * @returns undefined for a body of another type, or one that cannot be read
 */
export async function parseMultipart(contentType: string, bytes: Uint8Array): Promise<unknown> {
	if (bodyKind(contentType) !== 'multipart') return undefined;
	const fields = await textsOf(contentType, bytes);
	if (fields?.every(([, value]) => !value.includes('\uFFFD')) !== false) return fields && grouped(fields);
	const decoded = await textsOf(contentType, new TextEncoder().encode(new TextDecoder('windows-1252').decode(bytes)));
	return grouped(decoded ?? fields);
}

async function textsOf(contentType: string, bytes: Uint8Array): Promise<Array<[string, string]> | undefined> {
	const response = new Response(Buffer.from(bytes), { headers: { 'content-type': contentType } });
	const form = await response.formData().catch(() => undefined);
	return form && [...form].filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

function grouped(fields: ReadonlyArray<[string, string]>): Record<string, string | string[]> {
	return Object.fromEntries(
		[...Map.groupBy(fields, ([name]) => name)].map(([name, all]) => {
			const [first = '', ...others] = all.map(([, value]) => value);
			return [name, others.length === 0 ? first : [first, ...others]];
		}),
	);
}
