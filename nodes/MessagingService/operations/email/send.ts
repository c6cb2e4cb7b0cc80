import { contract } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { messageParameter, textParameter } from '../../runtime/parameters';
import {
	maxRecipientsOption,
	parallelRequestsOption,
	requestsPerSecondOption,
	sendOnceKeyOption,
	shownFor,
} from '../fields';

const displayOptions = shownFor('email', 'send');

/** Email > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send email',
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
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 6 },
			default: '',
			required: true,
			placeholder: 'e.g. You can pick it up between 8 am and 6 pm',
			description: 'Text of the email',
			displayOptions,
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions,
			options: [maxRecipientsOption, parallelRequestsOption, requestsPerSecondOption, sendOnceKeyOption],
		},
	],
	prepare: (context, itemIndex) =>
		call(contract.email.send, {
			to: textParameter(context, 'to', itemIndex),
			subject: textParameter(context, 'subject', itemIndex),
			message: messageParameter(context, 'message', itemIndex),
		}),
};
