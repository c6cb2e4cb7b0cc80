import type { TriggerSettings } from '../triggerSettings';

const TYPES: Readonly<Record<TriggerSettings['triggerOn'][number], string>> = {
	inboundSms: 'sms.inbound',
	inboundWhatsapp: 'whatsapp.inbound',
	deliveryReceipt: 'message.status',
	lowBalance: 'wallet.low_balance',
};

/** The relay's types of the events that the trigger wants. */
export function relayTypes(
	triggerOn: TriggerSettings['triggerOn'],
	{ unrecognizedRequests }: Pick<TriggerSettings['options'], 'unrecognizedRequests'>,
): string[] {
	return [...triggerOn.map((name) => TYPES[name]), ...(unrecognizedRequests === 'start' ? ['unrecognized'] : [])];
}
