import { defineInputFields, defineSearch, type PlainOutputField, type SearchPerform } from 'zapier-platform-core';
import { contract } from '../../shared';
import { ADVANCED, defaultCountryField, SEND_THROTTLE, unknownRangesField } from '../fields';
import { phoneOption } from '../runtime/optionFields';
import { connect, runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'phone',
		label: 'Phone',
		type: 'string',
		required: true,
		placeholder: '+233201234567',
		helpText: 'Phone number to look up, best with `+` and country code. Each lookup costs money, also in tests.',
	},
	defaultCountryField,
	unknownRangesField,
]);

const outputFields = [
	{ key: 'phone', label: 'Phone', type: 'string' },
	{ key: 'valid', label: 'Valid', type: 'boolean' },
	{ key: 'carrier', label: 'Carrier', type: 'string' },
	{ key: 'country', label: 'Country', type: 'string' },
	{ key: 'cost', label: 'Cost', type: 'number' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const phone = phoneOption(bundle, 'phone');
		const found = await connect(z, bundle).lookup.phone({ phone });
		return [toOutput(outputFields, { phone, ...found })];
	})) satisfies SearchPerform<typeof inputFields>;

/** Look Up Phone Number: validity, carrier and country. Costs money (docs/api.md#look-up-a-phone-number). */
export const lookUpPhoneNumber = defineSearch({
	key: 'look_up_phone_number',
	noun: 'Number',
	display: {
		label: 'Look Up Phone Number',
		description: 'Finds out whether a phone number is valid, its carrier and its country. Each lookup costs money.',
	},
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: { phone: '+233201234567', ...contract.lookup.phone.example.output },
		outputFields,
	},
});
