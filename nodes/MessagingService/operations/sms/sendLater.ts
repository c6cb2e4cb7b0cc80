import { ApiError, contract, InputError, recipientResults, recipientsOf } from '../../../../shared';
import { makeCall, type ItemOperation } from '../../execution/operation';
import {
	messageParameter,
	priorityOption,
	phoneParameter,
	scheduleParameter,
	textParameter,
} from '../../host/parameters';
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
		optionsField(displayOptions, [...smsOptions, ...paceOptions]),
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
		return makeCall(contract.sms.sendBulk, {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to: [to],
			message: messageParameter(context, 'message', itemIndex),
			schedule_at: schedule.schedule_at,
			...priority,
		});
	},
	finish: (outcome, { input }) => {
		if (outcome.outcome !== 'accepted') return outcome;
		const { results, ...response } = contract.sms.sendBulk.output.parse(outcome.output);
		const [to = ''] = recipientsOf(input);
		const recipients = [{ to, source: 0, position: 0 }];
		const batch = { name: '0', input: contract.sms.sendBulk.input.parse(input), recipients };
		const [result] = recipientResults({
			index: 0,
			input: batch,
			outcome: 'accepted',
			output: { ...response, results },
		});
		if (result?.outcome === 'unknown') return { outcome: 'unknown', error: result.error };
		if (result && 'message' in result) {
			const hint = 'The service accepted the request without this number. Nothing was sent to it.';
			return {
				outcome: 'rejected',
				error: new ApiError(result.message, { endpoint: 'sms.sendBulk', sent: 'no', hint }),
			};
		}
		const id = result && 'message_id' in result ? { message_id: result.message_id } : {};
		return { outcome: 'accepted', output: { schedule_at: input.schedule_at, ...response, ...id } };
	},
};
