import { createHmac, timingSafeEqual } from 'crypto';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

const ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
const ENCODINGS = ['hex', 'base64'] as const;

/** How requests are signed: an HMAC of the body's bytes, in a header. */
export interface SignatureScheme {
	readonly secret: string;
	/** Name of the header, in lower case. */
	readonly header: string;
	readonly algorithm: (typeof ALGORITHMS)[number];
	readonly encoding: (typeof ENCODINGS)[number];
}

/**
 * Reads the scheme from the credential.
 * @returns undefined without a secret, because anyone could sign with an empty one
 */
export function signatureScheme(credential: ICredentialDataDecryptedObject): SignatureScheme | undefined {
	const secret = textOf(credential.signatureSecret);
	if (secret === '') return undefined;
	return {
		secret,
		header: textOf(credential.signatureHeader).trim().toLowerCase(),
		algorithm: ALGORITHMS.find((name) => name === credential.signatureAlgorithm) ?? 'sha256',
		encoding: ENCODINGS.find((name) => name === credential.signatureEncoding) ?? 'hex',
	};
}

/**
 * Checks the credential's fields for signatures.
 * @returns an error for the user, or undefined
 */
export function signatureIssue(credential: ICredentialDataDecryptedObject): string | undefined {
	const scheme = signatureScheme(credential);
	if (scheme === undefined) return 'Signature Secret is missing: enter the key that your provider signs with';
	if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(scheme.header)) return undefined;
	return 'Signature Header is missing or not a header name: enter the header that contains the signature, e.g. X-Signature';
}

/**
 * Whether a header's value is the signature of a body. Compares in constant time and accepts a prefix such as
 * `sha256=`.
 * @param body the raw bytes
 */
export function isSigned(given: string, body: Uint8Array, { secret, algorithm, encoding }: SignatureScheme): boolean {
	const expected = createHmac(algorithm, secret).update(body).digest();
	const value = given.trim().replace(new RegExp(`^${algorithm}\\s*=\\s*`, 'i'), '');
	const well = encoding === 'hex' ? /^[0-9a-f]+$/i : /^[A-Za-z0-9+/_-]+={0,2}$/;
	if (!well.test(value)) return false;
	// Node's base64 reads the URL-safe alphabet as well.
	const candidate = Buffer.from(value, encoding);
	return candidate.length === expected.length && timingSafeEqual(candidate, expected);
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
