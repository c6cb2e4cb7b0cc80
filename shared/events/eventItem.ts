import { bareParty, WHATSAPP_ADDRESS } from '../contract/channel';
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
	/** In lower case. */
	readonly status: string;
	readonly to: string | null;
	readonly channel: string | null;
	readonly provider_status: string | null;
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
}

/**
 * The item of an event.
 * @example const item: EventItem = eventItem(event, { customKeywords: ['HOURS'] });
 */
export type EventItem = InboundItem | ReceiptItem | AlertItem;

/** The words of a receiver that give a message a meaning. */
export interface KeywordWords {
	/** As the user typed them. */
	readonly customKeywords?: readonly string[];
	/** Sender IDs of the account. Recipients write them after STOP if several senders share a short code. */
	readonly senderIds?: readonly string[];
}

/**
 * Finds the keyword of an inbound message. The party that it went to counts as one of the sender IDs.
 * @returns the meaning, a custom keyword as the user typed it, or null
 * @example inboundKeyword({ to: 'KOFISHOP', message: 'Stop Kofishop' }, {}) // 'stop'
 */
export function inboundKeyword(
	{ to, message }: Pick<InboundItem, 'to' | 'message'>,
	{ customKeywords = [], senderIds = [] }: KeywordWords,
): string | null {
	const senders = to === null ? senderIds : [to, ...senderIds];
	return keyword(message, { own: customKeywords, senders }) ?? null;
}

/**
 * Makes the item of an event. It always has the same keys. Fields that the request did not have are null.
 * @example eventItem(event, {}).event // 'sms.inbound'
 */
export function eventItem(event: RecognizedEvent, words: KeywordWords): EventItem {
	switch (event.name) {
		case 'inboundSms':
		case 'inboundWhatsapp': {
			const { from, to, message, message_id } = event.payload;
			const isOnWhatsapp = event.name === 'inboundWhatsapp';
			const recipient = typeof to === 'string' ? numberOf(to, isOnWhatsapp) : null;
			return {
				event: isOnWhatsapp ? 'whatsapp.inbound' : 'sms.inbound',
				from: numberOf(from, isOnWhatsapp),
				to: recipient,
				message,
				message_id: message_id ?? null,
				keyword: inboundKeyword({ to: recipient, message }, words),
			};
		}
		case 'deliveryReceipt': {
			const { message_id, status, to, channel, provider_status } = event.payload;
			return {
				event: 'message.status',
				message_id,
				status,
				to: typeof to === 'string' ? numberOf(to, channel?.toLowerCase() === 'whatsapp') : null,
				channel: channel?.toLowerCase() ?? null,
				provider_status: provider_status ?? null,
			};
		}
		case 'lowBalance': {
			const { balance, threshold, currency } = event.payload;
			return {
				event: 'wallet.low_balance',
				balance,
				threshold: threshold ?? null,
				currency: currency ?? null,
			};
		}
	}
}

function numberOf(party: string, isOnWhatsapp: boolean): string {
	return toInternational(bareParty(party), isOnWhatsapp || WHATSAPP_ADDRESS.test(party.trim()));
}
