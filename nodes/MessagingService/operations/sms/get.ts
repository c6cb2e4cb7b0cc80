import { contract } from '../../../../shared';
import { prepared, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';

/** SMS > Get. */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get SMS',
		description: 'Get the delivery status and cost of an SMS',
	},
	fields: [
		{
			displayName: 'Message ID',
			name: 'messageId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.message_id }}',
			description: 'The message_id that Send returned',
			displayOptions: { show: { resource: ['sms'], operation: ['get'] } },
		},
	],
	labels: { id: 'Message ID' },
	prepare: (context, itemIndex) => prepared(contract.sms.get, { id: textParameter(context, 'messageId', itemIndex) }),
};
