import { defineCreate, defineInputFields, type CreatePerform } from 'zapier-platform-core';
import { contract } from '../../shared';
import { toZapierError } from '../runtime/errors';
import { messageInput, textInput } from '../runtime/inputs';
import { callService } from '../runtime/perform';

const inputFields = defineInputFields([
	{
		key: 'to',
		label: 'To',
		type: 'string',
		required: true,
		placeholder: '+233201234567',
		helpText: 'Phone number of the recipient, with `+` and country code (E.164), for example `+233201234567`.',
	},
	{
		key: 'sender_id',
		label: 'Sender ID',
		type: 'string',
		required: true,
		dynamic: 'sender_ids.id.name',
		helpText: 'The name that the recipient sees: one of your approved sender IDs, or, as a custom value, a short code.',
	},
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText: 'The text to send, at most 1600 characters. Long texts are charged as several messages.',
	},
	{
		key: 'priority',
		label: 'Priority',
		type: 'boolean',
		required: false,
		helpText: 'Whether to use the faster route for one-time codes, at a higher rate.',
	},
]);

const labels = { to: 'To', sender_id: 'Sender ID', message: 'Message', priority: 'Priority' };

const perform = (async (z, bundle) => {
	const { to, sender_id, message, priority } = bundle.inputData;
	const sent = await callService(z, bundle, contract.sms.send, {
		to: textInput(to),
		sender_id: textInput(sender_id),
		message: messageInput(message),
		...(priority === true && { priority }),
	});
	if (sent.outcome !== 'accepted') throw toZapierError(z, sent, labels);
	return { ...sent.output, outcome: sent.outcome };
}) satisfies CreatePerform<typeof inputFields>;

/** Send SMS: one text to one phone number. */
export const sendSms = defineCreate({
	key: 'send_sms',
	noun: 'SMS',
	display: { label: 'Send SMS', description: 'Sends a text to one phone number.' },
	operation: {
		inputFields,
		perform,
		sample: { outcome: 'accepted', ...contract.sms.send.example.output },
		outputFields: [
			{ key: 'outcome', label: 'Outcome', type: 'string' },
			{ key: 'success', label: 'Success', type: 'boolean' },
			{ key: 'message_id', label: 'Message ID', type: 'string' },
			{ key: 'status', label: 'Status', type: 'string' },
			{ key: 'cost', label: 'Cost', type: 'number' },
			{ key: 'billed_via', label: 'Billed Via', type: 'string' },
			{ key: 'balance', label: 'Balance After Sending', type: 'number' },
		],
	},
});
