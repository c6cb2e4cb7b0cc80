import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract } from '../../shared';
import { ADVANCED, SEND_THROTTLE, sendOnceKeyField } from '../fields';
import { messageInput, textInput } from '../runtime/inputs';
import { runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';
import { sendOnce } from '../runtime/sendOnce';

const inputFields = defineInputFields([
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
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText: 'The text of the email. It is sent from the verified domain of your account.',
	},
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
		const { to, subject, message } = bundle.inputData;
		const input = { to: textInput(to), subject: textInput(subject), message: messageInput(message) };
		const sent = await sendOnce(z, bundle, {
			action: 'send_email',
			recipients: [input.to],
			send: async (client) => await client.email.send(input),
		});
		return toOutput(outputFields, sent);
	})) satisfies CreatePerform<typeof inputFields>;

/** Send Email: sends one email to one address (docs/api.md#send-an-email). */
export const sendEmail = defineCreate({
	key: 'send_email',
	noun: 'Email',
	display: { label: 'Send Email', description: 'Sends an email from the verified domain of your account.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: toOutput(outputFields, { ...contract.email.send.example.output, already_sent: false }),
		outputFields,
	},
});
