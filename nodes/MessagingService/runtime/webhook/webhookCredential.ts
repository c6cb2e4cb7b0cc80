import type { IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from './boundedMap';
import { checkSecret, checkSignature, WEBHOOK_CREDENTIAL, type WebhookSecrets } from './authenticate';

/** How long a secret that was taken out of the credential may still be taken, in milliseconds. */
const KEPT_MS = 5_000;

/** Credentials read a moment ago. */
const recent = new BoundedMap<WebhookSecrets>(1_000);

/**
 * Gives the credential that a post is checked by. n8n fetches and decrypts one and starts an interpreter for its
 * expressions each time, which takes longer than all the rest of a post; so one that was read a moment ago serves again,
 * as long as the post passes: nothing is ever refused by it.
 * @returns undefined where it cannot be read
 */
export async function webhookCredential(context: IWebhookFunctions): Promise<WebhookSecrets | undefined> {
	const node = context.getNode();
	const key = JSON.stringify([context.getWorkflow().id, node.id, node.credentials?.[WEBHOOK_CREDENTIAL]?.id]);
	const kept = recent.get(key, Date.now());
	if (kept && !checkSecret(context, kept) && !checkSignature(context, kept)) return kept;
	try {
		const credential = await context.getCredentials<WebhookSecrets>(WEBHOOK_CREDENTIAL);
		recent.set(key, credential, Date.now() + KEPT_MS);
		return credential;
	} catch {
		return undefined;
	}
}
