import type { RecognizedEvent } from '../contract/recognize';
import { keyword } from '../text/keyword';
import { toInternational } from './phoneAddress';

/**
 * An inbound message.
 * @example if (item.event === 'sms.inbound') console.log(item.from, item.message);
 */
export interface InboundItem {
	readonly event: 'sms.inbound' | 'whatsapp.inbound';
	readonly from: string;
	readonly to: string | null;
	readonly message: string;
	readonly message_id: string | null;
	/** `stop`, `start`, `help`, a custom keyword as the user typed it, or null. */
	readonly keyword: string | null;
}

/**
 * A delivery receipt.
 * @example if (item.event === 'message.status') console.log(item.message_id, item.status);
 */
export interface ReceiptItem {
	readonly event: 'message.status';
	readonly message_id: string;
	/** In lower case. If confirmed, the service's status. */
	readonly status: string;
	readonly to: string | null;
	readonly channel: string | null;
	readonly provider_status: string | null;
	/** Whether the service confirmed the event. */
	readonly confirmed: boolean;
}

/**
 * The balance dropped below the threshold in the service's dashboard.
 * @example if (item.event === 'wallet.low_balance') console.log(item.balance, item.threshold);
 */
export interface AlertItem {
	readonly event: 'wallet.low_balance';
	readonly balance: number;
	readonly threshold: number | null;
	readonly currency: string | null;
	readonly confirmed: boolean;
}

/**
 * The item of an event, before the service is asked.
 * @example const item: EventItem = eventItem(event, ['HOURS']);
 */
export type EventItem = InboundItem | ReceiptItem | AlertItem;

/**
 * Makes the item of an event. It always has the same keys. Fields that the request did not have are null.
 * @param customKeywords as the user typed them
 * @example eventItem(event, []).event // 'sms.inbound'
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
