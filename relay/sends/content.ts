import type { GivenCall } from './movedFrom';

/**
 * The content that a key belongs to.
 * @param body as text that is equal for equal bodies
 */
export function contentOf({ method, path }: GivenCall, body: string): string {
	return `${method} ${path}\n${body}`;
}

/**
 * Writes a JSON value with sorted keys, so that equal contents have equal texts.
 * @param value parsed JSON
 */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
	return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}
