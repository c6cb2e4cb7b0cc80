import {
	defineCreate,
	defineInputFields,
	type Bundle,
	type CreatePerform,
	type PlainInputField,
	type PlainOutputField,
	type ZObject,
} from 'zapier-platform-core';
import { readDoNotText } from '../../shared';
import { ADVANCED, defaultCountryField, SEND_THROTTLE, senderIdField, sendOnceKeyField } from '../fields';
import { readLines, readMailings, type Line } from '../runtime/bulkRecipients';
import {
	invalid,
	isYes,
	messageInput,
	optionalNumber,
	phoneOptions,
	scheduleInput,
	textInput,
} from '../runtime/inputs';
import { runStep } from '../runtime/perform';
import { toResult } from '../runtime/results';
import { sendBulk, type BulkResult } from '../runtime/sendBulk';
import { sendOnce } from '../runtime/sendOnce';

/** Rows that are kept with a Send Once Key; of a longer send only the figures are. */
const MOST_KEPT = 200;

const listFields: PlainInputField[] = [
	{
		key: 'to',
		label: 'To',
		type: 'string',
		list: true,
		required: true,
		dynamic: 'contacts.id.name',
		helpText:
			'Phone numbers, one in each field, or a mapped list, or numbers with commas or line breaks between. Text only people who agreed to it.',
	},
	{
		key: 'message',
		label: 'Message',
		type: 'text',
		required: true,
		helpText:
			'The text for all of them, at most 1600 characters. Long texts, and texts with an emoji or a sign such as `₵`, are charged as several messages.',
	},
];

const linesField: PlainInputField = {
	key: 'lines',
	label: 'Lines',
	children: [
		{
			key: 'line_to',
			label: 'To',
			type: 'string',
			required: true,
			helpText: 'Phone number of the line. Text only people who agreed to it.',
		},
		{
			key: 'line_message',
			label: 'Message',
			type: 'text',
			required: true,
			helpText: 'The text for this number, at most 1600 characters.',
		},
	],
};

const inputFields = defineInputFields([
	senderIdField,
	{
		key: 'recipients_from',
		label: 'Recipients From',
		type: 'string',
		required: true,
		default: 'list',
		choices: { list: 'A List of Numbers, One Text for All', line_items: 'Line Items, Each with Its Own Text' },
		altersDynamicFields: true,
		helpText: 'Whether everybody gets the same text, or every line of a line item field has a number and a text.',
	},
	(_z: ZObject, { inputData }: Bundle<{ recipients_from?: string }>): PlainInputField[] =>
		inputData.recipients_from === 'line_items' ? [linesField] : listFields,
	{
		key: 'send_at',
		label: 'Send At',
		type: 'datetime',
		required: false,
		helpText:
			'When it is to be sent; at once where this is empty. A time without a zone is in the time zone of your Zap. The wallet is charged at once.',
	},
	{
		key: 'do_not_text',
		label: 'Do Not Text',
		type: 'string',
		list: true,
		required: false,
		helpText: 'Numbers that are left out, such as those who unsubscribed in another program.',
		group: ADVANCED.key,
	},
	{
		key: 'leave_out_refused',
		label: 'Leave Out Refused Numbers',
		type: 'boolean',
		required: false,
		default: 'true',
		helpText:
			'The service refuses a whole request for one number that has opted out. With this the request is sent again in halves, until only the numbers at fault are left out.',
		group: ADVANCED.key,
	},
	{
		key: 'numbers_per_request',
		label: 'Numbers per Request',
		type: 'integer',
		required: false,
		helpText: 'How many numbers leave in one request at most; 1000 where this is empty.',
		group: ADVANCED.key,
	},
	{
		key: 'priority',
		label: 'Priority',
		type: 'boolean',
		required: false,
		helpText: 'Whether to use the faster route for one-time codes, at a higher rate.',
		group: ADVANCED.key,
	},
	defaultCountryField,
	sendOnceKeyField,
]);

