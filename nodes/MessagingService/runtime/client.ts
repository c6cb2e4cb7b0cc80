import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	ConnectionError,
	createClient,
	InputError,
	isSandboxKey,
	throttledTransport,
	ServiceError,
	type Client,
} from '../../../shared';
import { explainError } from './errors';
import { numberOption, readOrError } from './parameters';
import { API_CREDENTIAL, n8nTransport, type ApiCredential } from './transport';

/** The client and settings of one run. */
export interface NodeClient {
	readonly client: Client;
	/** Whether the key is a sandbox key. */
	readonly sandbox: boolean;
	/** Maximum number of calls in flight. */
	readonly parallel: number;
}

const NOTHING_SENT = 'Nothing was sent or charged.';
const PARALLEL = 10;
const PARALLEL_RANGE = { min: 1, max: 250, whole: true, expected: 'a whole number from 1 to 250' };
const PER_SECOND_RANGE = { min: 0, expected: 'a number, or 0 for no limit' };

/**
 * Makes the client of a run from the credential and the options of the first item.
 * @returns an error if the credential or an option cannot be used; nothing is sent then
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

/** The error for a credential that is missing or that n8n cannot read. */
function unusable(error: unknown): ConnectionError {
	const { description } = Object(error) as { description?: unknown };
	const hint = typeof description === 'string' && description !== '' ? description : NOTHING_SENT;
	const message = error instanceof Error ? error.message : String(error);
	const failure = new ConnectionError(message, { endpoint: 'node', sent: 'no', hint });
	failure.cause = error;
	return failure;
}

/**
 * Makes the client of a picker.
 * @throws NodeOperationError if the base URL or the key cannot be right; nothing is sent
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
	// All calls of the run share it, so that all wait when the service asks one to slow down.
	const pace = { perSecond, basePauseMs: 500, longestPauseMs: 30_000 };
	const transport = throttledTransport(n8nTransport(context, credential), pace);
	const { baseUrl, apiKey } = credential;
	try {
		return createClient({ baseUrl, apiKey, transport, authHeader: 'host' });
	} catch (error) {
		if (error instanceof InputError) return error;
		const message = 'The credential cannot be used';
		return new ConnectionError(message, { endpoint: 'node', sent: 'no', hint: NOTHING_SENT });
	}
}

async function readCredential(context: IExecuteFunctions | ILoadOptionsFunctions): Promise<ApiCredential> {
	return await context.getCredentials<ApiCredential>(API_CREDENTIAL);
}
