import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { phoneParameter, textParameter } from '../../host/parameters';
import { optionsField, phoneField, senderIdField, sendOptions, shownFor, textNumberOptions } from '../fields';

const displayOptions = shownFor('verification', 'start');

/** Verification > Send Code. */
export const start: Operation = {
	option: {
		name: 'Send Code',
		value: 'start',
		action: 'Send a verification code',
		description: 'Send a one-time code by SMS. Costs money and cannot be undone.',
	},
	fields: [
		senderIdField(displayOptions),
		phoneField('phone', 'Phone number to verify, preferably with + and country code', displayOptions),
		optionsField(displayOptions, [...sendOptions, ...textNumberOptions]),
	],
	prepare: (context, itemIndex, session) => {
		const phone = phoneParameter(context, 'phone', 'phone', itemIndex, session);
		if (phone instanceof InputError) return phone;
		return makeCall(contract.verification.start, { phone, sender_id: textParameter(context, 'senderId', itemIndex) });
	},
};
