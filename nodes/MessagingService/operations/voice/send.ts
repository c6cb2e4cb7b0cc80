import { contract, InputError } from '../../../../shared';
import { makeCall, type Operation } from '../../execution/operation';
import { messageParameter, phoneParameter } from '../../host/parameters';
import {
	numberOptions,
	messageField,
	optionsField,
	paceOptions,
	phoneField,
	priceOptions,
	sendOptions,
	shownFor,
} from '../fields';

const displayOptions = shownFor('voice', 'send');

/** Voice > Call. */
export const send: Operation = {
	option: {
		name: 'Call',
		value: 'send',
		action: 'Make a voice call',
		description: 'Call a number and read a text aloud. Costs money and cannot be undone.',
	},
	fields: [
		phoneField('to', 'Phone number to call, preferably with + and country code', displayOptions),
		{
			...messageField({
				placeholder: 'e.g. Your order is ready',
				description: 'The text to read aloud to the person who answers, up to 1,600 characters',
				displayOptions,
			}),
			displayName: 'Spoken Text',
		},
		optionsField(displayOptions, [
			...sendOptions,
			...paceOptions,
			...priceOptions({
				displayName: 'Price per Call',
				name: 'pricePerCall',
				unit: 'call',
				consequence: 'no number is called',
			}),
			...numberOptions,
		]),
	],
	prepare: (context, itemIndex, session) => {
		const to = phoneParameter(context, 'to', 'to', itemIndex, session);
		if (to instanceof InputError) return to;
		return makeCall(contract.voice.send, { to, message: messageParameter(context, 'message', itemIndex) });
	},
};
