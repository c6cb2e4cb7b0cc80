import type { Client, ListEndpoint, Listing, OutputOf, ReadAllOptions } from '../../shared';
import { TIMEOUT_MS } from './perform';

/**
 * Reads the pages of a list (docs/api.md#lists) within the time of a step.
 * @returns the rows, and in `incomplete` the error if a later page could not be read
 * @throws ServiceError if the first page cannot be read
 */
export async function readList<E extends ListEndpoint>(
	client: Client,
	endpoint: E,
	options: ReadAllOptions<OutputOf<E>[number]> = {},
): Promise<Listing<OutputOf<E>[number]>> {
	const read = await client.readAll(endpoint, { timeLimitMs: TIMEOUT_MS, ...options });
	if (read.outcome !== 'accepted') throw read.error;
	return read.output;
}

/**
 * Reads all rows of a list.
 * @throws ServiceError if any page cannot be read, because a part must not look like the whole list
 */
export async function readWholeList<E extends ListEndpoint>(
	client: Client,
	endpoint: E,
): Promise<ReadonlyArray<OutputOf<E>[number]>> {
	const { rows, incomplete } = await readList(client, endpoint);
	if (incomplete) throw incomplete;
	return rows;
}
