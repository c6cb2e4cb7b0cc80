import { defineInstantTrigger } from '../relay/defineInstantTrigger';
import { inboundFields, inboundOutput, readInboundFilter } from '../relay/inboundMessage';

/** New Inbound SMS: triggers when someone sends an SMS to the account. */
export const newInboundSms = defineInstantTrigger({
	key: 'new_inbound_sms',
	noun: 'SMS',
	display: {
		label: 'New Inbound SMS',
		description: 'Triggers when someone sends you an SMS.',
	},
	type: 'sms.inbound',
	inputFields: inboundFields,
	readFilter: readInboundFilter,
	outputFields: inboundOutput,
	sample: {
		from: '+233201234567',
		to: 'KOFISHOP',
		message: 'Hours',
		message_id: 'in_7Qm2',
		keyword: null,
	},
});
