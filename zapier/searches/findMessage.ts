import { defineInputFields, defineSearch, type PlainOutputField, type SearchPerform } from 'zapier-platform-core';
import { contract } from '../../shared';
import { textInput } from '../runtime/inputs';
import { connect, emptyIfNotFound, runReading } from '../runtime/perform';
import { toOutput } from '../runtime/results';

const inputFields = defineInputFields([
	{
		key: 'message_id',
		label: 'Message ID',
		type: 'string',
		required: true,
		helpText: 'The Message ID that an earlier step returned when it sent the message.',
	},
]);

const outputFields = [
	{ key: 'message_id', label: 'Message ID', type: 'string' },
	{ key: 'status', label: 'Status', type: 'string' },
	{ key: 'provider_status', label: 'Provider Status', type: 'string' },
	{ key: 'cost', label: 'Cost', type: 'number' },
	{ key: 'channel', label: 'Channel', type: 'string' },
] satisfies PlainOutputField[];

// The API names this field `id`.
const named = [{ key: 'id', label: 'Message ID' }];

const perform = (async (z, bundle) =>
	await runReading(z, bundle, named, async () => {
		const id = textInput(bundle.inputData.message_id);
		const found = await emptyIfNotFound(connect(z, bundle).message.get({ id }));
		return found.map((message) => toOutput(outputFields, { message_id: id, ...message }));
	})) satisfies SearchPerform<typeof inputFields>;

/** Find Message: gets the delivery status of one message, on any channel (docs/api.md#get-a-message). */
export const findMessage = defineSearch({
	key: 'find_message',
	noun: 'Message',
	display: {
		label: 'Find Message',
		description: 'Finds a message by its ID, with its delivery status and cost, on any channel.',
	},
	operation: { inputFields, perform, sample: { ...contract.message.get.example.output }, outputFields },
});
