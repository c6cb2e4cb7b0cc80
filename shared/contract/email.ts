import { z } from 'zod/v4';
import { endpoint } from './endpoint';
import { emailAddress, emailSubject, emailText } from './fields';
import { channelSend, sendAliases } from './messageStatus';

/** Endpoints of email (docs/api.md#whatsapp-email-and-voice). */
export const email = {
	/** Sends an email: POST /email/send (docs/api.md#send-an-email). */
	send: endpoint({
		id: 'email.send',
		method: 'POST',
		path: '/email/send',
		summary: 'Send an email from the verified domain of the account',
		input: z.object({
			to: emailAddress,
			subject: emailSubject,
			message: emailText.describe('Text of the email'),
		}),
		output: channelSend,
		response: { kind: 'record', aliases: sendAliases },
		repeat: 'once',
		charges: 'email',
		errors: ['validation', 'insufficient_balance', 'domain_not_verified', 'channel_not_set_up', 'failed_send'],
		setUp: {
			name: 'Email',
			hint: 'Email requires your own verified domain and sender address. Set them up in the dashboard.',
		},
		example: {
			input: { to: 'ama@example.com', subject: 'Your order', message: 'Your order is ready.' },
			output: { success: true, message_id: 'msg_0003', status: 'submitted', cost: 0.01, balance: 39.86 },
		},
	}),
} as const;
