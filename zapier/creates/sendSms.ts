import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract } from '../../shared';
import { ADVANCED, defaultCountryField, SEND_THROTTLE, senderIdField, sendOnceKeyField } from '../fields';
import { messageInput, textInput } from '../runtime/inputs';
import { phoneField, yesOption } from '../runtime/optionFields';
import { runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';
import { sendOnce } from '../runtime/sendOnce';

const inputFields = defineInputFields([
	{
		key: 'to',
		label: 'To',
		type: 'string',
		required: true,
		dynamic: 'contacts.id.name',
		search: 'find_contact.phone',
		placeholder: '+233201234567',
		helpText:
			'Phone number of the recipient. Choose a contact, or enter a custom value, best with `+` and country code.',
	},
	senderIdField,
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText:
			'The message, at most 1600 characters. Long text, emoji or `₵` can cost extra segments: see **Estimate SMS Cost**.',
	},
	{
		key: 'priority',
		label: 'Priority',
		type: 'boolean',
		required: false,
		helpText: 'Whether to use the faster route for one-time codes, at a higher rate.',
		group: ADVANCED.key,
	},
	defaultCountryField,
	sendOnceKeyField,
]);

const outputFields = [
	{ key: 'message_id', label: 'Message ID', type: 'string' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'billed_via', label: 'Billed Via', type: 'string' },
	{ key: 'balance', label: 'Balance After Sending', type: 'number' },
	{ key: 'already_sent', label: 'Already Sent', type: 'boolean' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const { sender_id, message } = bundle.inputData;
		const input = {
			to: phoneField(bundle, 'to', '**Send Bulk SMS**'),
			sender_id: textInput(sender_id),
			message: messageInput(message),
			...(yesOption(bundle, 'priority') && { priority: true }),
		};
		const sent = await sendOnce(z, bundle, {
			action: 'send_sms',
			recipients: [input.to],
			send: async (client) => await client.sms.send(input),
		});
		return toOutput(outputFields, sent);
	})) satisfies CreatePerform<typeof inputFields>;

/** Send SMS: sends one message to one phone number (docs/api.md#send-an-sms). */
export const sendSms = defineCreate({
	key: 'send_sms',
	noun: 'SMS',
	display: { label: 'Send SMS', description: 'Sends an SMS to one phone number.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: toOutput(outputFields, { ...contract.sms.send.example.output, already_sent: false }),
		outputFields,
	},
});
