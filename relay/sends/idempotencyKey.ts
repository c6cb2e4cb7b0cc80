/** Most characters of an idempotency key. */
export const MOST_KEY_CHARACTERS = 255;

/** A structured field string (RFC 9651, 3.3.3) of visible characters. */
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"$/;

/** An idempotency key: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = new RegExp(`^[!-~]{1,${MOST_KEY_CHARACTERS}}$`);

/** Whether a text can be an idempotency key. */
export function isIdempotencyKey(text: unknown): text is string {
	return typeof text === 'string' && IDEMPOTENCY_KEY.test(text);
}

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a structured field string, or the bare
 * key, which many clients send. `"a"` and `a` are the same key.
 * @returns undefined if it is not valid
 */
export function parseIdempotencyKey(header: string): string | undefined {
	const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
	const key = quoted ?? (header.startsWith('"') ? undefined : header);
	return isIdempotencyKey(key) ? key : undefined;
}
