import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract } from '../../shared';
import { ADVANCED, defaultCountryField, SEND_THROTTLE, sendOnceKeyField } from '../fields';
import { messageInput } from '../runtime/inputs';
import { phoneField } from '../runtime/optionFields';
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
			'WhatsApp number of the recipient. Choose a contact, or enter a custom value, best with `+` and country code.',
	},
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText: 'The message, at most 1600 characters. WhatsApp must be set up for your account.',
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
		const input = { to: phoneField(bundle, 'to'), message: messageInput(bundle.inputData.message) };
		const sent = await sendOnce(z, bundle, {
			action: 'send_whatsapp_message',
			recipients: [input.to],
			send: async (client) => await client.whatsapp.send(input),
		});
		return toOutput(outputFields, sent);
	})) satisfies CreatePerform<typeof inputFields>;

/** Send WhatsApp Message: sends one message to one WhatsApp number (docs/api.md#send-a-whatsapp-message). */
export const sendWhatsappMessage = defineCreate({
	key: 'send_whatsapp_message',
	noun: 'Message',
	display: { label: 'Send WhatsApp Message', description: 'Sends a WhatsApp message to one number.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: toOutput(outputFields, {
			...contract.whatsapp.send.example.output,
			already_sent: false,
		}),
		outputFields,
	},
});
