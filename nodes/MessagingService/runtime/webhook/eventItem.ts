import type { IDataObject } from 'n8n-workflow';
import { keyword, type RecognizedEvent } from '../../../../shared/index';
import { toInternational } from './phoneAddress';

/** An inbound message. */
export interface InboundItem extends IDataObject {
	event: 'sms.inbound' | 'whatsapp.inbound';
	from: string;
	to: string | null;
	message: string;
	message_id: string | null;
	/** `stop`, `start`, `help`, a custom keyword as the user typed it, or null. */
	keyword: string | null;
	/** Only if the trigger forwards messages: whether the service accepted it. */
	forwarded?: boolean;
	/** Only if forwarding failed: the reason, in the service's own words. */
	forward_error?: string;
}

/** A delivery receipt. */
export interface ReceiptItem extends IDataObject {
	event: 'message.status';
	message_id: string;
	/** In lower case. If confirmed, the service's status. */
	status: string;
	to: string | null;
	channel: string | null;
	provider_status: string | null;
	/** Whether the service confirmed the event. */
	confirmed: boolean;
}

/** The balance dropped below the threshold in the service's dashboard. */
export interface AlertItem extends IDataObject {
	event: 'wallet.low_balance';
	balance: number;
	threshold: number | null;
	currency: string | null;
	confirmed: boolean;
}

/** The item of an event, before the service is asked. */
export type EventItem = InboundItem | ReceiptItem | AlertItem;

/**
 * Makes the item of an event. It always has the same keys. Fields that the request did not have are null.
 * @param customKeywords as the user typed them
 */
export function eventItem(event: RecognizedEvent, customKeywords: readonly string[]): EventItem {
	switch (event.name) {
		case 'inboundSms':
		case 'inboundWhatsapp': {
			const { from, to, message, message_id } = event.payload;
			return {
				event: event.name === 'inboundSms' ? 'sms.inbound' : 'whatsapp.inbound',
				from: toInternational(from.replace(/^whatsapp:/i, '')),
				to: typeof to === 'string' ? toInternational(to.replace(/^whatsapp:/i, '')) : null,
				message,
				message_id: message_id ?? null,
				keyword: keyword(message, { own: customKeywords }) ?? null,
			};
		}
		case 'deliveryReceipt': {
			const { message_id, status, to, channel, provider_status } = event.payload;
			return {
				event: 'message.status',
				message_id,
				status,
				to: typeof to === 'string' ? toInternational(to) : null,
				channel: channel?.toLowerCase() ?? null,
				provider_status: provider_status ?? null,
				confirmed: false,
			};
		}
		case 'lowBalance': {
			const { balance, threshold, currency } = event.payload;
			return {
				event: 'wallet.low_balance',
				balance,
				threshold: threshold ?? null,
				currency: currency ?? null,
				confirmed: false,
			};
		}
	}
}
