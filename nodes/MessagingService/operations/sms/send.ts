import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { messageParameter, priorityOption, phoneParameter, textParameter } from '../../runtime/parameters';
import {
	checkBalanceOption,
	defaultCountryOption,
	maxRecipientsOption,
	maxSpendOption,
	parallelRequestsOption,
	pricePerSegmentOption,
	requestsPerSecondOption,
	senderIdField,
	sendOnceKeyOption,
	shownFor,
	phoneField,
} from '../fields';

const displayOptions = shownFor('sms', 'send');

/** SMS > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send SMS',
		description: 'Send an SMS to one phone number. Costs money and cannot be undone.',
	},
	fields: [
		senderIdField(displayOptions),
		phoneField('to', 'Phone number of the recipient, preferably with + and country code', displayOptions),
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. We are open 8 am to 6 pm',
			description: 'The message to send, up to 1,600 characters. Long messages are charged as several segments.',
			displayOptions,
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions,
			options: [
				checkBalanceOption,
				defaultCountryOption,
				maxRecipientsOption,
				maxSpendOption,
				parallelRequestsOption,
				pricePerSegmentOption,
				{
					displayName: 'Priority',
					name: 'priority',
					type: 'boolean',
					default: false,
					description: 'Whether to use the faster route for one-time codes, at a higher rate',
				},
				requestsPerSecondOption,
				sendOnceKeyOption,
			],
		},
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		const priority = priorityOption(context, itemIndex);
		if (priority instanceof InputError) return priority;
		return call(contract.sms.send, {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to,
			message: messageParameter(context, 'message', itemIndex),
			...priority,
		});
	},
};
