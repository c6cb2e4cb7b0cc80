import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { messageParameter, phoneParameter } from '../../runtime/parameters';
import {
	defaultCountryOption,
	maxRecipientsOption,
	parallelRequestsOption,
	phoneField,
	requestsPerSecondOption,
	sendOnceKeyOption,
	shownFor,
} from '../fields';

const displayOptions = shownFor('whatsapp', 'send');

/** WhatsApp > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send WhatsApp message',
		description: 'Send a WhatsApp message. Costs money and cannot be undone.',
	},
	fields: [
		phoneField('to', 'WhatsApp number of the recipient, preferably with + and country code', displayOptions),
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Your order is ready',
			description: 'The message to send, up to 1,600 characters',
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
				defaultCountryOption,
				maxRecipientsOption,
				parallelRequestsOption,
				requestsPerSecondOption,
				sendOnceKeyOption,
			],
		},
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		return call(contract.whatsapp.send, { to, message: messageParameter(context, 'message', itemIndex) });
	},
};
