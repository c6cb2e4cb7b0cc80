import type { PlainInputField } from 'zapier-platform-core';
import { messageStage } from '../../shared';
import { defineInstantTrigger } from '../relay/defineInstantTrigger';
import { listOf } from '../relay/inboundMessage';
import { optionalText, textInput } from '../runtime/inputs';

/** Statuses that start the Zap if none is chosen: those that end a delivery. */
const FINAL = ['delivered', 'failed'];

const inputFields = [
	{
		key: 'statuses',
		label: 'Status',
		type: 'string',
		list: true,
		required: false,
		choices: {
			delivered: 'Delivered',
			failed: 'Failed',
			queued: 'Queued',
			sent: 'Sent',
			submitted: 'Submitted',
		},
		helpText: 'Which statuses start the Zap. Leave empty for Delivered and Failed.',
	},
	{
		key: 'channel',
		label: 'Channel',
		type: 'string',
		required: false,
		choices: { sms: 'SMS', whatsapp: 'WhatsApp', email: 'Email', voice: 'Voice', ussd: 'USSD' },
		helpText: 'The channel of the messages. Leave empty for all. Receipts without a channel match only an empty field.',
	},
] satisfies PlainInputField[];

/** Message Status Updated: triggers when the service reports the delivery of a message. */
export const messageStatusUpdated = defineInstantTrigger({
	key: 'message_status_updated',
	noun: 'Message',
	display: {
		label: 'Message Status Updated',
		description: 'Triggers when a message that you sent is delivered or fails.',
	},
	type: 'message.status',
	inputFields,
	readFilter: ({ statuses, channel }) => {
		const chosen = listOf(statuses)?.map((status) => status.toLowerCase()) ?? FINAL;
		const only = optionalText(channel)?.toLowerCase();
		return { statuses: chosen, ...(only && { channels: [only] }) };
	},
	// The filter matches every word for a status, so that a Zap can compare the output with the same choices.
	shape: (row) => {
		const word = textInput(row.status);
		const status = messageStage(word) ?? row.status;
		return { ...row, status, provider_status: row.provider_status ?? (status === word ? null : word) };
	},
	outputFields: [
		{ key: 'message_id', label: 'Message ID', type: 'string' },
		{ key: 'status', label: 'Status', type: 'string' },
		{ key: 'to', label: 'To', type: 'string' },
		{ key: 'channel', label: 'Channel', type: 'string' },
		{ key: 'provider_status', label: 'Provider Status', type: 'string' },
	],
	sample: {
		message_id: 'msg_4f1c9a',
		status: 'delivered',
		to: '+233201234567',
		channel: 'sms',
		provider_status: 'DELIVRD',
	},
});
