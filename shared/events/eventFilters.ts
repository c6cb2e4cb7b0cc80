import { messageStage } from '../contract/messageProgress';
import { inboundKeyword, type EventItem, type InboundItem, type ReceiptItem } from './eventItem';
import { isSameParty } from './phoneAddress';

/** Kinds of keywords: a meaning, any custom keyword, or no keyword. */
export type KeywordKind = 'stop' | 'start' | 'help' | 'custom' | 'none';

/**
 * Filters of one receiver. A list that is absent or empty accepts everything.
 * @example const filters: EventFilters = { recipient: ['KOFISHOP'], keywords: ['none'], optOuts: 'exclude' };
 */
export interface EventFilters {
	/** Senders of inbound messages. */
	readonly sender?: readonly string[];
	/** Recipients of inbound messages, and of the messages that receipts are about. */
	readonly recipient?: readonly string[];
	/** Kinds of keywords. Together with {@link words}: one match is enough. */
	readonly keywords?: readonly KeywordKind[];
	/** Custom keywords, as the user typed them. They count even if the item was made without them. */
	readonly words?: readonly string[];
	/** Statuses of receipts in lower case. A stage such as `delivered` includes its other spellings. */
	readonly statuses?: readonly string[];
	/** Channels of receipts, in lower case. */
	readonly channels?: readonly string[];
	/** `exclude` drops inbound messages whose keyword is `stop`. Default: `include`. */
	readonly optOuts?: 'include' | 'exclude';
}

const MEANINGS = ['stop', 'start', 'help'] as const;

/**
 * Whether an item passes all filters. An item that lacks a filtered field does not pass. Low-balance alerts always pass.
 * @example passesFilters(item, { statuses: ['delivered', 'failed'] })
 */
export function passesFilters(item: EventItem, filters: EventFilters): boolean {
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

function messagePasses(item: InboundItem, { sender, recipient, keywords = [], words = [], optOuts }: EventFilters) {
	if (optOuts === 'exclude' && item.keyword === 'stop') return false;
	return isAmong(item.from, sender) && isAmong(item.to, recipient) && keywordPasses(item, keywords, words);
}

function keywordPasses(item: InboundItem, keywords: readonly KeywordKind[], words: readonly string[]): boolean {
	if (keywords.length === 0 && words.length === 0) return true;
	// An item may be a STOP by a sender ID that only its receiver knows.
	const own = words.length > 0 && item.keyword !== 'stop' ? inboundKeyword(item, { customKeywords: words }) : null;
	const found = own ?? item.keyword;
	const kind = found === null ? 'none' : (MEANINGS.find((meaning) => meaning === found) ?? 'custom');
	return keywords.includes(kind) || (found !== null && words.includes(found));
}

function receiptPasses({ to, status, channel }: ReceiptItem, filters: EventFilters): boolean {
	const { recipient, statuses = [], channels = [] } = filters;
	const stage = messageStage(status);
	const isWanted =
		statuses.length === 0 || statuses.includes(status) || (stage !== undefined && statuses.includes(stage));
	const onChannel = channels.length === 0 || (channel !== null && channels.includes(channel));
	return isWanted && onChannel && isAmong(to, recipient);
}

function isAmong(party: string | null, wanted: readonly string[] = []): boolean {
	return wanted.length === 0 || (party !== null && wanted.some((one) => isSameParty(one, party)));
}
