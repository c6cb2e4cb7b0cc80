import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { isInIpRanges } from '../../../../shared';
import { isPlaceholder, isSecret, SECRET_ADVICE, secretsIssue } from './secret';
import type { Rejection } from './rejection';
import { choice, type Unusable } from './settingReaders';
import { isSigned, signatureIssue, signatureScheme } from './signature';

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
