import { defineInstantTrigger } from '../relay/defineInstantTrigger';
import { inboundFields, inboundOutput, readInboundFilter } from '../relay/inboundMessage';

/** New Inbound WhatsApp Message: triggers when someone sends a WhatsApp message to the account. */
export const newInboundWhatsappMessage = defineInstantTrigger({
	key: 'new_inbound_whatsapp_message',
	noun: 'Message',
	display: {
		label: 'New Inbound WhatsApp Message',
		description: 'Triggers when someone sends you a WhatsApp message.',
	},
	type: 'whatsapp.inbound',
	inputFields: inboundFields,
	readFilter: readInboundFilter,
	outputFields: inboundOutput,
	sample: {
		from: '+233201234567',
		to: '+233302123456',
		message: 'Are you open on Sunday?',
		message_id: 'wamid.HBgM',
		keyword: null,
	},
});
