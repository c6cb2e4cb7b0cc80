/** The age after which a call may use a key that an earlier call has. */
export interface KeyAge {
	/** Digest of the ID that all attempts of the call share. */
	readonly call: string;
	/** From the claim of the earlier call. */
	readonly maxSeconds: number;
}

/** The header `Relay-Key-Max-Age`: seconds. */
export const KEY_MAX_AGE = /^[1-9]\d{0,5}$/;

/**
 * Reads the header `Relay-Key-Max-Age`, such as `300`.
 * @returns seconds; undefined if it is not valid
 */
export function parseKeyMaxAge(header: string): number | undefined {
	const text = header.trim();
	return KEY_MAX_AGE.test(text) ? Number(text) : undefined;
}
