import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import { createClient, InputError, type Client, type ServiceError } from '../../../shared';
import { explainError } from './errors';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** Why the service gave no result. */
export interface Failed {
	/** For the owner of the workflow, in the service's own words if it had some: these may repeat numbers and texts. */
	readonly problem: string;
	/** For n8n's log: our own words only. */
	readonly loggable: string;
}

/** What came of something that was asked of the service. */
export type ServiceResult<Result> = { readonly result: Result } | Failed;

/** Reads the credential with the API key of a trigger. */
export async function readApiCredential(
	context: IPollFunctions | IWebhookFunctions,
): Promise<ServiceResult<ApiCredential>> {
	try {
		return { result: await context.getCredentials<ApiCredential>(API_CREDENTIAL) };
	} catch {
		return failed('The Messaging Service API credential of the trigger cannot be read: choose it again');
	}
}

/** Makes the client that a trigger calls the service with; it gives up within about half a minute. */
export async function triggerClient(context: IPollFunctions | IWebhookFunctions): Promise<ServiceResult<Client>> {
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
		return error instanceof InputError ? failedCall(error) : failed('The Messaging Service API credential is unusable');
	}
}

/** Makes a failure that has nothing of the service's words. */
export function failed(problem: string): Failed {
	return { problem, loggable: problem };
}

/** Makes a failure of a call: what happened, in the service's words, and what to do. */
export function failedCall(error: ServiceError): Failed {
	const { message, description } = explainError(error);
	return { problem: `${message}. ${description}`, loggable: loggable(error) };
}

/** Words a failure for n8n's log, which may hold no number, text or code: the service may repeat them anywhere. */
export function loggable({ name, status, meaning }: ServiceError): string {
	if (status === undefined) return `no response that can be used (${name})`;
	return `the service responded with HTTP ${status}${meaning === undefined ? '' : ` (${meaning})`}`;
}
