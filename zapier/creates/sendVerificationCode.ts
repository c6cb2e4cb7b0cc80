import { contract } from '../../shared';
import {
	CODE_THROTTLE,
	defaultCountryField,
	landlinesField,
	recipientField,
	senderIdField,
	unknownRangesField,
} from '../fields';
import { textInput } from '../runtime/inputs';
import { recipientOption } from '../runtime/optionFields';
import { defineSend } from './defineSend';

/** Send Verification Code: sends a one-time code by SMS (docs/api.md#start-a-verification). */
export const sendVerificationCode = defineSend({
	key: 'send_verification_code',
	noun: 'Code',
	display: { label: 'Send Verification Code', description: 'Sends a one-time code to a phone number by SMS.' },
	endpoint: contract.verification.start,
	inputFields: [
		recipientField('phone', 'Phone', 'Phone number that gets the code.'),
		senderIdField,
		defaultCountryField,
		unknownRangesField,
		landlinesField,
	],
	readInput: (bundle) => ({
		phone: recipientOption(bundle, 'phone'),
		sender_id: textInput(bundle.inputData.sender_id),
	}),
	outputFields: [
		{ key: 'verification_id', label: 'Verification ID', type: 'integer' },
		{ key: 'status', label: 'Status', type: 'string' },
		{ key: 'cost', label: 'Cost', type: 'number' },
		{ key: 'balance', label: 'Balance After Sending', type: 'number' },
	],
	sample: { cost: 0.05, balance: 39.95 },
	throttle: CODE_THROTTLE,
	neverLate: true,
});
