import { InputError } from '../../../../shared';
import type { ItemOperation } from '../../execution/operation';
import { messageParameter, priorityOption, phoneParameter, textParameter } from '../../host/parameters';
import { departureParameter } from '../../host/sendingHours';
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
import { sendingHoursOption } from '../sendingHours';
import { departingSms, finishSms } from './departingSms';

const displayOptions = shownFor('sms', 'send');

/** SMS > Send. */
export const send: ItemOperation = {
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
		optionsField(displayOptions, [...smsOptions, ...paceOptions, sendingHoursOption]),
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		const priority = priorityOption(context, itemIndex);
		if (priority instanceof InputError) return priority;
		const departure = departureParameter(context, itemIndex, session);
		if (departure instanceof InputError) return departure;
		const sms = {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to,
			message: messageParameter(context, 'message', itemIndex),
			...priority,
		};
		return departingSms(sms, departure);
	},
	finish: finishSms,
};
