import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { messageParameter, phoneParameter } from '../../runtime/parameters';
import {
	checkBalanceDescription,
	checkBalanceOption,
	defaultCountryOption,
	maxRecipientsOption,
	maxSpendOption,
	parallelRequestsOption,
	phoneField,
	pricedLabels,
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
		description: 'Call a number and speak a text. Costs money and cannot be undone.',
	},
	fields: [
		phoneField('to', 'Phone number to call, best with + and country code', displayOptions),
		{
			displayName: 'Spoken Text',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. Your order is ready',
			description: 'The text that is spoken to who answers the call, at most 1600 characters',
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
					description:
						'Most that this node spends in one execution, as estimated with Price per Call; if it would be more, no number is called. 0 for no limit.',
				},
				parallelRequestsOption,
				{
					...pricePerSegmentOption,
					displayName: 'Price per Call',
					name: 'pricePerCall',
					description: 'What your account pays for one call, for Maximum Spend and Check Balance',
				},
				requestsPerSecondOption,
				sendOnceKeyOption,
			],
		},
	],
	labels: { to: 'To', message: 'Spoken Text', ...pricedLabels, pricePerCall: 'Price per Call' },
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		return call(contract.voice.send, { to, message: messageParameter(context, 'message', itemIndex) });
	},
};
