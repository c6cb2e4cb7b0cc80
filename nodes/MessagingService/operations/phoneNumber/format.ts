import { InputError, readPhoneNumber } from '../../../../shared';
import type { Operation } from '../../execution/operation';
import { phoneOptionsParameter } from '../../host/parameters';
import { numberOptions, optionsField, shownFor } from '../fields';

const displayOptions = shownFor('phoneNumber', 'format');

/** Phone Number > Format: computed locally, without a request. */
export const format: Operation = {
	option: {
		name: 'Format',
		value: 'format',
		action: 'Format a phone number',
		description: 'Write a phone number with + and country code (E.164). Free, no request is made.',
	},
	fields: [
		{
			displayName: 'Phone',
			name: 'phone',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 020 123 4567',
			description: 'Phone number as people type it',
			displayOptions,
		},
		optionsField(displayOptions, numberOptions),
	],
	prepare: (context, itemIndex, { sandbox }) => {
		const options = phoneOptionsParameter(context, itemIndex, sandbox);
		if (options instanceof InputError) return options;
		const typed: unknown = context.getNodeParameter('phone', itemIndex, '');
		const { ok, ...read } = readPhoneNumber(typed, options);
		const output = { valid: ok, ...read };
		return { kind: 'task', run: async () => await Promise.resolve({ outcome: 'accepted', output }) };
	},
};
