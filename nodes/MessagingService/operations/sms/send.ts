import { contract } from '../../../../shared';
import { messageParameter, textParameter } from '../../runtime/parameters';
import { prepared, type Operation } from '../../runtime/operation';

const displayOptions = { show: { resource: ['sms'], operation: ['send'] } };

/** SMS > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send SMS',
		description: 'Send a text to one phone number',
	},
	fields: [
		{
			displayName: 'Sender ID',
			name: 'senderId',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			required: true,
			description: 'The approved sender ID or short code that the recipient sees',
			displayOptions,
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Select a sender ID...',
					typeOptions: { searchListMethod: 'searchSenderIds', searchable: true },
				},
				{
					displayName: 'By Name',
					name: 'name',
					type: 'string',
					placeholder: 'e.g. KOFISHOP',
				},
			],
		},
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. +233201234567',
			description: 'Phone number of the recipient, with + and country code (E.164)',
			displayOptions,
		},
		{
			displayName: 'Message',
			name: 'message',
			type: 'string',
			typeOptions: { rows: 4 },
			default: '',
			required: true,
			placeholder: 'e.g. We are open from 8 to 18',
			description: 'The text to send, at most 1600 characters. Long texts are charged as several messages.',
			displayOptions,
		},
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			displayOptions,
			options: [
				{
					displayName: 'Priority',
					name: 'priority',
					type: 'boolean',
					default: false,
					description: 'Whether to use the faster route for one-time codes, at a higher rate',
				},
			],
		},
	],
	labels: { sender_id: 'Sender ID', to: 'To', message: 'Message', priority: 'Priority' },
	prepare: (context, itemIndex) => {
		const { priority } = context.getNodeParameter('options', itemIndex, {}) as { priority?: boolean };
		return prepared(contract.sms.send, {
			sender_id: textParameter(context, 'senderId', itemIndex),
			to: textParameter(context, 'to', itemIndex),
			message: messageParameter(context, 'message', itemIndex),
			...(priority && { priority }),
		});
	},
};
