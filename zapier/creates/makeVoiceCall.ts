import { contract } from '../../shared';
import { defaultCountryField, messageField, recipientField, unknownRangesField } from '../fields';
import { messageInput } from '../runtime/inputs';
import { phoneOption } from '../runtime/optionFields';
import { defineSend, messageOutput } from './defineSend';

/** Make Voice Call: calls one number and reads a message aloud (docs/api.md#send-a-voice-message). */
export const makeVoiceCall = defineSend({
	key: 'make_voice_call',
	noun: 'Call',
	display: { label: 'Make Voice Call', description: 'Calls one number and reads a message aloud.' },
	endpoint: contract.voice.send,
	inputFields: [
		recipientField('to', 'To', 'Phone number to call.'),
		messageField(
			'The text that the call reads aloud, at most 1600 characters. Voice calls must be set up for your account.',
		),
		defaultCountryField,
		unknownRangesField,
	],
	readInput: (bundle) => ({ to: phoneOption(bundle, 'to'), message: messageInput(bundle.inputData.message) }),
	outputFields: messageOutput('Balance After Calling'),
});
