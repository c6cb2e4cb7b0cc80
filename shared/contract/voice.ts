import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { messageText, phoneNumber } from './fields';
import { channelSend, sendAliases } from './messageStatus';

/** Endpoints of voice messages (docs/api.md#whatsapp-email-and-voice). */
export const voice = {
	/** Calls a number and reads a text aloud: POST /voice/send (docs/api.md#send-a-voice-message). */
	send: endpoint({
		id: 'voice.send',
		method: 'POST',
		path: '/voice/send',
		summary: 'Call a number and read a text aloud',
		input: z.object({ to: phoneNumber, message: messageText }),
		output: channelSend,
		response: { kind: 'record', aliases: sendAliases },
		repeat: 'once',
		charges: 'call',
		errors: ['validation', 'insufficient_balance', 'opted_out', 'channel_not_set_up', 'failed_send'],
		setUp: {
			name: 'Voice',
			hint: 'Calls require a voice gateway, which the platform administrator sets up. Ask the service for it.',
		},
		example: {
			input: { to: '+233201234567', message: 'Your order is ready.' },
			output: { success: true, message_id: 'msg_0004', status: 'submitted', cost: 0.2, balance: 39.66 },
		},
	}),
} as const;
