import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { messageId } from './fields';
import { messageAliases, messageStatus } from './messageStatus';

/** Endpoints of messages on any channel (docs/api.md#get-a-message). */
export const message = {
	/** Gets the delivery status of a message on any channel: GET /messages/{id} (docs/api.md#get-a-message). */
	get: endpoint({
		id: 'message.get',
		method: 'GET',
		path: '/messages/{id}',
		summary: 'Get the delivery status of a message on any channel',
		input: z.object({ id: messageId }),
		output: messageStatus.extend({ channel: z.string().nullish() }),
		response: { kind: 'record', aliases: messageAliases },
		repeat: 'safe',
		charges: false,
		errors: ['not_found'],
		example: {
			input: { id: 'msg_0001' },
			output: {
				message_id: 'msg_0001',
				status: 'delivered',
				provider_status: 'DELIVRD',
				cost: 0.05,
				channel: 'sms',
			},
		},
	}),
} as const;
