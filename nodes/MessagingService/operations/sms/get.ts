import { contract } from '../../../../shared';
import { makeCall, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { messageIdField, shownFor } from '../fields';

/** SMS > Get. */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get SMS',
		description: 'Get the delivery status and cost of an SMS',
	},
	fields: [messageIdField('The message_id that Send returned', shownFor('sms', 'get'))],
	prepare: (context, itemIndex) => makeCall(contract.sms.get, { id: textParameter(context, 'messageId', itemIndex) }),
};
