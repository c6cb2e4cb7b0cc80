import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	ConnectionError,
	createClient,
	InputError,
	isSandboxKey,
	pacedTransport,
	ServiceError,
	type Client,
} from '../../../shared';
import { explainError } from './errors';
import { numberOption, readOrError } from './parameters';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** What the calls of one run are made with. */
export interface NodeClient {
	readonly client: Client;
	/** Whether the key is one of the sandbox. */
	readonly sandbox: boolean;
	/** Calls under way at the same time. */
	readonly parallel: number;
}

const NOTHING_SENT = 'Nothing was sent and nothing was charged.';
const PARALLEL = 10;
const PARALLEL_RANGE = { min: 1, max: 250, whole: true, words: 'a whole number from 1 to 250' };
const PER_SECOND_RANGE = { min: 0, words: 'a number, or 0 for no limit' };

/**
 * Makes the client that a run calls the service with, from the credential and the options of the first item.
 * @returns why nothing can be called, if the credential or an option cannot be used; nothing is sent then
 */
export async function nodeClient(context: IExecuteFunctions): Promise<NodeClient | ServiceError> {
	const options = readOrError(() => readOptions(context));
	if (options instanceof InputError) return options;
	const credential = await readCredential(context).catch(unusable);
	if (credential instanceof ServiceError) return credential;
	const client = clientOf(context, credential, options.perSecond);
	if (client instanceof ServiceError) return client;
	return { client, sandbox: isSandboxKey(credential.apiKey), parallel: options.parallel };
}

function readOptions(context: IExecuteFunctions): { parallel: number; perSecond: number | undefined } | InputError {
	const parallel = numberOption(context, 'parallelRequests', 0, PARALLEL_RANGE, 'Parallel Requests');
	if (parallel instanceof InputError) return parallel;
	const perSecond = numberOption(context, 'requestsPerSecond', 0, PER_SECOND_RANGE, 'Requests per Second');
	if (perSecond instanceof InputError) return perSecond;
	return { parallel: parallel ?? PARALLEL, perSecond: perSecond === 0 ? undefined : perSecond };
}

/** n8n has no credential for the node, or cannot read it. */
function unusable(error: unknown): ConnectionError {
	const { description } = Object(error) as { description?: unknown };
	const hint = typeof description === 'string' && description !== '' ? description : NOTHING_SENT;
	const message = error instanceof Error ? error.message : String(error);
	const failure = new ConnectionError(message, { endpoint: 'node', sent: 'no', hint });
	failure.cause = error;
	return failure;
}

/**
 * Makes the client that a picker calls the service with.
 * @throws NodeOperationError where the base URL or the key cannot be right; nothing is sent
 */
export async function pickerClient(context: ILoadOptionsFunctions): Promise<Client> {
	const client = clientOf(context, await readCredential(context), undefined);
	if (client instanceof ServiceError) throw new NodeOperationError(context.getNode(), client, explainError(client));
	return client;
}

function clientOf(
	context: IExecuteFunctions | ILoadOptionsFunctions,
	credential: ApiCredential,
	perSecond: number | undefined,
): Client | ServiceError {
	// Every call of the run leaves through it, so that all wait when the service asks one to slow down.
	const pace = { perSecond, basePauseMs: 500, longestPauseMs: 30_000 };
	const transport = pacedTransport(n8nTransport(context, credential), pace);
	const { baseUrl, apiKey } = credential;
	try {
		return createClient({ baseUrl, apiKey, transport, authHeader: 'host' });
	} catch (error) {
		if (error instanceof InputError) return error;
		const words = 'The credential cannot be used';
		return new ConnectionError(words, { endpoint: 'node', sent: 'no', hint: NOTHING_SENT });
	}
}

async function readCredential(context: IExecuteFunctions | ILoadOptionsFunctions): Promise<ApiCredential> {
	return await context.getCredentials<ApiCredential>(API_CREDENTIAL);
}
