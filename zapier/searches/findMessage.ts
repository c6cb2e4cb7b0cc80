import { defineInputFields, defineSearch, type SearchPerform } from 'zapier-platform-core';
import { contract } from '../../shared';
import { toZapierError } from '../runtime/errors';
import { textInput } from '../runtime/inputs';
import { callService } from '../runtime/perform';

const inputFields = defineInputFields([
	{
		key: 'message_id',
		label: 'Message ID',
		type: 'string',
		required: true,
		helpText: 'The Message ID that an earlier step returned when it sent the message.',
	},
]);

const perform = (async (z, bundle) => {
	const id = textInput(bundle.inputData.message_id);
	const found = await callService(z, bundle, contract.message.get, { id });
	if (found.outcome === 'accepted') return [{ message_id: id, ...found.output }];
	// Zapier asks a search that finds nothing for an empty list, and lets the Zap's owner decide what follows.
	if (found.error.status === 404) return [];
	throw toZapierError(z, found, { id: 'Message ID' });
}) satisfies SearchPerform<typeof inputFields>;

/** Find Message: the delivery status of one message, on any channel. */
export const findMessage = defineSearch({
	key: 'find_message',
	noun: 'Message',
	display: {
		label: 'Find Message',
		description: 'Finds a message by its ID, with its delivery status and cost, on any channel.',
	},
	operation: {
		inputFields,
		perform,
		sample: { ...contract.message.get.example.output },
		outputFields: [
			{ key: 'message_id', label: 'Message ID', type: 'string' },
			{ key: 'status', label: 'Status', type: 'string' },
			{ key: 'provider_status', label: 'Provider Status', type: 'string' },
			{ key: 'cost', label: 'Cost', type: 'number' },
			{ key: 'channel', label: 'Channel', type: 'string' },
		],
	},
});
