import { createHash } from 'crypto';

/** Hashes values to a short key, so that memory holds no phone numbers or message texts. */
export function fingerprint(...values: ReadonlyArray<string | number | null | undefined>): string {
	return createHash('sha256')
		.update(JSON.stringify(values.map((value) => value ?? null)))
		.digest('base64url')
		.slice(0, 22);
}
