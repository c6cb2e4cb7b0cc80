import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { isInIpRanges } from '../../../../shared';
import { isPlaceholder, isSecret, SECRET_ADVICE, secretsIssue } from './secret';
import type { Rejection } from './rejection';
import { choice, type Unusable } from './settingReaders';
import { createHmac, timingSafeEqual } from 'crypto';

const AUTHENTICATIONS = [
	['none', 'Unguessable URL'],
	['secret', 'Secret in the URL'],
	['signature', 'Signature'],
] as const;

/** How a request is authenticated. With `none` and `signature`, the URL itself is unguessable. */
export type Authentication = (typeof AUTHENTICATIONS)[number][0];

/** The credential type of each authentication that has one. */
export const CREDENTIAL_TYPES = {
	secret: 'messagingServiceWebhookApi',
	signature: 'messagingServiceSignatureApi',
} as const satisfies Partial<Record<Authentication, string>>;

/** An authentication with a credential. */
export type WithCredential = keyof typeof CREDENTIAL_TYPES;

/**
 * Reads the field Authentication. An unknown value is an error, because it must not mean "everyone".
 * @throws n8n's own error for an expression that cannot be evaluated
 */
export function readAuthentication(context: Pick<IWebhookFunctions, 'getNodeParameter'>): Authentication | Unusable {
	return choice(AUTHENTICATIONS)(context.getNodeParameter('authentication', 'none'));
}

/**
 * Checks the credential of an authentication.
 * @returns an error for the user, or undefined
 */
export function credentialIssue(
	authentication: WithCredential,
	credential: ICredentialDataDecryptedObject,
): string | undefined {
	if (authentication === 'signature') return signatureIssue(credential);
	const issue = secretsIssue(...secretsOf(credential));
	return issue && `${issue}. ${SECRET_ADVICE}`;
}

/** The secret and the previous one. Both may be empty. */
export function secretsOf({ secret, previousSecret }: ICredentialDataDecryptedObject): [string, string] {
	return [String(secret ?? ''), String(previousSecret ?? '')];
}

/** Checks the secret in the path. A caller without it gets no details. */
export function checkSecret(
	context: IWebhookFunctions,
	credential: ICredentialDataDecryptedObject,
): Rejection | undefined {
	const given = String(Reflect.get(context.getParamsData(), 'secret'));
	if (isSecret(given, secretsOf(credential))) return undefined;
	if (!isPlaceholder(given)) return { status: 404, reason: 'wrong secret in the path' };
	const message = 'Replace :secret at the end of this URL with the Secret of your credential in n8n';
	return { status: 404, reason: 'the placeholder :secret in the path', message };
}

/**
 * Checks the caller's IP address. Behind a proxy, n8n sees the real address only if N8N_PROXY_HOPS is set.
 * @param allowed undefined = any address
 */
export function checkAddress(
	context: IWebhookFunctions,
	allowed: readonly string[] | undefined,
): Rejection | undefined {
	if (allowed === undefined) return undefined;
	const { ip = '' } = context.getRequestObject();
	if (isInIpRanges(ip, allowed)) return undefined;
	const message = `${ip === '' ? 'An unknown address' : ip} is not in the Allowed IP Addresses of this trigger`;
	return { status: 403, reason: 'address not allowed', message };
}

/** Checks the signature of the body. */
export function checkSignature(
	context: IWebhookFunctions,
	credential: ICredentialDataDecryptedObject,
): Rejection | undefined {
	const rejected = (message: string): Rejection => ({ status: 401, reason: 'wrong signature', message });
	const scheme = signatureScheme(credential);
	if (scheme === undefined) return rejected('The signature cannot be checked: the credential has no Signature Secret');
	const { [scheme.header]: header } = context.getHeaderData();
	const { rawBody } = context.getRequestObject();
	const subject = `The signature in the header ${scheme.header}`;
	if (typeof header !== 'string' || header === '') return rejected(`${subject} is missing`);
	if (!Buffer.isBuffer(rawBody) || !isSigned(header, rawBody, scheme)) {
		return rejected(`${subject} does not match the body`);
	}
	return undefined;
}

const ALGORITHMS = ['sha256', 'sha512', 'sha1'] as const;
const ENCODINGS = ['hex', 'base64'] as const;

/** How requests are signed: an HMAC of the body's bytes, in a header. */
interface SignatureScheme {
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
function signatureScheme(credential: ICredentialDataDecryptedObject): SignatureScheme | undefined {
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
