import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { contract } from '../../shared';
import { pickerClient } from './runtime/client';
import { toNodeError } from './runtime/errors';

/**
 * Lists the account's approved sender IDs for the Sender ID field.
 * @param filter what the user typed; the case does not matter
 * @throws NodeApiError, NodeOperationError with the service's words where the list cannot be had
 */
export async function searchSenderIds(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
	const client = await pickerClient(this);
	const listed = await client.call(contract.senderId.list, {});
	if (listed.outcome !== 'accepted') throw toNodeError(this.getNode(), listed.error, undefined);
	const wanted = filter?.trim().toLowerCase() ?? '';
	return {
		results: listed.output
			.map(({ name }) => ({ name, value: name }))
			.filter(({ name }) => name.toLowerCase().includes(wanted))
			.sort((a, b) => a.name.localeCompare(b.name)),
	};
}
