import type { Delivery } from '../../http/schemas';
import type { Filter } from '../../subscriptions/filter';
import type { Subscription } from '../../subscriptions/schema';
import type { Tone } from '../../../ui/Badge';
import { formatAmount, formatCount } from '../../../ui/format';
import { shortUrl } from '../../../ui/shortUrl';
import type { ListedEvent } from './client';

/** The types of events in the words of the page. */
export const TYPES: Readonly<Record<string, string>> = {
	'sms.inbound': 'Inbound SMS',
	'whatsapp.inbound': 'Inbound WhatsApp',
	'message.status': 'Receipt',
	'wallet.low_balance': 'Low balance',
	unrecognized: 'Unrecognized',
	'relay.forward_failed': 'Failed forward',
	'relay.test': 'Test',
};

/** Describes an event in a few words. */
export function describeEvent({ type, data }: Pick<ListedEvent, 'type' | 'data'>): string {
	switch (type) {
		case 'sms.inbound':
		case 'whatsapp.inbound':
			return textOf(data.message) || '(blank)';
		case 'message.status':
			return `Receipt: ${textOf(data.status)}`;
		case 'wallet.low_balance':
			return `Low balance: ${textOf(data.currency)} ${formatAmount(Number(data.balance))}`;
		case 'relay.forward_failed':
			return `Forward failed: ${textOf(data.error) || 'no reason'}`;
		case 'relay.test':
			return 'Test event';
		default:
			return 'Unrecognized request';
	}
}

/** The parties of an event, such as `+233201234567 → KOFISHOP`, or an empty text. */
export function partiesOf({ type, data }: Pick<ListedEvent, 'type' | 'data'>): string {
	if (type === 'message.status') return textOf(data.to);
	return [textOf(data.from), textOf(data.to)].filter((party) => party !== '').join(' → ');
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

/** The label of a subscription, or else its reference or URL. */
export function nameOf({ label, reference, url }: Pick<Subscription, 'label' | 'url'> & { reference?: string | null }) {
	return label ?? reference ?? shortUrl(url);
}

/** A subscription's types in words. */
export function typesInWords(types: readonly string[]): string {
	return types.map((type) => TYPES[type] ?? type).join(', ');
}

const KEYWORDS: Readonly<Record<string, string>> = { stop: 'STOP', start: 'START', help: 'HELP', none: 'none' };

/** A filter in words, or an empty text if it accepts everything. */
export function filterInWords({ statuses, channels, keywords, from, to, opt_outs }: Filter): string {
	const parts = [
		list('status', statuses),
		list('channel', channels),
		list(
			'keyword',
			keywords?.map((word) => KEYWORDS[word.toLowerCase()] ?? word),
		),
		list('from', from),
		list('to', to),
		opt_outs === 'exclude' ? 'without opt-outs' : '',
	];
	return parts.filter((part) => part !== '').join(', ');
}

function list(name: string, values: readonly string[] = []): string {
	return values.length === 0 ? '' : `${name} ${values.join(' or ')}`;
}

/** Tone of the badge of a delivery. */
export const DELIVERY_TONES: Readonly<Record<Delivery['state'], Tone>> = {
	pending: 'busy',
	delivered: 'good',
	failed: 'bad',
	canceled: 'plain',
};

/** A count with its noun, such as `1 event` or `3 events`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
	return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
