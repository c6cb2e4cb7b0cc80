import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { messageText, phoneNumber } from './fields';
import { channelSend, sendAliases } from './messageStatus';

/** Endpoints of WhatsApp (docs/api.md#whatsapp-email-and-voice). */
export const whatsapp = {
	/** Sends a WhatsApp message: POST /whatsapp/send (docs/api.md#send-a-whatsapp-message). */
	send: endpoint({
		id: 'whatsapp.send',
		method: 'POST',
		path: '/whatsapp/send',
		summary: 'Send a WhatsApp message',
		input: z.object({ to: phoneNumber, message: messageText }),
		output: channelSend,
		response: { kind: 'record', aliases: sendAliases },
		repeat: 'once',
		charges: 'whatsapp_message',
		errors: ['validation', 'insufficient_balance', 'opted_out', 'channel_not_set_up', 'failed_send'],
		setUp: {
			name: 'WhatsApp',
			hint: 'WhatsApp Business must be set up on the platform and enabled for your account. Ask the service for it.',
		},
		example: {
			input: { to: '+233201234567', message: 'Your order is ready.' },
			output: { success: true, message_id: 'msg_0002', status: 'submitted', cost: 0.08, balance: 39.87 },
		},
	}),
} as const;
