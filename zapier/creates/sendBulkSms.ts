import {
	defineCreate,
	defineInputFields,
	type Bundle,
	type CreatePerform,
	type PlainInputField,
	type PlainOutputField,
	type ZObject,
} from 'zapier-platform-core';
import { readPhoneNumber, type PhoneOptions, textWarnings, type BatchResult } from '../../shared';
import {
	ADVANCED,
	defaultCountryField,
	dryRunField,
	keyScopeFields,
	landlinesField,
	messageField,
	priorityField,
	segmentPriceField,
	SEND_THROTTLE,
	sendAtField,
	SENDING_HOURS,
	sendingHoursFields,
	senderIdField,
	sendOnceKeyField,
	unknownRangesField,
} from '../fields';
import { isBaseUrlRelay } from '../runtime/baseUrlIsRelay';
import { isOfLines, readBulkOptions } from '../runtime/bulkOptions';
import { canReturnAll, nothingToSend, outputOf, type BulkOutput } from '../runtime/bulkOutput';
import { predictBulk, textsOf } from '../runtime/bulkPrediction';
import { readLines, readMessageGroups, skipAll, type Line, type MessageGroup } from '../runtime/bulkRecipients';
import { dryRunOutput, dryRunPrice, isDryRun, predictedEnd, predictedSkip, readAccount } from '../runtime/dryRun';
import { invalid, messageInput } from '../runtime/inputs';
import { isBlank, isEmptyInThisRun } from '../runtime/mapped';
import { runStep } from '../runtime/perform';
import { toOutput } from '../runtime/results';
import { sendBulk } from '../runtime/sendBulk';
import { findEarlierRun, sendOnce } from '../runtime/sendOnce';

/** Most result rows stored with a Send Once Key. For a longer send, the totals are stored without rows. */
const MOST_KEPT = 200;

const listFields: PlainInputField[] = [
	{
		key: 'to',
		label: 'To',
		type: 'string',
		list: true,
		// Numbers to Send Again is usually empty, and Zapier fails a step if a required field is empty in a run.
		required: false,
		dynamic: 'contacts.id.name',
		helpText: 'Phone numbers, one per field, as a mapped list, or separated by commas. Send only to people who agreed.',
	},
	messageField(
		'One message for all numbers, at most 1600 characters. Long text, emoji or `₵` can cost extra segments.',
	),
];

const linesField: PlainInputField = {
	key: 'lines',
	label: 'Lines',
	children: [
		{
			key: 'line_to',
			label: 'To',
			type: 'string',
			required: false,
			helpText: 'Phone number of the line. Send only to people who agreed.',
		},
		{
			key: 'line_message',
			label: 'Message',
			type: 'text',
			required: false,
			helpText: 'The message for this number, at most 1600 characters. About 100 different messages fit in one run.',
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
		choices: { list: 'A List of Numbers, One Message for All', line_items: 'Line Items, Each with Its Own Message' },
		altersDynamicFields: true,
		helpText: 'Choose a list if all numbers get the same message, or line items if each gets its own.',
	},
	(_z: ZObject, { inputData }: Bundle<{ recipients_from?: string }>): PlainInputField[] =>
		inputData.recipients_from === 'line_items' ? [linesField] : listFields,
	sendAtField,
	{
		key: 'excluded_numbers',
		label: 'Excluded Numbers',
		type: 'string',
		list: true,
		required: false,
		helpText: 'Numbers to leave out. If the mapped list can be empty, add your own number, or the step halts.',
		group: ADVANCED.key,
	},
	{
		key: 'skip_rejected_numbers',
		label: 'Skip Rejected Numbers',
		type: 'boolean',
		required: false,
		default: 'true',
		helpText:
			'Whether to skip numbers that the service rejects and send to the others. If no, the whole request is rejected.',
		group: ADVANCED.key,
	},
	{
		key: 'numbers_per_request',
		label: 'Numbers per Request',
		type: 'integer',
		required: false,
		helpText: 'Most numbers in one request, for example `200`. Leave empty for 1,000.',
		group: ADVANCED.key,
	},
	...sendingHoursFields,
	priorityField,
	defaultCountryField,
	unknownRangesField,
	landlinesField,
	sendOnceKeyField,
	...keyScopeFields,
	dryRunField,
	segmentPriceField,
]);

