import type { IDataObject } from 'n8n-workflow';
import { keyword, type RecognisedEvent } from '../../../../shared/index';
import { toInternational } from './phoneAddress';

/** A text from a person. */
export interface InboundItem extends IDataObject {
	event: 'sms.inbound' | 'whatsapp.inbound';
	from: string;
	to: string | null;
	message: string;
	message_id: string | null;
	/** `stop`, `start`, `help`, a custom keyword as it was typed into the trigger, or null. */
	keyword: string | null;
	/** Only if the trigger forwards messages: whether the service accepted it. */
	forwarded?: boolean;
	/** Only if that failed: why, in the service's own words. */
	forward_error?: string;
}

/** A message changed its status. */
export interface ReceiptItem extends IDataObject {
	event: 'message.status';
	message_id: string;
	/** In lower case; that of the service where it was confirmed. */
	status: string;
	to: string | null;
	channel: string | null;
	provider_status: string | null;
	/** Whether the service said the same when it was asked. */
	confirmed: boolean;
}

/** The wallet fell below the threshold that is set in the dashboard. */
export interface AlertItem extends IDataObject {
	event: 'wallet.low_balance';
	balance: number;
	threshold: number | null;
	currency: string | null;
	confirmed: boolean;
}

/** What an event becomes before anything is done with the service. */
export type EventItem = InboundItem | ReceiptItem | AlertItem;

/**
 * Makes the item of an event; its keys are the same whatever was posted, null where nothing was.
 * @param customKeywords as typed into the trigger
 */
export function eventItem(event: RecognisedEvent, customKeywords: readonly string[]): EventItem {
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
