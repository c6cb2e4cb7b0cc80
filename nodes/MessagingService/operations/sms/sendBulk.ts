import { bulkRun } from '../../runtime/bulk/bulkRun';
import type { RunOperation } from '../../runtime/operation';
import {
	checkBalanceOption,
	defaultCountryOption,
	maxRecipientsOption,
	maxSpendOption,
	parallelRequestsOption,
	pricePerSegmentOption,
	requestsPerSecondOption,
	sendAtField,
	senderIdField,
	sendOnceKeyOption,
	shownFor,
} from '../fields';

const displayOptions = shownFor('sms', 'sendBulk');

/** SMS > Send Bulk. */
export const sendBulk: RunOperation = {
	option: {
		name: 'Send Bulk',
		value: 'sendBulk',
		action: 'Send SMS in bulk',
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
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. We are open on Boxing Day',
			description: 'The message to send, up to 1,600 characters. Long messages are charged as several segments.',
			displayOptions,
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			description:
				'Excluded Numbers, Priority, Send At and Send Once Key are read for each item, the others for the first item',
			displayOptions,
			options: [
				checkBalanceOption,
				defaultCountryOption,
				{
					displayName: 'Excluded Numbers',
					name: 'excludedNumbers',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					description:
						'Phone numbers that get no message, as a list or separated by commas. An empty list [] excludes none.',
				},
				maxRecipientsOption,
				maxSpendOption,
				parallelRequestsOption,
				pricePerSegmentOption,
				{
					displayName: 'Priority',
					name: 'priority',
					type: 'boolean',
					default: false,
					description: 'Whether to use the faster route for one-time codes, at a higher rate',
				},
				{
					displayName: 'Recipients per Request',
					name: 'recipientsPerRequest',
					type: 'number',
					typeOptions: { minValue: 1, numberPrecision: 0 },
					default: 1000,
					description: 'Maximum recipients in one request',
				},
				requestsPerSecondOption,
				sendAtField,
				sendOnceKeyOption,
				{
					displayName: 'Skip Rejected Numbers',
					name: 'skipRejectedNumbers',
					type: 'boolean',
					default: true,
					description:
						'Whether to skip numbers that the service rejects and send to the others. If off, the whole request is rejected.',
				},
			],
		},
	],
	run: bulkRun,
};
