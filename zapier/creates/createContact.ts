import { defineCreate, defineInputFields, type CreatePerform } from 'zapier-platform-core';
import {
	ADVANCED,
	CONTACT_SAMPLE,
	contactOutput,
	isContactDate,
	defaultCountryField,
	unknownRangesField,
} from '../fields';
import { dictInput, optionalText } from '../runtime/inputs';
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
		helpText: 'Phone number of the contact, best with `+` and country code, for example `+233201234567`.',
	},
	{
		key: 'name',
		label: 'Name',
		type: 'string',
		required: false,
		placeholder: 'Ama Mensah',
		helpText: 'Name of the contact, as you want to see it in your lists.',
	},
	{
		key: 'custom_fields',
		label: 'Custom Fields',
		dict: true,
		required: false,
		helpText: 'More details of the contact, each with its own name, for example `city`.',
	},
	defaultCountryField,
	unknownRangesField,
]);

const perform = (async (z, bundle) =>
	await runStep(z, bundle, inputFields, async () => {
		const name = optionalText(bundle.inputData.name);
		const created = await connect(z, bundle).contact.create({
			...dictInput(bundle.inputData.custom_fields),
			phone: phoneOption(bundle, 'phone'),
			...(name !== undefined && { name }),
		});
		return toOutput(contactOutput, created, isContactDate);
	})) satisfies CreatePerform<typeof inputFields>;

/** Create Contact: adds a contact to the account (docs/api.md#create-a-contact). */
export const createContact = defineCreate({
	key: 'create_contact',
	noun: 'Contact',
	display: { label: 'Create Contact', description: 'Creates a contact in your account.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		sample: CONTACT_SAMPLE,
		outputFields: contactOutput,
	},
});
