import type { IExecuteFunctions, ILoadOptionsFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { createClient, InputError, type Client } from '../../../shared';
import { explain } from './errors';
import { API_CREDENTIAL, n8nTransport } from './transport';

/**
 * Makes the client that a node calls the service with, from its credential.
 * @throws NodeOperationError where the base URL or the key cannot be right; nothing is sent
 */
export async function nodeClient(context: IExecuteFunctions | ILoadOptionsFunctions): Promise<Client> {
	const { baseUrl, apiKey } = await context.getCredentials<{ baseUrl: string; apiKey: string }>(API_CREDENTIAL);
	try {
		return createClient({ baseUrl, apiKey, transport: n8nTransport(context), authHeader: 'host' });
	} catch (error) {
		if (error instanceof InputError) throw new NodeOperationError(context.getNode(), error, explain(error));
		throw new NodeOperationError(context.getNode(), 'The credential cannot be used');
	}
}
