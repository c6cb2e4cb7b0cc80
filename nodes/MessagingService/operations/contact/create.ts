import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { phoneParameter, textParameter } from '../../host/parameters';
import { numberOptions, optionsField, shownFor } from '../fields';
import { customFields, customFieldsJsonOption, customFieldsOption } from './customFields';

const displayOptions = shownFor('contact', 'create');

/** Contact > Create. */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create a contact',
		description: 'Add a contact to your account',
	},
	fields: [
		{
			displayName: 'Phone',
			name: 'phone',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. +233201234567',
			description: 'Phone number of the contact, preferably with + and country code',
			displayOptions,
		},
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder: 'e.g. Ama Mensah',
			description: 'Name of the contact',
			displayOptions,
		},
		optionsField(displayOptions, [customFieldsOption, customFieldsJsonOption, ...numberOptions]),
	],
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		if (phone instanceof InputError) return phone;
		const name = textParameter(context, 'name', itemIndex);
		const custom = customFields(context, itemIndex);
		if (custom instanceof InputError) return custom;
		return makeCall(contract.contact.create, { ...custom, phone, ...(name !== '' && { name }) });
	},
};
