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

/** A sender ID. Its fields are undocumented (docs/api.md#list-sender-ids), so only name and status are looked for. */
const senderIdRow = z.looseObject(senderIdFields);

function readSenderId(entry: unknown): JsonObject | undefined {
	// A list of bare names, or of short codes as numbers.
	if (typeof entry === 'string' || typeof entry === 'number') return { name: entry };
	if (!isObject(entry)) return undefined;
	const row = readRow(entry, senderIdFields, senderIdAliases);
	// Text is preferred, because a number may be the ID of the record.
	const name = readField(entry, writtenName, NAMES);
	return name === undefined ? row : { ...row, name };
}

const writtenName = z.string().refine((name) => name.trim() !== '');

/** Statuses of a sender ID that must not be used yet, or no longer. */
const NOT_APPROVED =
	/^(0|false)$|\b(not|un|in)[ _-]?(approved|active|verified|usable)|pend|reject|den(y|ied)|declin|disab|inactiv|suspend|expir|fail|block|draft|review|await|revok|cancel|delet|requested|submitted|processing/i;

/**
 * Names of the sender IDs that a user can choose from, each once, sorted. The list should contain only approved ones
 * (docs/api.md#list-sender-ids), so a name is left out only if its status clearly says otherwise.
 * @example senderNames(await client.senderId.list()) // ['AKWAABA', 'KOFISHOP']
 */
export function senderNames(listed: ReadonlyArray<z.output<typeof senderIdRow>>): string[] {
	const approved = listed.filter(({ status }) => !NOT_APPROVED.test(status?.slice(0, 100) ?? ''));
	return [...new Set(approved.map(({ name }) => name))].sort((a, b) => a.localeCompare(b));
}

/** Endpoints of sender IDs (docs/api.md#sender-ids). */
export const senderId = {
	/** Lists the approved sender IDs: GET /senderids (docs/api.md#list-sender-ids). */
	list: endpoint({
		id: 'senderId.list',
		method: 'GET',
		path: '/senderids',
		summary: 'List the approved sender IDs of the account',
		input: z.object({}),
		output: listOf(senderIdRow, readSenderId),
		response: { kind: 'list' },
		repeat: 'safe',
		charges: false,
		errors: [],
		example: { input: {}, output: [{ name: 'KOFISHOP', status: 'approved' }] },
	}),
} as const;
