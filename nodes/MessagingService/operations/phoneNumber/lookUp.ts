import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { phoneParameter } from '../../host/parameters';
import {
	numberOptions,
	keyScopeOption,
	maxRecipientsOption,
	optionsField,
	paceOptions,
	phoneField,
	priceOptions,
	sendOnceKeyOption,
	shownFor,
} from '../fields';

const displayOptions = shownFor('phoneNumber', 'lookUp');

/** Phone Number > Look Up. */
export const lookUp: Operation = {
	option: {
		name: 'Look Up',
		value: 'lookUp',
		action: 'Look up a phone number',
		description: 'Ask the service whether a phone number is valid, and for its carrier and country. Costs money.',
	},
	fields: [
		phoneField('phone', 'Phone number to look up, preferably with + and country code', displayOptions),
		optionsField(displayOptions, [
			...paceOptions,
			...priceOptions({
				displayName: 'Price per Lookup',
				name: 'pricePerLookup',
				unit: 'lookup',
				consequence: 'nothing is looked up',
			}),
			...numberOptions,
			keyScopeOption,
			{
				...maxRecipientsOption,
				description: 'Maximum lookups of this node per execution. If there would be more, none is made.',
			},
			{
				...sendOnceKeyOption,
				placeholder: 'e.g. {{ $json.phone }}',
				description:
					'Identifies the lookup (idempotency key). A later lookup with this key is skipped and returns the first result, if known.',
			},
		]),
	],
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		return phone instanceof InputError ? phone : makeCall(contract.lookup.phone, { phone });
	},
};
