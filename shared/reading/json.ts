/**
 * Parses a body that should be JSON. Integers too large for a number become text.
 * @returns the value in an object; undefined if the body is missing, incomplete or not JSON
 * @example parseJson('{"id":12345678901234567890}') // { value: { id: '12345678901234567890' } }
 */
export function parseJson(body: string | undefined): { value: unknown } | undefined {
	if (body === undefined) return undefined;
	try {
		const text = body.startsWith('\uFEFF') ? body.slice(1) : body;
		// A reviver is slow, and only a long row of digits can lose precision.
		const value: unknown = /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}

/** An integer too large for a number, such as a long ID, stays as written. */
function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
	const exact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
	return exact ? value : (context?.source ?? value);
}
