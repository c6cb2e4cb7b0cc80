import { asText } from './fieldValue';

/** The fields in which mail nodes give an address, or a list of them. */
const ADDRESS_FIELDS = ['value', 'address', 'email', 'emailAddress'];

/** Deepest nesting of the objects of mail nodes. */
const DEEPEST = 5;

/**
 * Reads an email address as mail nodes and people write it: with a name, as `mailto:` link, with a comma at the end, in a list
 * with one entry, or in an object such as `{ value: [{ address, name }] }`. The contract checks the address itself.
 * @returns the address; several with commas between them; the empty text for a value without one
 * @example typedAddress('Ama <ama@example.com>') // 'ama@example.com'
 */
export function typedAddress(value: unknown): string {
	return addressesIn(value, 0).join(', ');
}

function addressesIn(value: unknown, depth: number): string[] {
	if (typeof value !== 'object' || value === null) return bareAddress(asText(value));
	if (depth > DEEPEST) return [];
	if (Array.isArray(value)) return value.flatMap((entry: unknown) => addressesIn(entry, depth + 1));
	const [, inner] = Object.entries(value).find(([name]) => ADDRESS_FIELDS.includes(name)) ?? [];
	return addressesIn(inner, depth + 1);
}

/** The address of a text. A text with control characters stays, because it may be the header of another recipient. */
function bareAddress(text: string): string[] {
	const trimmed = text
		.trim()
		.replace(/^[,;\s]+/, '')
		.replace(/(?<![,;\s])[,;\s]+$/, '');
	const [, named] = /^[^<>\p{Cc}]*<([^<>\s]+)>$/u.exec(trimmed) ?? [];
	const address = (named ?? trimmed).replace(/^mailto:\s*/i, '');
	return address === '' ? [] : [address];
}
