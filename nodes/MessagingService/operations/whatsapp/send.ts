import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { messageParameter, phoneParameter } from '../../host/parameters';
import {
	messageField,
	optionsField,
	paceOptions,
	phoneField,
	sendOptions,
	shownFor,
	textNumberOptions,
} from '../fields';

const displayOptions = shownFor('whatsapp', 'send');

/** WhatsApp > Send. */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send a WhatsApp message',
		description: 'Send a WhatsApp message. Costs money and cannot be undone.',
	},
	fields: [
		phoneField('to', 'WhatsApp number of the recipient, preferably with + and country code', displayOptions),
		messageField({
			placeholder: 'e.g. Your order is ready',
			description: 'The message to send, up to 1,600 characters',
			displayOptions,
		}),
		optionsField(displayOptions, [...sendOptions, ...paceOptions, ...textNumberOptions]),
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		return makeCall(contract.whatsapp.send, { to, message: messageParameter(context, 'message', itemIndex) });
	},
};