const outputFields = [
	{ key: 'outcome', label: 'Outcome', type: 'string' },
	{ key: 'total', label: 'Numbers', type: 'integer' },
	{ key: 'accepted', label: 'Accepted', type: 'integer' },
	{ key: 'rejected', label: 'Rejected', type: 'integer' },
	{ key: 'unknown', label: 'Unknown', type: 'integer' },
	{ key: 'not_attempted', label: 'Not Attempted', type: 'integer' },
	{ key: 'skipped', label: 'Skipped', type: 'integer' },
	{ key: 'requests', label: 'Requests', type: 'integer' },
	{ key: 'total_segments', label: 'Total Segments', type: 'integer' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'balance', label: 'Balance After Sending', type: 'number' },
	{ key: 'send_at', label: 'Sent At', type: 'datetime' },
	{ key: 'schedule_reason', label: 'Schedule Reason', type: 'string' },
	{ key: 'allowed_at', label: 'Allowed At', type: 'datetime' },
	{ key: 'unknown_numbers', label: 'Unknown Numbers', type: 'string', list: true },
	{ key: 'numbers_to_send_again', label: 'Numbers to Send Again', type: 'string', list: true },
	{ key: 'lines_to_send_again[]to', label: 'Line to Send Again: To', type: 'string' },
	{ key: 'lines_to_send_again[]message', label: 'Line to Send Again: Message', type: 'string' },
	{ key: 'rows_left_out', label: 'Rows Left Out', type: 'integer' },
	{ key: 'already_sent', label: 'Already Sent', type: 'boolean' },
	{ key: 'message', label: 'Message', type: 'string' },
	...dryRunOutput,
	{ key: 'would_send', label: 'Would Send', type: 'integer' },
	{ key: 'would_skip', label: 'Would Skip', type: 'integer' },
	{ key: 'results[]to', label: 'Result: To', type: 'string' },
	{ key: 'results[]outcome', label: 'Result: Outcome', type: 'string' },
	{ key: 'results[]message', label: 'Result: Message', type: 'string' },
	{ key: 'results[]sender_id', label: 'Result: Sender ID', type: 'string' },
	{ key: 'results[]segment_count', label: 'Result: Segments', type: 'integer' },
	{ key: 'results[]message_id', label: 'Result: Message ID', type: 'string' },
	{ key: 'results[]status', label: 'Result: Status', type: 'string' },
	{ key: 'results[]batch_id', label: 'Result: Batch ID', type: 'string' },
	{ key: 'results[]reason', label: 'Result: Reason', type: 'string' },
	{ key: 'results[]line', label: 'Result: Line', type: 'integer' },
	{ key: 'results[]already_sent', label: 'Result: Already Sent', type: 'boolean' },
	{ key: 'results[]cost', label: 'Result: Cost', type: 'number' },
	{ key: 'results[]encoding', label: 'Result: Encoding', type: 'string' },
	{ key: 'results[]cheaper_message', label: 'Result: Cheaper Spelling', type: 'string' },
	{ key: 'results[]segments_saved', label: 'Result: Segments Saved', type: 'integer' },
] satisfies PlainOutputField[];

const NO_EARLIER_RUN = { kind: 'none' } as const;

const NO_TIMES = { send_at: null, schedule_reason: null, allowed_at: null };

/** Labels of the API's fields, for the reasons in the rows. */
const LABELS = {
	to: 'To',
	message: 'Message',
	sender_id: 'Sender ID',
	schedule_at: 'Send At',
	[sendOnceKeyField.key]: sendOnceKeyField.label,
};

