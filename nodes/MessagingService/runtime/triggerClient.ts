import type { IPollFunctions, IWebhookFunctions } from 'n8n-workflow';
import { createClient, errorFacts, errorText, InputError, type Client, type ServiceError } from '../../../shared';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** A failed call of the service. */
export interface Failed {
	/**
	 * For the owner of the workflow, in the service's own words if it gave any. It may contain numbers and message texts.
	 */
	readonly problem: string;
	/** For n8n's log, without the service's words. */
	readonly loggable: string;
}

/** The result of a call, or its failure. */
export type ServiceResult<Result> = { readonly result: Result } | Failed;

/** Reads the credential with the API key of a trigger. */
export async function readApiCredential(
	context: IPollFunctions | IWebhookFunctions,
): Promise<ServiceResult<ApiCredential>> {
	try {
		return { result: await context.getCredentials<ApiCredential>(API_CREDENTIAL) };
	} catch {
		return failed('The Messaging Service API credential of this trigger cannot be read: select it again');
	}
}

/** Makes the client of a trigger. It gives up within about 30 seconds. */
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
		return error instanceof InputError
			? failedCall(error)
			: failed('The Messaging Service API credential cannot be used: check its fields');
	}
}

/** Makes a failure without the service's words. */
export function failed(problem: string): Failed {
	return { problem, loggable: problem };
}

/** Makes the failure of a call, with the service's words and what to do. */
export function failedCall(error: ServiceError): Failed {
	return { problem: `${errorText(error)}${errorFacts(error)}`, loggable: loggable(error) };
}

/**
 * Describes a failure for n8n's log. The log must not contain numbers, message texts or codes, and the service may
 * repeat them in any message.
 */
export function loggable({ name, status, meaning }: ServiceError): string {
	if (status === undefined) return `no usable response (${name})`;
	return `the service responded with HTTP ${status}${meaning === undefined ? '' : ` (${meaning})`}`;
}
