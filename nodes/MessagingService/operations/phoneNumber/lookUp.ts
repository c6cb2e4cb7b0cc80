import { contract, InputError } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { phoneParameter } from '../../runtime/parameters';
import { defaultCountryOption, shownFor, phoneField } from '../fields';

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
			options: [defaultCountryOption],
		},
	],
	labels: { phone: 'Phone', defaultCountry: 'Default Country' },
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		return phone instanceof InputError ? phone : call(contract.lookup.phone, { phone });
	},
};
