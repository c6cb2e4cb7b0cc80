import { defineCreate, defineInputFields, type CreatePerform, type PlainOutputField } from 'zapier-platform-core';
import { contract } from '../../shared';
import { ADVANCED, CODE_THROTTLE, defaultCountryField, senderIdField, sendOnceKeyField } from '../fields';
import { textInput } from '../runtime/inputs';
import { phoneField } from '../runtime/optionFields';
import { runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';
import { sendOnce } from '../runtime/sendOnce';

const inputFields = defineInputFields([
	{
		key: 'phone',
		label: 'Phone',
		type: 'string',
		required: true,
		dynamic: 'contacts.id.name',
		search: 'find_contact.phone',
		placeholder: '+233201234567',
		helpText:
			'Phone number that gets the code. Choose a contact, or enter a custom value, best with `+` and country code.',
	},
	senderIdField,
	defaultCountryField,
	sendOnceKeyField,
]);

const outputFields = [
	{ key: 'verification_id', label: 'Verification ID', type: 'integer' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'balance', label: 'Balance After Sending', type: 'number' },
	{ key: 'already_sent', label: 'Already Sent', type: 'boolean' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) =>
	await runStep(
		z,
		bundle,
		inputFields,
		async () => {
			const input = { phone: phoneField(bundle, 'phone'), sender_id: textInput(bundle.inputData.sender_id) };
			const sent = await sendOnce(z, bundle, {
				action: 'send_verification_code',
				recipients: [input.phone],
				send: async (client) => await client.verification.start(input),
			});
			return toOutput(outputFields, sent);
		},
		{ neverLate: true },
	)) satisfies CreatePerform<typeof inputFields>;

/** Send Verification Code: sends a one-time code by SMS (docs/api.md#start-a-verification). */
export const sendVerificationCode = defineCreate({
	key: 'send_verification_code',
	noun: 'Code',
	display: { label: 'Send Verification Code', description: 'Sends a one-time code to a phone number by SMS.' },
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: CODE_THROTTLE,
		sample: {
			verification_id: contract.verification.start.example.output.verification_id,
			status: 'pending',
			cost: 0.05,
			balance: 39.95,
			already_sent: false,
		},
		outputFields,
	},
});
