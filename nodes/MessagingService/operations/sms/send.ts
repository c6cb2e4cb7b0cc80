import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { messageParameter, priorityOption, phoneParameter, textParameter } from '../../host/parameters';
import {
	messageField,
	optionsField,
	paceOptions,
	phoneField,
	senderIdField,
	shownFor,
	SMS_DESCRIPTION,
	smsOptions,
} from '../fields';

const displayOptions = shownFor('sms', 'send');

/** SMS > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send an SMS',
		description: 'Send an SMS to one phone number. Costs money and cannot be undone.',
	},
	fields: [
		senderIdField(displayOptions),
		phoneField('to', 'Phone number of the recipient, preferably with + and country code', displayOptions),
		messageField({
			placeholder: 'e.g. We are open 8 am to 6 pm',
			description: SMS_DESCRIPTION,
			displayOptions,
		}),
		optionsField(displayOptions, [...smsOptions, ...paceOptions]),
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		const priority = priorityOption(context, itemIndex);
		if (priority instanceof InputError) return priority;
		return makeCall(contract.sms.send, {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to,
			message: messageParameter(context, 'message', itemIndex),
			...priority,
		});
	},
};