const perform = (async (z, bundle) => {
	const began = performance.now();
	return await runStep(z, bundle, [...inputFields, ...listFields, linesField], async () => {
		const dry_run = isDryRun(bundle);
		const ofLines = isOfLines(bundle);
		if (isListEmpty(bundle, ofLines)) {
			return toOutput(outputFields, { ...nothingToSend(), send_at: null, already_sent: false, dry_run });
		}
		const { common, sendAt, plannedAt, moved, outsideHours, phone, excludedNumbers, ...options } =
			readBulkOptions(bundle);
		const lines = linesOf(bundle.inputData, ofLines);
		if (ofLines) requireOneNumberEach(lines, phone);
		const groups = readMessageGroups(lines, phone, excludedNumbers);
		const recipients = groups.flatMap((group) => group.recipients.map(({ to }) => to));
		if (recipients.length === 0) throw invalid('to', `has no number to send to. ${whyNone(groups)}`);
		if (!canReturnAll(groups, ofLines)) {
			const issue = 'too much for one run: the output could not list it all to send again. Use several runs';
			throw ofLines ? invalid('lines', `hold ${issue}`) : invalid('to', `holds ${issue}`);
		}
		const message = ofLines ? null : messageInput(bundle.inputData.message);
		const messages = groups.flatMap(({ message: text, recipients: all }) => all.map(({ to }) => [to, text]));
		const content = [messages.map((one) => JSON.stringify(one)).sort(), common.sender_id, common.priority, plannedAt];
		const intent = { action: 'send_bulk_sms', recipients, content };
		if (dry_run) {
			const price = dryRunPrice(bundle, segmentPriceField);
			const earlier = outsideHours ? NO_EARLIER_RUN : await findEarlierRun(z, bundle, intent);
			if (earlier.kind === 'accepted') return toOutput(outputFields, { ...predictedSkip(earlier.output), message });
			const planned = outsideHours ? skipAll(groups, outsideHours) : groups;
			const bulk = { groups: planned, common, ...options, ofLines, labels: LABELS, price };
			const { output, cost, warnings } = await predictBulk(bulk);
			const account = await readAccount(z, bundle, common.sender_id);
			const end = predictedEnd(bundle, account, cost, earlier, warnings);
			const schedule_reason = moved?.schedule_reason ?? null;
			const allowed_at = (moved ?? outsideHours)?.allowed_at ?? null;
			const times = { send_at: sendAt ?? null, schedule_reason, allowed_at };
			const skipped = outsideHours && { outcome: 'would_skip' };
			return toOutput(outputFields, { ...output, ...times, message, already_sent: false, ...end, ...skipped });
		}
		const rest = { ofLines, labels: LABELS, byRelay: isBaseUrlRelay(bundle.authData) };
		if (outsideHours) {
			const skipped = outputOf({ groups: skipAll(groups, outsideHours), done: [], requests: 0, ...rest });
			return toOutput(outputFields, { ...skipped, allowed_at: outsideHours.allowed_at, already_sent: false, dry_run });
		}
		const sent = await sendOnce(z, bundle, {
			...intent,
			send: async (_, keyOf) => {
				const result = await sendBulk(z, bundle, groups, { common, ...options, began, keyOf });
				const rows = outputOf({ ...result, groups, ...rest });
				const isReplay = isReplayed(result.done);
				const { schedule_reason = null, allowed_at = null } = moved ?? {};
				const times = { send_at: sendAt ?? null, schedule_reason, allowed_at };
				// The first message leaves at a time of its own, which the relay does not know.
				const isOther = isReplay && moved !== undefined;
				return { output: { ...rows, ...(isOther ? NO_TIMES : times) }, isReplay };
			},
			keep,
		});
		const note = textWarnings(textsOf(groups, ofLines)).join(' ') || null;
		return toOutput(outputFields, { ...sent, message, dry_run, note });
	});
}) satisfies CreatePerform<typeof inputFields>;

