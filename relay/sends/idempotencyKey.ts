/** Most characters of an idempotency key. */
export const MOST_KEY_CHARACTERS = 255;

/** One or two structured field strings (RFC 9651, 3.1 and 3.3.3) of visible characters. */
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"(?:[ \t]*,[ \t]*"((?:[!#-[\]-~]|\\["\\])*)")?$/;

/** The keys of a call. */
export interface CallKeys {
	readonly key: string;
	/** The key of its recipient, which an entry of a bulk send may have too. */
	readonly recipientKey?: string;
}

/** An idempotency key: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = new RegExp(`^[!-~]{1,${MOST_KEY_CHARACTERS}}$`);

/** Whether a text can be an idempotency key. */
export function isIdempotencyKey(text: unknown): text is string {
	return typeof text === 'string' && IDEMPOTENCY_KEY.test(text);
}

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header): a structured field string, or the bare
 * key, which many clients send. `"a"` and `a` are the same key. A second string is the key of the recipient.
 * @returns undefined if it is not valid
 */
export function parseIdempotencyKey(header: string): CallKeys | undefined {
	const [, quoted, second] = QUOTED.exec(header) ?? [];
	const key = quoted === undefined ? (header.startsWith('"') ? undefined : header) : unescaped(quoted);
	if (!isIdempotencyKey(key)) return undefined;
	if (second === undefined) return { key };
	const recipientKey = unescaped(second);
	return isIdempotencyKey(recipientKey) ? { key, recipientKey } : undefined;
}

function unescaped(quoted: string): string {
	return quoted.replaceAll(/\\(["\\])/g, '$1');
}
