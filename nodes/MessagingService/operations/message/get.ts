import { contract } from '../../../../shared';
import { makeCall, type Operation } from '../../runtime/operation';
import { textParameter } from '../../runtime/parameters';
import { messageIdField, shownFor } from '../fields';

/** Message > Get. */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get message',
		description: 'Get the delivery status and cost of a message on any channel',
	},
	fields: [messageIdField('The message_id of a sent message, on any channel', shownFor('message', 'get'))],
	prepare: (context, itemIndex) =>
		makeCall(contract.message.get, { id: textParameter(context, 'messageId', itemIndex) }),
};
