import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../boundedMap';
import { checkSecret, checkSignature, WEBHOOK_CREDENTIAL, type WebhookSecrets } from './authenticate';

/** How long a secret that was removed from the credential may still be accepted, in milliseconds. */
const KEPT_MS = 5_000;

/** Credentials that were read recently. */
const recent = new BoundedMap<WebhookSecrets>(1_000);

/**
 * Returns the credential that authenticates a request. n8n fetches and decrypts a credential and starts an interpreter
 * for its expressions each time, which takes longer than the rest of the request. So it is cached for 5 seconds, for
 * positive results only: a failed check reads the credential again.
 * @returns undefined if it cannot be read
 */
export async function webhookCredential(context: IWebhookFunctions): Promise<WebhookSecrets | undefined> {
	const node = context.getNode();
	const key = JSON.stringify([context.getWorkflow().id, node.id, node.credentials?.[WEBHOOK_CREDENTIAL]?.id]);
	const kept = recent.get(key);
	if (kept && !checkSecret(context, kept) && !checkSignature(context, kept)) return kept;
	try {
		const credential = await context.getCredentials<WebhookSecrets>(WEBHOOK_CREDENTIAL);
		recent.set(key, credential, KEPT_MS);
		return credential;
	} catch {
		return undefined;
	}
}
