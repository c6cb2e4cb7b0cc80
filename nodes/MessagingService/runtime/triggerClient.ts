import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import { createClient, InputError, type Client, type ServiceError } from '../../../shared';
import { explain } from './errors';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** What came of something that was asked of the service; `problem` says in words for people why nothing did. */
export type Asked<Result> = { readonly result: Result } | { readonly problem: string };

/** Reads the credential with the API key of a trigger. */
export async function readApiCredential(context: IPollFunctions | IWebhookFunctions): Promise<Asked<ApiCredential>> {
	try {
		return { result: await context.getCredentials<ApiCredential>(API_CREDENTIAL) };
	} catch {
		return { problem: 'The Messaging Service API credential of the trigger cannot be read: choose it again' };
	}
}

/** Makes the client that a trigger calls the service with; it gives up within about half a minute. */
export async function triggerClient(context: IPollFunctions | IWebhookFunctions): Promise<Asked<Client>> {
	const credential = await readApiCredential(context);
	if ('problem' in credential) return credential;
	const { baseUrl, apiKey } = credential.result;
	try {
		const client = createClient({
			baseUrl,
			apiKey,
			transport: n8nTransport(context, credential.result),
			authHeader: 'host',
			timeoutMs: 10_000,
			retry: { budgetMs: 30_000, longestWaitMs: 10_000 },
		});
		return { result: client };
	} catch (error) {
		return {
			problem: error instanceof InputError ? wordsOf(error) : 'The Messaging Service API credential is unusable',
		};
	}
}

/** A failure in one line: what happened, in the service's words, and what to do. */
export function wordsOf(error: ServiceError): string {
	const { message, description } = explain(error);
	return `${message}. ${description}`;
}
