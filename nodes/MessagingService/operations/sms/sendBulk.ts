import { bulkRun } from '../../execution/bulk/bulkRun';
import type { RunOperation } from '../../execution/operation';
import {
	messageField,
	optionsField,
	paceOptions,
	sendAtField,
	senderIdField,
	shownFor,
	SMS_DESCRIPTION,
	smsOptions,
} from '../fields';
import { sendingHoursOption } from '../sendingHours';

const displayOptions = shownFor('sms', 'sendBulk');

/** SMS > Send Bulk. */
export const sendBulk: RunOperation = {
	option: {
		name: 'Send Bulk',
		value: 'sendBulk',
		action: 'Send an SMS to many recipients',
		description: 'Send one message to many phone numbers, now or later. Costs money and cannot be undone.',
	},
	fields: [
		senderIdField(displayOptions),
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			typeOptions: { rows: 3 },
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.phone }}',
			description:
				'Phone numbers of the recipients. Each item can have one number, a list, or numbers separated by commas.',
			displayOptions,
		},
		messageField({
			placeholder: 'e.g. We are open on Boxing Day',
			description: SMS_DESCRIPTION,
			displayOptions,
		}),
		{
			...optionsField(displayOptions, [
				...smsOptions,
				...paceOptions,
				sendingHoursOption,
				{
					displayName: 'Excluded Numbers',
					name: 'excludedNumbers',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					description:
						'Phone numbers that get no message, as a list or separated by commas. An empty list [] excludes none.',
				},
				{
					displayName: 'Recipients per Request',
					name: 'recipientsPerRequest',
					type: 'number',
					typeOptions: { minValue: 1, numberPrecision: 0 },
					default: 1000,
					description: 'Maximum recipients in one request',
				},
				sendAtField,
				{
					displayName: 'Skip Rejected Numbers',
					name: 'skipRejectedNumbers',
					type: 'boolean',
					default: true,
					description:
						'Whether to skip numbers that the service rejects and send to the others. If off, the whole request is rejected.',
				},
			]),
			description:
				'Excluded Numbers, Priority, Send At, Send Once Key and Sending Hours are read for each item, others for the first',
		},
	],
	run: bulkRun,
};
