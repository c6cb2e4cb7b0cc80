import { InputError } from '../../../../shared';
import type { ItemOperation } from '../../execution/operation';
import {
	messageParameter,
	priorityOption,
	phoneParameter,
	scheduleParameter,
	textParameter,
} from '../../host/parameters';
import { departureParameter } from '../../host/sendingHours';
import {
	messageField,
	optionsField,
	paceOptions,
	phoneField,
	sendAtField,
	senderIdField,
	shownFor,
	SMS_DESCRIPTION,
	smsOptions,
} from '../fields';
import { sendingHoursOption } from '../sendingHours';
import { departingSms, finishSms } from './departingSms';

const displayOptions = shownFor('sms', 'sendLater');

/** SMS > Send Later: a bulk send to one number, because the API cannot schedule a single send. */
export const sendLater: ItemOperation = {
	option: {
		name: 'Send Later',
		value: 'sendLater',
		action: 'Schedule an SMS',
		description: 'Schedule an SMS to one phone number. Costs money now and cannot be undone.',
	},
	fields: [
		senderIdField(displayOptions),
		phoneField('to', 'Phone number of the recipient, preferably with + and country code', displayOptions),
		messageField({
			placeholder: 'e.g. Your appointment is tomorrow at 9',
			description: SMS_DESCRIPTION,
			displayOptions,
		}),
		{ ...sendAtField, required: true, displayOptions },
		optionsField(displayOptions, [...smsOptions, ...paceOptions, sendingHoursOption]),
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		const schedule = scheduleParameter(context, 'sendAt', itemIndex);
		if (schedule instanceof InputError) return schedule;
		if (schedule === undefined) {
			return new InputError('node', [{ field: 'schedule_at', message: 'is empty: choose when to send' }]);
		}
		const priority = priorityOption(context, itemIndex);
		if (priority instanceof InputError) return priority;
		const departure = departureParameter(context, itemIndex, session, schedule);
		if (departure instanceof InputError) return departure;
		const sms = {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to,
			message: messageParameter(context, 'message', itemIndex),
			...priority,
		};
		return departingSms(sms, departure, schedule);
	},
	finish: finishSms,
};
