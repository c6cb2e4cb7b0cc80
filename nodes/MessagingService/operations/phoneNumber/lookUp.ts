import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { phoneParameter } from '../../runtime/parameters';
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

const displayOptions = shownFor('phoneNumber', 'lookUp');

/** Phone Number > Look Up. */
export const lookUp: Operation = {
	option: {
		name: 'Look Up',
		value: 'lookUp',
		action: 'Look up phone number',
		description: 'Ask whether a phone number is valid, and for its carrier and country. Costs money.',
	},
	fields: [
		phoneField('phone', 'Phone number to look up, best with + and country code', displayOptions),
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
						'Most numbers that this node looks up in one execution, loops and AI agents included; if there would be more, none is. 0 for no limit.',
				},
				{
					...maxSpendOption,
					description:
						'Most that this node spends in one execution, as estimated with Price per Lookup; if it would be more, nothing is looked up. 0 for no limit.',
				},
				parallelRequestsOption,
				{
					...pricePerSegmentOption,
					displayName: 'Price per Lookup',
					name: 'pricePerLookup',
					description: 'What your account pays for one lookup, for Maximum Spend and Check Balance',
				},
				requestsPerSecondOption,
				{
					...sendOnceKeyOption,
					placeholder: 'e.g. {{ $json.phone }}',
					description:
						'Idempotency key: what is the same for the same lookup. A second lookup with the same key is skipped, also in another execution, and gives what the first one found if that is known.',
				},
			],
		},
	],
	labels: { phone: 'Phone', ...pricedLabels, pricePerLookup: 'Price per Lookup' },
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		return phone instanceof InputError ? phone : call(contract.lookup.phone, { phone });
	},
};
