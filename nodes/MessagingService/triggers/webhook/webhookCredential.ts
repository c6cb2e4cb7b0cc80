import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';
import { BoundedMap } from '../../memory/boundedMap';

/** How long a secret that was removed from the credential may still be accepted, in milliseconds. */
const KEPT_MS = 5_000;

/** Credentials that were read recently. */
const recent = new BoundedMap<ICredentialDataDecryptedObject>({ maxSize: 1_000 });

/**
 * Returns the credential that authenticates a request. n8n fetches and decrypts a credential and starts an interpreter
 * for its expressions each time, which takes longer than the rest of the request. So it is cached for 5 seconds, for
 * positive results only: a failed check reads the credential again.
 * @param accepts whether the request is authentic by this credential
 * @returns undefined if it cannot be read
 */
export async function webhookCredential(
	context: IWebhookFunctions,
	type: string,
	accepts: (credential: ICredentialDataDecryptedObject) => boolean,
): Promise<ICredentialDataDecryptedObject | undefined> {
	const node = context.getNode();
	const key = JSON.stringify([context.getWorkflow().id, node.id, type, node.credentials?.[type]?.id]);
	const kept = recent.get(key);
	if (kept && accepts(kept)) return kept;
	try {
		const credential = await context.getCredentials(type);
		recent.set(key, credential, KEPT_MS);
		return credential;
	} catch {
		return undefined;
	}
}
