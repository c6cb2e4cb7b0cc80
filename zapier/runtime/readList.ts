import type { Client, ListEndpoint, Listing, OutputOf, ReadAllOptions } from '../../shared';
import { TIMEOUT_MS } from './perform';

/**
 * Reads all pages of a list, as far as the time of a step allows.
 * @returns the rows, and why they are not all if a further page could not be read
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
 * @throws ServiceError if any page cannot be read: a part of the list would pass for the whole
 */
export async function readWholeList<E extends ListEndpoint>(
	client: Client,
	endpoint: E,
): Promise<ReadonlyArray<OutputOf<E>[number]>> {
	const { rows, incomplete } = await readList(client, endpoint);
	if (incomplete) throw incomplete;
	return rows;
}
