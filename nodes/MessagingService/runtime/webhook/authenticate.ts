import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { isInIpRanges } from '../../../../shared';
import { isSecret, secretsIssue } from '../secret';
import type { Rejection } from './rejection';
import { isSigned, signatureIssue, signatureScheme } from './signature';

/** The credential type that holds the webhook secrets. */
export const WEBHOOK_CREDENTIAL = 'messagingServiceWebhookApi';

/** The fields of this credential, without those for signatures. */
export interface WebhookSecrets extends ICredentialDataDecryptedObject {
	secret: string;
	previousSecret: string;
}

/**
 * Checks the credential.
 * @returns an error for the user, or undefined
 */
export function webhookCredentialIssue(credential: ICredentialDataDecryptedObject): string | undefined {
	const { secret, previousSecret } = credential;
	return secretsIssue(String(secret ?? ''), String(previousSecret ?? '')) ?? signatureIssue(credential);
}

/** Checks the secret in the path. A caller without it gets no details. */
export function checkSecret(
	context: IWebhookFunctions,
	{ secret, previousSecret }: WebhookSecrets,
): Rejection | undefined {
	const given: unknown = Reflect.get(context.getParamsData(), 'secret');
	if (isSecret(String(given), [secret, previousSecret])) return undefined;
	return { status: 404, reason: 'wrong secret in the path' };
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

/** Checks the signature of the body, if the credential has a signature secret. */
export function checkSignature(context: IWebhookFunctions, credential: WebhookSecrets): Rejection | undefined {
	const scheme = signatureScheme(credential);
	if (scheme === undefined) return undefined;
	const { [scheme.header]: header } = context.getHeaderData();
	const { rawBody } = context.getRequestObject();
	const rejected = (why: string): Rejection => ({
		status: 401,
		reason: 'wrong signature',
		message: `The signature in the header ${scheme.header} ${why}`,
	});
	if (typeof header !== 'string' || header === '') return rejected('is missing');
	if (!Buffer.isBuffer(rawBody) || !isSigned(header, rawBody, scheme)) return rejected('does not match the body');
	return undefined;
}
