import { asText } from './fieldValue';

/** Maximum depth of nested lists. A deeper one is not read, because that could overflow the stack. */
const DEEPEST_LIST = 10;

/**
 * Reads a field as a list of texts: a list, text with commas, semicolons or line breaks between the entries, or a list as
 * JSON text. Blank entries are left out. Any other value, such as an object, becomes `?`, so that it is not overlooked.
 * @example readTextList('2026-12-25, 2026-12-26') // ['2026-12-25', '2026-12-26']
 */
export function readTextList(value: unknown): string[] {
	return entriesOf(value, 0);
}

function entriesOf(value: unknown, depth: number): string[] {
	if (value === undefined || value === null) return [];
	if (Array.isArray(value)) {
		const entries: readonly unknown[] = value;
		return depth < DEEPEST_LIST ? entries.flatMap((entry) => entriesOf(entry, depth + 1)) : ['?'];
	}
	if (typeof value !== 'string') return [asText(value) || '?'];
	const list = jsonList(value);
	if (list) return entriesOf(list, depth + 1);
	return value
		.split(/[,;\n\r]/)
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
}

/**
 * Reads a text that is a list in JSON.
 * @returns undefined for any other text
 */
export function jsonList(text: string): readonly unknown[] | undefined {
	if (!text.trimStart().startsWith('[')) return undefined;
	try {
		const value: unknown = JSON.parse(text);
		return Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
