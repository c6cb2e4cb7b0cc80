import { contract } from '../../shared';
import { defaultCountryField, messageField, priorityField, recipientField, senderIdField } from '../fields';
import { messageInput, textInput } from '../runtime/inputs';
import { phoneOption, yesOption } from '../runtime/optionFields';
import { defineSend } from './defineSend';

/** Send SMS: sends one message to one phone number (docs/api.md#send-an-sms). */
export const sendSms = defineSend({
	key: 'send_sms',
	noun: 'SMS',
	display: { label: 'Send SMS', description: 'Sends an SMS to one phone number.' },
	endpoint: contract.sms.send,
	inputFields: [
		recipientField('to', 'To', 'Phone number of the recipient.'),
		senderIdField,
		messageField(
			'The message, at most 1600 characters. Long text, emoji or `₵` can cost extra segments: see **Estimate SMS Cost**.',
		),
		priorityField,
		defaultCountryField,
	],
	readInput: (bundle) => ({
		to: phoneOption(bundle, 'to', '**Send Bulk SMS**'),
		sender_id: textInput(bundle.inputData.sender_id),
		message: messageInput(bundle.inputData.message),
		...(yesOption(bundle, 'priority') && { priority: true }),
	}),
});
