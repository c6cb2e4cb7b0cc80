import type { ILoadOptionsFunctions, INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';
import { contract, senderNames, type ListEndpoint, type Listing, type OutputOf } from '../../shared';
import { pickerClient } from './runtime/client';
import { toNodeError } from './runtime/errors';

/** Entries that the editor shows before it asks for more. */
const PAGE_SIZE = 100;

/** Longest time, in milliseconds, for which somebody waits for a list. */
const READING_MS = 20_000;

/**
 * Lists the account's approved sender IDs for the Sender ID field.
 * @param filter what the user typed; the case does not matter
 * @param paginationToken place of the first entry to give
 * @throws NodeApiError, NodeOperationError with the service's words where the list cannot be had
 */
export async function searchSenderIds(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const listed = await read(this, contract.senderId.list);
	const wanted = filter.trim().toLowerCase();
	const names = senderNames(listed.rows).filter((name) => name.toLowerCase().includes(wanted));
	if (names.length === 0) stopAtIncomplete(this, listed);
	return pageOf(
		names.map((name) => ({ name, value: name })),
		paginationToken,
	);
}

/**
 * Lists the account's contacts for fields that take a phone number: each number once, under the names that it has.
 * @param filter what the user typed: part of a name, or digits of a number however they are written
 * @param paginationToken place of the first entry to give
 * @throws NodeApiError, NodeOperationError with the service's words where the list cannot be had
 */
export async function searchContacts(
	this: ILoadOptionsFunctions,
	filter = '',
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const namesByPhone = new Map<string, Set<string>>();
	const listed = await read(this, contract.contact.list);
	for (const { name, phone } of listed.rows) {
		const number = phone?.trim();
		if (!number) continue;
		const names = namesByPhone.get(number) ?? new Set();
		if (name?.trim()) names.add(name.trim());
		namesByPhone.set(number, names);
	}
	const choices = [...namesByPhone].map(([phone, names]) => ({
		// Two people may have one name, and then only the number tells them apart.
		name: names.size > 0 ? `${[...names].join(' / ')} (${phone})` : phone,
		value: phone,
	}));
	const wanted = filter.trim().toLowerCase();
	const digits = digitsOf(filter);
	const found = choices.filter(
		({ name, value }) => name.toLowerCase().includes(wanted) || (digits !== '' && digitsOf(value).includes(digits)),
	);
	if (found.length === 0) stopAtIncomplete(this, listed);
	return pageOf(found, paginationToken);
}

async function read<E extends ListEndpoint>(
	context: ILoadOptionsFunctions,
	endpoint: E,
): Promise<Listing<OutputOf<E>[number]>> {
	const client = await pickerClient(context);
	const listed = await client.readAll(endpoint, { timeLimitMs: READING_MS });
	if (listed.outcome !== 'accepted') throw toNodeError(context.getNode(), listed.error, undefined);
	return listed.output;
}

/** A list of the editor cannot say that it is not complete. But if nothing is found in it, that must not look like none. */
function stopAtIncomplete(context: ILoadOptionsFunctions, { incomplete }: Listing<unknown>): void {
	if (incomplete) throw toNodeError(context.getNode(), incomplete, undefined);
}

function pageOf(entries: INodeListSearchItems[], paginationToken: string | undefined): INodeListSearchResult {
	const sorted = entries.sort((a, b) => a.name.localeCompare(b.name));
	const start = Math.max(0, Math.floor(Number(paginationToken ?? 0)) || 0);
	const end = start + PAGE_SIZE;
	const more = end < sorted.length ? { paginationToken: String(end) } : {};
	return { results: sorted.slice(start, end), ...more };
}

/** The digits of a number without what stands for its country: 020 and +233 20 are one. */
function digitsOf(text: string): string {
	return /\p{L}/u.test(text) ? '' : text.replace(/\D/g, '').replace(/^0+/, '');
}
