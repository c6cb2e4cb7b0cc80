import { contract } from '../../../../shared';
import { call, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { shownFor } from '../fields';

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
			displayOptions: shownFor('sms', 'get'),
		},
	],
	prepare: (context, itemIndex) => call(contract.sms.get, { id: textParameter(context, 'messageId', itemIndex) }),
};
