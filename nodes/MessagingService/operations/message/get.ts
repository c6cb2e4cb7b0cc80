import { contract } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { textParameter } from '../../host/parameters';
import { messageIdField, shownFor } from '../fields';

/** Message > Get. Covers GET /sms/{id} too: it returns the same fields, and the channel (docs/api.md#get-a-message). */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get a message',
		description: 'Get the delivery status and cost of a message on any channel',
	},
	fields: [messageIdField('The message_id of a sent message, on any channel', shownFor('message', 'get'))],
	prepare: (context, itemIndex) =>
		makeCall(contract.message.get, { id: textParameter(context, 'messageId', itemIndex) }),
};