/** Whether the recipients are mapped and empty in this run. The step then sends nothing and succeeds. */
function isListEmpty(bundle: Bundle, ofLines: boolean): boolean {
	if (!ofLines) return isEmptyInThisRun(bundle, 'to');
	const keys = ['lines', 'line_to', 'line_message'];
	return keys.some((key) => isEmptyInThisRun(bundle, key)) && keys.every((key) => isBlank(bundle.inputData[key]));
}

function linesOf(inputData: Readonly<Record<string, unknown>>, ofLines: boolean): Line[] {
	if (!ofLines) return [{ to: inputData.to, message: messageInput(inputData.message) }];
	const lines = readLines(inputData);
	if (lines.length === 0) throw invalid('lines', 'are empty: map a field with line items to To and Message');
	return lines;
}

/**
 * Rejects a line with several numbers. Zapier makes such a line from fields that hold comma-separated values instead of line
 * items, and its message would then hold the texts of all recipients.
 * @throws InputError for the first such line
 */
function requireOneNumberEach(lines: readonly Line[], options: PhoneOptions): void {
	for (const [index, { to }] of lines.entries()) {
		const [first, ...others] = [to].flat().filter((one) => !isBlank(one));
		const read = readPhoneNumber(first, options);
		if (others.length === 0 && (read.ok || read.problem !== 'several_numbers')) continue;
		throw invalid('lines', `have more than one number in line ${index + 1}: map line items with one number each`);
	}
}

/** Why no number gets the message. A number that cannot be read is reported before any other reason. */
function whyNone(groups: readonly MessageGroup[]): string | undefined {
	const skipped = groups.flatMap((group) => group.skipped);
	return (skipped.find(({ reason }) => reason === 'invalid_number') ?? skipped[0])?.message;
}

function keep<Output extends BulkOutput>(output: Output): Output {
	const { length } = output.results;
	return length <= MOST_KEPT ? output : { ...output, rows_left_out: output.rows_left_out + length, results: [] };
}

/** Send Bulk SMS: sends to many numbers, now or later, and returns a result for each (docs/api.md#send-a-bulk-sms). */
export const sendBulkSms = defineCreate({
	key: 'send_bulk_sms',
	noun: 'SMS',
	display: {
		label: 'Send Bulk SMS',
		description:
			'Sends one message to many numbers, or a different one to each, now or later. Returns a result for each.',
	},
	operation: {
		inputFields,
		inputFieldGroups: [SENDING_HOURS, ADVANCED],
		perform,
		throttle: SEND_THROTTLE,
		sample: toOutput(outputFields, {
			outcome: 'accepted',
			total: 1,
			accepted: 1,
			rejected: 0,
			unknown: 0,
			not_attempted: 0,
			skipped: 0,
			requests: 1,
			total_segments: 1,
			cost: 0.05,
			balance: 39.95,
			unknown_numbers: [],
			numbers_to_send_again: [],
			lines_to_send_again: [],
			rows_left_out: 0,
			already_sent: false,
			message: 'We are open on Boxing Day.',
			dry_run: false,
			results: [
				{
					to: '+233201234567',
					outcome: 'accepted',
					sender_id: 'KOFISHOP',
					segment_count: 1,
					message_id: 'msg_0001',
					status: 'queued',
					batch_id: 'bulk_0001',
					line: 1,
				},
			],
		}),
		outputFields,
	},
});

/** Whether an earlier run sent all that a bulk send accepted, so that nothing was sent now. */
function isReplayed(done: readonly BatchResult[]): boolean {
	const accepted = done.flatMap((result) => (result.outcome === 'accepted' ? [result.relay?.replayed === true] : []));
	return accepted.length > 0 && accepted.every(Boolean) && done.every(({ outcome }) => outcome !== 'unknown');
}
