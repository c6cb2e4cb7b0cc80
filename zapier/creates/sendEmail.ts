import { contract, typedAddress } from '../../shared';
import { messageField } from '../fields';
import { messageInput } from '../runtime/inputs';
import { defineSend } from './defineSend';

/** Send Email: sends one email to one address (docs/api.md#send-an-email). */
export const sendEmail = defineSend({
	key: 'send_email',
	noun: 'Email',
	display: { label: 'Send Email', description: 'Sends an email from the verified domain of your account.' },
	endpoint: contract.email.send,
	inputFields: [
		{
			key: 'to',
			label: 'To',
			type: 'string',
			required: true,
			placeholder: 'ama@example.com',
			helpText: 'Email address of one recipient, for example `ama@example.com`.',
		},
		{
			key: 'subject',
			label: 'Subject',
			type: 'string',
			required: true,
			helpText: 'The subject line, which the recipient sees before opening the email.',
		},
		messageField('The text of the email. It is sent from the verified domain of your account.'),
	],
	readInput: ({ inputData: { to, subject, message } }) => ({
		to: typedAddress(to),
		subject: messageInput(subject),
		message: messageInput(message),
	}),
});
