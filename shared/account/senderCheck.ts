import type { Client } from '../client/client';
import { contract } from '../contract';
import { senderNames } from '../contract/senderId';
import { isShortCode } from '../phone/shortCode';

/** Most names of approved sender IDs in a warning. */
const MOST_NAMED = 5;

/**
 * Reads the names of the account's approved sender IDs, which is free.
 * @param timeLimitMs longest time for the whole list, in milliseconds
 * @returns undefined if the list cannot be read, or not completely
 * @example const names = await readSenderNames(client, 10_000);
 */
export async function readSenderNames(
	client: Pick<Client, 'readAll'>,
	timeLimitMs: number,
): Promise<readonly string[] | undefined> {
	const listed = await client.readAll(contract.senderId.list, { timeLimitMs });
	return listed.outcome === 'accepted' && !listed.output.incomplete ? senderNames(listed.output.rows) : undefined;
}

/**
 * Warns about a sender ID that the account's list does not have. A short code need not be in the list.
 * @param names the list; undefined if it is not known
 * @returns undefined if there is no reason to warn
 * @example senderWarning('NOTMINE', ['KOFISHOP']) // 'Sender ID "NOTMINE" is not in the list of your account. ...'
 */
export function senderWarning(sender: string | undefined, names: readonly string[] | undefined): string | undefined {
	const name = sender?.trim() ?? '';
	if (!names || name === '' || isShortCode(name) || names.includes(name)) return undefined;
	const listed = names.slice(0, MOST_NAMED).join(', ');
	const more = names.length > MOST_NAMED ? ', …' : '';
	const sentence = `Sender ID "${name}" is not in the list of your account`;
	return listed === '' ? `${sentence}, which is empty.` : `${sentence}. Approved: ${listed}${more}.`;
}
