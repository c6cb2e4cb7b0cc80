import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { phoneParameter } from '../../runtime/parameters';
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

const displayOptions = shownFor('phoneNumber', 'lookUp');

/** Phone Number > Look Up. */
export const lookUp: Operation = {
	option: {
		name: 'Look Up',
		value: 'lookUp',
		action: 'Look up phone number',
		description: 'Ask the service whether a phone number is valid, and for its carrier and country. Costs money.',
	},
	fields: [
		phoneField('phone', 'Phone number to look up, preferably with + and country code', displayOptions),
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions,
			options: [
				{ ...checkBalanceOption, description: checkBalanceDescription('Price per Lookup') },
				defaultCountryOption,
				{
					...maxRecipientsOption,
					description:
						'Maximum lookups of this node per execution. If there would be more, none is made. 0 means no limit.',
				},
				{
					...maxSpendOption,
					description: maxSpendDescription('Price per Lookup', 'nothing is looked up'),
				},
				parallelRequestsOption,
				{
					...pricePerSegmentOption,
					displayName: 'Price per Lookup',
					name: 'pricePerLookup',
					description: priceDescription('lookup'),
				},
				requestsPerSecondOption,
				{
					...sendOnceKeyOption,
					placeholder: 'e.g. {{ $json.phone }}',
					description:
						'Identifies the lookup (idempotency key). A later lookup with this key is skipped and returns the first result, if known.',
				},
			],
		},
	],
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		return phone instanceof InputError ? phone : call(contract.lookup.phone, { phone });
	},
};
