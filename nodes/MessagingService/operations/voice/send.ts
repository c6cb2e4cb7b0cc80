import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { messageParameter, phoneParameter } from '../../runtime/parameters';
import {
	checkBalanceDescription,
	checkBalanceOption,
	defaultCountryOption,
	maxRecipientsOption,
	maxSpendDescription,
	maxSpendOption,
	parallelRequestsOption,
	phoneField,
	priceDescription,
	pricePerSegmentOption,
	requestsPerSecondOption,
	sendOnceKeyOption,
	shownFor,
} from '../fields';

const displayOptions = shownFor('voice', 'send');

/** Voice > Call. */
export const send: Operation = {
	option: {
		name: 'Call',
		value: 'send',
		action: 'Call number and speak text',
		description: 'Call a number and read a text aloud. Costs money and cannot be undone.',
	},
	fields: [
		phoneField('to', 'Phone number to call, preferably with + and country code', displayOptions),
		{
			displayName: 'Spoken Text',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Your order is ready',
			description: 'The text to read aloud to the person who answers, up to 1,600 characters',
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
				{ ...checkBalanceOption, description: checkBalanceDescription('Price per Call') },
				defaultCountryOption,
				maxRecipientsOption,
				{
					...maxSpendOption,
					description: maxSpendDescription('Price per Call', 'no number is called'),
				},
				parallelRequestsOption,
				{
					...pricePerSegmentOption,
					displayName: 'Price per Call',
					name: 'pricePerCall',
					description: priceDescription('call'),
				},
				requestsPerSecondOption,
				sendOnceKeyOption,
			],
		},
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		return call(contract.voice.send, { to, message: messageParameter(context, 'message', itemIndex) });
	},
};
