import { contract, typedAddress } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { messageParameter } from '../../host/parameters';
import { messageField, optionsField, paceOptions, sendOptions, shownFor } from '../fields';

const displayOptions = shownFor('email', 'send');

/** Email > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send an email',
		description: 'Send an email from the verified domain of your account. Costs money and cannot be undone.',
	},
	fields: [
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. ama@example.com',
			description: 'Email address of the recipient',
			displayOptions,
		},
		{
			displayName: 'Subject',
			name: 'subject',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. Your order is ready',
			description: 'Subject line of the email',
			displayOptions,
		},
		{
			...messageField({
				placeholder: 'e.g. You can pick it up between 8 am and 6 pm',
				description: 'Text of the email',
				displayOptions,
			}),
			typeOptions: { rows: 6 },
		},
		optionsField(displayOptions, [...sendOptions, ...paceOptions]),
	],
	prepare: (context, itemIndex) =>
		makeCall(contract.email.send, {
			to: typedAddress(context.getNodeParameter('to', itemIndex, '')),
			subject: messageParameter(context, 'subject', itemIndex),
			message: messageParameter(context, 'message', itemIndex),
		}),
};
