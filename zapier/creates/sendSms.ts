import { contract, outcomeOfOne } from '../../shared';
import {
	defaultCountryField,
	landlinesField,
	messageField,
	priorityField,
	recipientField,
	sendAtField,
	senderIdField,
	sendingHoursFields,
	unknownRangesField,
} from '../fields';
import { messageInput, scheduleInput, textInput } from '../runtime/inputs';
import { recipientOption, textOption, yesOption } from '../runtime/optionFields';
import { departureInput } from '../runtime/sendingHours';
import { defineSend, messageOutput } from './defineSend';

/**
 * Send SMS: sends one message to one phone number, now (docs/api.md#send-an-sms) or later, as a bulk send to one
 * (docs/api.md#send-a-bulk-sms).
 */
export const sendSms = defineSend({
	key: 'send_sms',
	noun: 'SMS',
	display: { label: 'Send SMS', description: 'Sends an SMS to one phone number, now or later.' },
	endpoint: contract.sms.send,
	inputFields: [
		recipientField('to', 'To', 'Phone number of the recipient.'),
		senderIdField,
		messageField(
			'The message, at most 1600 characters. Long text, emoji or `₵` can cost extra segments: see **Estimate SMS Cost**.',
		),
		sendAtField,
		...sendingHoursFields,
		priorityField,
		defaultCountryField,
		unknownRangesField,
		landlinesField,
	],
	readInput: (bundle) => ({
		to: recipientOption(bundle, 'to', '**Send Bulk SMS**'),
		sender_id: textInput(bundle.inputData.sender_id),
		message: messageInput(bundle.inputData.message),
		...(yesOption(bundle, 'priority') && { priority: true }),
	}),
	plan: (bundle, input) => {
		const planned = scheduleInput(bundle, textOption(bundle, 'send_at'), 'send_at');
		const departure = departureInput(bundle, planned);
		if (departure.when === 'never') {
			const { message, allowed_at } = departure.skipped;
			return { skipped: { outcome: 'skipped', reason: message, allowed_at } };
		}
		if (departure.when === 'now') {
			return {
				call: async (client, options) => await client.call(contract.sms.send, input, options),
				plannedAt: planned?.instant,
				about: { outcome: 'accepted' },
			};
		}
		const { schedule, moved } = departure;
		const later = { ...input, to: [input.to], schedule_at: schedule.schedule_at };
		const { schedule_reason = null, allowed_at = null } = moved ?? {};
		return {
			call: async (client, options) => outcomeOfOne(await client.call(contract.sms.sendBulk, later, options), later),
			plannedAt: planned?.instant,
			...(moved && { movedFrom: planned?.schedule_at ?? 'now' }),
			about: { outcome: 'accepted', send_at: schedule.instant, schedule_reason, allowed_at },
		};
	},
	outputFields: [
		...messageOutput(),
		{ key: 'outcome', label: 'Outcome', type: 'string' },
		{ key: 'send_at', label: 'Send At', type: 'datetime' },
		{ key: 'schedule_reason', label: 'Schedule Reason', type: 'string' },
		{ key: 'allowed_at', label: 'Allowed At', type: 'datetime' },
		{ key: 'reason', label: 'Reason', type: 'string' },
	],
	sample: { outcome: 'accepted' },
});
