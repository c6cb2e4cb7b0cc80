import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { identifier, messageText, money, phoneNumber, recordId, senderIdName } from './fields';

/** Delivery statuses that the interface names (service.md, Message status); others pass through as text. */
export const messageStatuses = ['queued', 'submitted', 'sent', 'delivered', 'failed'] as const;

/** What a status endpoint tells of a message; the timestamp fields are not shown in the interface and pass through. */
export const messageStatus = z.looseObject({
	message_id: identifier.optional(),
	status: z.string(),
	provider_status: z.string().nullish(),
	cost: money.nullish(),
});

/** Places where a message's id may stand. */
export const messageIdAliases = ['id', 'message.id', 'message.message_id'] as const;

/** POST /sms/send (service.md, Send-SMS request). */
export const send = endpoint({
	id: 'sms.send',
	method: 'POST',
	path: '/sms/send',
	summary: 'Send one SMS under an approved sender ID',
	input: z.object({
		to: phoneNumber,
		sender_id: senderIdName,
		message: messageText,
		priority: z.boolean().optional().describe('Whether to use the priority route, meant for one-time codes'),
	}),
	output: z.looseObject({
		success: z.boolean().optional(),
		message_id: identifier,
		status: z.string().nullish(),
		cost: money.nullish(),
		billed_via: z.string().nullish(),
		balance: money.nullish(),
	}),
	answer: { kind: 'record', aliases: { message_id: messageIdAliases } },
	repeat: 'once',
	charges: true,
	errors: ['validation', 'insufficient_balance', 'opted_out', 'failed_send'],
	example: {
		input: { to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open from 8 to 18.' },
		output: {
			success: true,
			message_id: 'msg_0001',
			status: 'submitted',
			cost: 0.05,
			billed_via: 'wallet',
			balance: 39.95,
		},
	},
});

/** GET /sms/{id} (service.md, Message status). */
export const get = endpoint({
	id: 'sms.get',
	method: 'GET',
	path: '/sms/{id}',
	summary: 'Get the delivery status of an SMS',
	input: z.object({ id: recordId }),
	output: messageStatus,
	answer: { kind: 'record', aliases: { message_id: messageIdAliases } },
	repeat: 'safe',
	charges: false,
	errors: ['not_found'],
	example: {
		input: { id: 'msg_0001' },
		output: { message_id: 'msg_0001', status: 'delivered', provider_status: 'DELIVRD', cost: 0.05 },
	},
});
