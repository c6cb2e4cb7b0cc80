import { messageStage } from '../../../../shared/index';
import type { EventItem, ReceiptItem, InboundItem } from './eventItem';
import { isSameParty } from './phoneAddress';
import type { TriggerSettings } from './triggerSettings';

const MEANINGS = ['stop', 'start', 'help'];

/** Whether an item passes the trigger's filters. An item that lacks a filtered field does not pass. */
export function passesFilters(item: EventItem, filters: TriggerSettings['filters']): boolean {
	switch (item.event) {
		case 'sms.inbound':
		case 'whatsapp.inbound':
			return messagePasses(item, filters);
		case 'message.status':
			return receiptPasses(item, filters);
		case 'wallet.low_balance':
			return true;
	}
}

function messagePasses(
	{ from, to, keyword }: InboundItem,
	{ sender, recipient, keywords }: TriggerSettings['filters'],
): boolean {
	const kind = keyword === null ? 'none' : MEANINGS.includes(keyword) ? keyword : 'custom';
	return (
		isAmong(from, sender) && isAmong(to, recipient) && (keywords.length === 0 || keywords.some((word) => word === kind))
	);
}

function receiptPasses({ to, status }: ReceiptItem, { recipient, statuses }: TriggerSettings['filters']): boolean {
	const stage = messageStage(status);
	const isWanted =
		statuses.length === 0 || statuses.includes(status) || (stage !== undefined && statuses.includes(stage));
	return isAmong(to, recipient) && isWanted;
}

function isAmong(party: string | null, wanted: readonly string[]): boolean {
	return wanted.length === 0 || (party !== null && wanted.some((one) => isSameParty(one, party)));
}
