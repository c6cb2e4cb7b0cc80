import { z } from 'zod/v4';
import { identifier, money } from './fields';

/** Delivery statuses that the interface names (docs/api.md#message-states); others pass through as text. */
export const messageStatuses = ['queued', 'submitted', 'sent', 'delivered', 'failed'] as const;

/** Channels that the interface names (docs/api.md#get-a-message); others pass through as text. */
export const channels = ['sms', 'whatsapp', 'email', 'voice', 'ussd'] as const;

/** What a status endpoint tells of a message; the timestamp fields are not shown in the interface and pass through. */
export const messageStatus = z.looseObject({
	message_id: identifier.optional(),
	status: z.string(),
	provider_status: z.string().nullish(),
	cost: money.nullish(),
});

/** Places where a message's id may stand. */
export const messageIdAliases = ['id', 'message.id', 'message.message_id'] as const;

/** What sending on a channel whose response is not shown gives (docs/api.md#whatsapp-email-and-voice). */
export const channelSend = z.looseObject({
	success: z.boolean().optional(),
	message_id: identifier.nullish(),
	status: z.string().nullish(),
	cost: money.nullish(),
	billed_via: z.string().nullish(),
	balance: money.nullish(),
});
