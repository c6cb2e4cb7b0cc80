import { z } from 'zod/v4';
import { endpoint } from './endpoint';

/** A sender ID; the interface does not show its fields, so only the name is looked for. */
const senderId = z.preprocess(
	(record) => {
		if (typeof record === 'string') return { name: record };
		if (typeof record !== 'object' || record === null) return record;
		const name = ['name', 'sender_id', 'sender', 'value']
			.map((key): unknown => Reflect.get(record, key))
			.find((value) => typeof value === 'string');
		return name === undefined ? record : { ...record, name };
	},
	z.looseObject({ name: z.string().min(1), status: z.string().nullish() }),
);

/** GET /senderids (service.md, Sender IDs). */
export const list = endpoint({
	id: 'senderId.list',
	method: 'GET',
	path: '/senderids',
	summary: 'List the approved sender IDs of the account',
	input: z.object({}),
	output: z.array(senderId),
	answer: { kind: 'list' },
	successFalse: 'refused',
	repeat: 'safe',
	charges: false,
	errors: [],
	example: { input: {}, output: [{ name: 'KOFISHOP', status: 'approved' }] },
});
