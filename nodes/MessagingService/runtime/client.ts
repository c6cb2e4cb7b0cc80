import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createClient, InputError, pacedTransport, type Client } from '../../../shared';
import { explain } from './errors';
import { runOptions } from './parameters';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** What the calls of one run are made with. */
export interface NodeClient {
	readonly client: Client;
	/** Whether the key is one of the sandbox. */
	readonly sandbox: boolean;
	/** Calls under way at the same time. */
	readonly parallel: number;
}

const PARALLEL = 10;
const MOST_PARALLEL = 250;
const NAMES = ['parallelRequests', 'requestsPerSecond'];

/**
 * Makes the client that a run calls the service with, from the credential and the options of the first item.
 * @throws NodeOperationError where the base URL or the key cannot be right; nothing is sent
 */
export async function nodeClient(context: IExecuteFunctions): Promise<NodeClient> {
	const { parallelRequests = PARALLEL, requestsPerSecond = 0 } = runOptions(context, NAMES);
	const perSecond = Number(requestsPerSecond);
	const credential = await readCredential(context);
	return {
		client: clientOf(context, credential, perSecond > 0 ? perSecond : undefined),
		sandbox: credential.apiKey.startsWith('sk_sandbox_'),
		parallel: Math.min(MOST_PARALLEL, Math.max(1, Math.floor(Number(parallelRequests)) || PARALLEL)),
	};
}

/**
 * Makes the client that a picker calls the service with.
 * @throws NodeOperationError where the base URL or the key cannot be right; nothing is sent
 */
export async function pickerClient(context: ILoadOptionsFunctions): Promise<Client> {
	return clientOf(context, await readCredential(context), undefined);
}

function clientOf(
	context: IExecuteFunctions | ILoadOptionsFunctions,
	credential: ApiCredential,
	perSecond: number | undefined,
): Client {
	// Every call of the run leaves through it, so that all wait when the service asks one to slow down.
	const pace = { perSecond, basePauseMs: 500, longestPauseMs: 30_000 };
	const transport = pacedTransport(n8nTransport(context, credential), pace);
	const { baseUrl, apiKey } = credential;
	try {
		return createClient({ baseUrl, apiKey, transport, authHeader: 'host' });
	} catch (error) {
		if (error instanceof InputError) throw new NodeOperationError(context.getNode(), error, explain(error));
		throw new NodeOperationError(context.getNode(), 'The credential cannot be used');
	}
}

async function readCredential(context: IExecuteFunctions | ILoadOptionsFunctions): Promise<ApiCredential> {
	return await context.getCredentials<ApiCredential>(API_CREDENTIAL);
}