const outputFields = [
	{ key: 'outcome', label: 'Outcome', type: 'string' },
	{ key: 'total', label: 'Numbers', type: 'integer' },
	{ key: 'accepted', label: 'Accepted', type: 'integer' },
	{ key: 'rejected', label: 'Rejected', type: 'integer' },
	{ key: 'unknown', label: 'Unknown', type: 'integer' },
	{ key: 'not_tried', label: 'Not Tried', type: 'integer' },
	{ key: 'skipped', label: 'Skipped', type: 'integer' },
	{ key: 'requests', label: 'Requests', type: 'integer' },
	{ key: 'total_segments', label: 'Total Segments', type: 'integer' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'balance', label: 'Balance After Sending', type: 'number' },
	{ key: 'send_at', label: 'Sent At', type: 'datetime' },
	{ key: 'unknown_numbers', label: 'Unknown Numbers', type: 'string', list: true },
	{ key: 'not_tried_numbers', label: 'Not Tried Numbers', type: 'string', list: true },
	{ key: 'already_sent', label: 'Already Sent', type: 'boolean' },
	{ key: 'results[]to', label: 'Result: To', type: 'string' },
	{ key: 'results[]outcome', label: 'Result: Outcome', type: 'string' },
	{ key: 'results[]message_id', label: 'Result: Message ID', type: 'string' },
	{ key: 'results[]status', label: 'Result: Status', type: 'string' },
	{ key: 'results[]batch_id', label: 'Result: Batch ID', type: 'string' },
	{ key: 'results[]reason', label: 'Result: Reason', type: 'string' },
	{ key: 'results[]line', label: 'Result: Line', type: 'integer' },
] satisfies PlainOutputField[];

const perform = (async (z, bundle) => {
	const began = performance.now();
	return await runStep(z, bundle, [...inputFields, ...listFields, linesField], async () => {
		const { inputData } = bundle;
		const options = phoneOptions(bundle);
		const doNotText = readDoNotText(inputData.do_not_text, options);
		if ('message' in doNotText) throw invalid('do_not_text', doNotText.message);
		const schedule = scheduleInput(bundle, inputData.send_at, 'send_at');
		const numbersPerRequest = optionalNumber(inputData.numbers_per_request, 'numbers_per_request');
		if (numbersPerRequest !== undefined && !(Number.isInteger(numbersPerRequest) && numbersPerRequest > 0)) {
			throw invalid('numbers_per_request', 'is not a whole number above 0');
		}
		const mailings = readMailings(linesOf(inputData), options, doNotText);
		const recipients = mailings.flatMap((mailing) => mailing.recipients.map(({ to }) => to));
		const unreadable = mailings.flatMap(({ skipped }) => skipped).find(({ reason }) => reason === 'invalid_number');
		if (recipients.length === 0 && unreadable)
			throw invalid('to', `holds no number that can be texted. ${unreadable.message}`);
		const text = {
			sender_id: textInput(inputData.sender_id),
			...(isYes(inputData.priority) && { priority: true }),
			...(schedule && { schedule_at: schedule.schedule_at }),
		};
		const leaveOutRefused = textInput(inputData.leave_out_refused) === '' || isYes(inputData.leave_out_refused);
		const sent = await sendOnce(z, bundle, {
			action: 'send_bulk_sms',
			recipients,
			send: async () => ({
				...(await sendBulk(z, bundle, mailings, { text, numbersPerRequest, leaveOutRefused, began })),
				send_at: schedule?.instant ?? null,
			}),
			keep,
		});
		return toResult(outputFields, sent);
	});
}) satisfies CreatePerform<typeof inputFields>;

function linesOf(inputData: Readonly<Record<string, unknown>>): Line[] {
	if (textInput(inputData.recipients_from) !== 'line_items') {
		return [{ to: inputData.to, message: messageInput(inputData.message) }];
	}
	const lines = readLines(inputData);
	if (lines.length === 0) throw invalid('lines', 'are empty: map a field with line items to To and Message');
	return lines;
}

function keep(result: BulkResult): BulkResult {
	return result.results.length <= MOST_KEPT ? result : { ...result, results: [] };
}

/** Send Bulk SMS: texts to many numbers, now or later, with what became of each. */
export const sendBulkSms = defineCreate({
	key: 'send_bulk_sms',
	noun: 'SMS',
	display: {
		label: 'Send Bulk SMS',
		description: 'Sends one text to many phone numbers, or each its own, now or later, and tells what became of each.',
	},
	operation: {
		inputFields,
		inputFieldGroups: [ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: {
			outcome: 'accepted',
			total: 1,
			accepted: 1,
			rejected: 0,
			unknown: 0,
			not_tried: 0,
			skipped: 0,
			requests: 1,
			total_segments: 1,
			cost: 0.05,
			balance: 39.95,
			send_at: '2026-12-24T08:30:00.000Z',
			unknown_numbers: [],
			not_tried_numbers: [],
			already_sent: false,
			results: [
				{
					to: '+233201234567',
					outcome: 'accepted',
					message_id: 'msg_0001',
					status: 'queued',
					batch_id: 'bulk_0001',
					reason: null,
					line: 1,
				},
			],
		},
		outputFields,
	},
});
