import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import {
	contactChoices,
	contract,
	senderNames,
	ServiceError,
	type ListEndpoint,
	type Listing,
	type OutputOf,
} from '../../../shared';
import { credentialClient } from './client';
import { causeOrNodeError, toNodeError } from './errors';

/** Entries in one page of a list. */
const PAGE_SIZE = 100;

/** Time limit for reading a list, in milliseconds: the user is waiting for it. */
const LIST_TIME_LIMIT_MS = 20_000;

/**
 * Lists the account's approved sender IDs for the Sender ID field.
 * @param filter the user's search text, in any case
 * @param paginationToken index of the first entry to return
 * @throws NodeApiError or NodeOperationError in the service's words, if the list cannot be read
 */
export async function searchSenderIds(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const listed = await read(this, contract.senderId.list);
	const wanted = filter.trim().toLowerCase();
	const names = senderNames(listed.rows).filter((name) => name.toLowerCase().includes(wanted));
	if (names.length === 0) throwIfIncomplete(this, listed);
	return pageOf(
		names.map((name) => ({ name, value: name })),
		paginationToken,
	);
}

/**
 * Lists the account's contacts for phone number fields: each number once, with all its names.
 * @param filter the user's search text: part of a name, or digits of a number in any format
 * @param paginationToken index of the first entry to return
 * @throws NodeApiError or NodeOperationError in the service's words, if the list cannot be read
 */
export async function searchContacts(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const listed = await read(this, contract.contact.list);
	const wanted = filter.trim().toLowerCase();
	const digits = digitsOf(filter);
	const found = contactChoices(listed.rows).filter(
		({ phone, label }) => label.toLowerCase().includes(wanted) || (digits !== '' && digitsOf(phone).includes(digits)),
	);
	if (found.length === 0) throwIfIncomplete(this, listed);
	return pageOf(
		found.map(({ phone, label }) => ({ name: label, value: phone })),
		paginationToken,
	);
}

async function read<E extends ListEndpoint>(
	context: ILoadOptionsFunctions,
	endpoint: E,
): Promise<Listing<OutputOf<E>[number]>> {
	const made = await credentialClient(context, { authHeader: 'host', pace: {} });
	if (made instanceof ServiceError) throw causeOrNodeError(context.getNode(), made, undefined);
	const listed = await made.client.readAll(endpoint, { timeLimitMs: LIST_TIME_LIMIT_MS });
	if (listed.outcome !== 'accepted') throw toNodeError(context.getNode(), listed.error, undefined);
	return listed.output;
}

/** Throws if an incomplete list has no match. The editor would show "No results", though the rest may have one. */
function throwIfIncomplete(context: ILoadOptionsFunctions, { incomplete }: Listing<unknown>): void {
	if (incomplete) throw toNodeError(context.getNode(), incomplete, undefined);
}

function pageOf(entries: INodeListSearchItems[], paginationToken: string | undefined): INodeListSearchResult {
	const start = Math.max(0, Math.floor(Number(paginationToken ?? 0)) || 0);
	const end = start + PAGE_SIZE;
	const more = end < entries.length ? { paginationToken: String(end) } : {};
	return { results: entries.slice(start, end), ...more };
}

/**
 * The digits of a number without leading zeros, so that a search for 020 finds +233 20. Empty for a text with letters.
 */
function digitsOf(text: string): string {
	return /\p{L}/u.test(text) ? '' : text.replace(/\D/g, '').replace(/^0+/, '');
}
