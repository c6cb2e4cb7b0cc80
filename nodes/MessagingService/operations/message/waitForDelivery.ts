import { contract, isFinalMessageStatus } from '../../../../shared';
import { textParameter } from '../../host/parameters';
import { timeLimitField, waitOperation } from '../../execution/polling/waitOperation';
import { messageIdField, shownFor } from '../fields';

const displayOptions = shownFor('message', 'waitForDelivery');

/** Message > Wait for Delivery. */
export const waitForDelivery = waitOperation({
	option: {
		name: 'Wait for Delivery',
		value: 'waitForDelivery',
		action: 'Wait for the delivery of a message',
		description: 'Wait until a message on any channel is delivered or failed, and get its status and cost',
	},
	fields: [
		messageIdField('The message_id of a sent message, on any channel', displayOptions),
		timeLimitField(60, displayOptions),
	],
	endpoint: contract.message.get,
	isFinal: ({ status }) => isFinalMessageStatus(status),
	prepare: (context, itemIndex) => ({ input: { id: textParameter(context, 'messageId', itemIndex) } }),
});
