import { contract } from '../../shared';
import { defaultCountryField, landlinesField, messageField, recipientField, unknownRangesField } from '../fields';
import { messageInput } from '../runtime/inputs';
import { recipientOption } from '../runtime/optionFields';
import { defineSend } from './defineSend';

/** Send WhatsApp Message: sends one message to one WhatsApp number (docs/api.md#send-a-whatsapp-message). */
export const sendWhatsappMessage = defineSend({
	key: 'send_whatsapp_message',
	noun: 'Message',
	display: { label: 'Send WhatsApp Message', description: 'Sends a WhatsApp message to one number.' },
	endpoint: contract.whatsapp.send,
	inputFields: [
		recipientField('to', 'To', 'WhatsApp number of the recipient.'),
		messageField('The message, at most 1600 characters. WhatsApp must be set up for your account.'),
		defaultCountryField,
		unknownRangesField,
		landlinesField,
	],
	readInput: (bundle) => ({ to: recipientOption(bundle, 'to'), message: messageInput(bundle.inputData.message) }),
});
