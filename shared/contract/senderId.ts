import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { plainText } from './fields';
import { isObject, type JsonObject } from './find';
import { listOf, readField, readRow } from './rows';

const senderIdFields = { name: plainText, status: plainText.nullish() };

const NAMES = [
	'name',
	'sender_id',
	'sender',
	'value',
	'sender_name',
	'short_code',
	'sender.name',
	'from',
	'originator',
];

const senderIdAliases = { name: NAMES, status: ['state', 'approval_status'] };

/** A sender ID; the interface does not show its fields, so only the name and its status are looked for. */
const senderId = z.looseObject(senderIdFields);

function readSenderId(entry: unknown): JsonObject | undefined {
	// A list of bare names, or of short codes as numbers.
	if (typeof entry === 'string' || typeof entry === 'number') return { name: entry };
	if (!isObject(entry)) return undefined;
	const row = readRow(entry, senderIdFields, senderIdAliases);
	// A text is more of a name than a number, which may be the ID of a record.
	const name = readField(entry, writtenName, NAMES);
	return name === undefined ? row : { ...row, name };
}

const writtenName = z.string().refine((name) => name.trim() !== '');

/** Statuses of a sender ID that must not be used yet, or no longer. */
const NOT_APPROVED =
	/^(0|false)$|\b(not|un|in)[ _-]?(approved|active|verified|usable)|pend|reject|den(y|ied)|declin|disab|inactiv|suspend|expir|fail|block|draft|review|await|revok|cancel|delet|requested|submitted|processing/i;

/**
 * The names among listed sender IDs that may be offered for a choice, each once, in the order of the alphabet. The list
 * contains the approved ones (docs/api.md#list-sender-ids), so only a status that clearly says otherwise keeps one out.
 * @example senderNames(await client.senderId.list()) // ['AKWAABA', 'KOFISHOP']
 */
export function senderNames(listed: ReadonlyArray<z.output<typeof senderId>>): string[] {
	const approved = listed.filter(({ status }) => !NOT_APPROVED.test(status?.slice(0, 100) ?? ''));
	return [...new Set(approved.map(({ name }) => name))].sort((a, b) => a.localeCompare(b));
}

/** GET /senderids (docs/api.md#list-sender-ids). */
export const list = endpoint({
	id: 'senderId.list',
	method: 'GET',
	path: '/senderids',
	summary: 'List the approved sender IDs of the account',
	input: z.object({}),
	output: listOf(senderId, readSenderId),
	answer: { kind: 'list' },
	successFalse: 'refused',
	repeat: 'safe',
	charges: false,
	errors: [],
	example: { input: {}, output: [{ name: 'KOFISHOP', status: 'approved' }] },
});
