import { z } from 'zod/v4';
import { chargeAliases } from './charges';
import { identifier, money } from './fields';

/** Documented delivery statuses (docs/api.md#message-states). Others pass through as text. */
export const messageStatuses = ['queued', 'submitted', 'sent', 'delivered', 'failed'] as const;

/** Documented channels (docs/api.md#get-a-message). Others pass through as text. */
export const channels = ['sms', 'whatsapp', 'email', 'voice', 'ussd'] as const;

/** The status of a message (docs/api.md#get-an-sms). The names of its timestamps are undocumented, so they pass through. */
export const messageStatus = z.looseObject({
	message_id: identifier.optional(),
	status: z.string(),
	provider_status: z.string().nullish(),
	cost: money.nullish(),
});

/** Other places of a message's ID. */
const messageIdAliases = ['messageId', 'id', 'message.id', 'message.message_id', 'message.messageId'] as const;

/** Other places of the fields of a message. */
export const messageAliases = {
	message_id: messageIdAliases,
	status: [
		...['state', 'message_status', 'messageStatus', 'delivery_status', 'deliveryStatus'],
		...['status.name', 'status.state', 'state.name', 'delivery.status', 'delivery.state'],
	],
	cost: chargeAliases.cost,
} as const;

/** Other places of the fields that every send to one recipient returns. */
export const sendAliases = { ...messageAliases, ...chargeAliases } as const;

/** The response of WhatsApp, email and voice. Undocumented (docs/api.md#whatsapp-email-and-voice). */
export const channelSend = z.looseObject({
	success: z.boolean().optional(),
	message_id: identifier.nullish(),
	status: z.string().nullish(),
	cost: money.nullish(),
	billed_via: z.string().nullish(),
	balance: money.nullish(),
});
