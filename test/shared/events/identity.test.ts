import {
	eventIdentity,
	progressIdentity,
	type AlertItem,
	type EventItem,
	type InboundItem,
	type ReceiptItem,
} from '../../../shared';

const inbound = (more: Partial<InboundItem> = {}): InboundItem => ({
	event: 'sms.inbound',
	from: '+233201234567',
	to: 'KOFISHOP',
	message: 'HOURS',
	message_id: null,
	keyword: null,
	...more,
});
const window = { deduplicationWindowSeconds: 60, request: 'r1' };
const parts = (item: EventItem) => eventIdentity(item, window).parts;

describe('eventIdentity', () => {
	it('identifies a message with an ID by its ID for a day', () => {
		const first = inbound({ message_id: 'm1' });
		expect(parts(first)).toEqual(parts({ ...first }));
		expect(parts(first)).not.toEqual(parts(inbound({ message_id: 'm2' })));
		expect(eventIdentity(first, window).knownMs).toBe(86_400_000);
	});

	it.each([
		['the sender', { from: '+233207654321' }],
		['the recipient', { to: '1234' }],
		['the channel', { event: 'whatsapp.inbound' as const }],
	])('distinguishes messages without an ID by %s', (_, more) => {
		expect(parts(inbound(more))).not.toEqual(parts(inbound()));
	});

	it('identifies a message without an ID by its request, because a person may say the same word twice', () => {
		expect(parts(inbound())).toEqual(eventIdentity(inbound(), { ...window }).parts);
		expect(parts(inbound())).not.toEqual(eventIdentity(inbound(), { ...window, request: 'r2' }).parts);
	});

	it('deduplicates messages without an ID for the given window, also 0 seconds', () => {
		expect(eventIdentity(inbound(), window).knownMs).toBe(60_000);
		expect(eventIdentity(inbound(), { ...window, deduplicationWindowSeconds: 0 }).knownMs).toBe(0);
	});

	it('identifies every spelling of STOP without an ID as the same, but not from another number', () => {
		const stop = inbound({ message: 'STOP', keyword: 'stop' });
		expect(parts(stop)).toEqual(parts({ ...stop, message: 'Unsubscribe!' }));
		expect(parts(stop)).not.toEqual(parts({ ...stop, from: '+233207654321' }));
		expect(parts(stop)).not.toEqual(parts({ ...stop, message_id: 'm1' }));
	});

	it('lets a START end an earlier STOP, but not the other way round', () => {
		const stop = inbound({ message: 'STOP', keyword: 'stop' });
		const start = inbound({ message: 'START', keyword: 'start', message_id: 'm9' });
		expect(eventIdentity(start, window).ends).toEqual(parts(stop));
		expect(eventIdentity(stop, window).ends).toBeUndefined();
		expect(eventIdentity(inbound(), window).ends).toBeUndefined();
	});

	it('identifies a receipt by message, status and recipient, and its message by ID and recipient', () => {
		const sent: ReceiptItem = {
			event: 'message.status',
			message_id: 'm1',
			status: 'sent',
			to: null,
			channel: null,
			provider_status: null,
		};
		const delivered = { ...sent, status: 'delivered' };
		expect(eventIdentity(sent, window)).toEqual({ parts: ['receipt', 'm1', 'sent', null], knownMs: 3 * 86_400_000 });
		expect(parts(sent)).not.toEqual(parts(delivered));
		expect(progressIdentity(sent)).toEqual(progressIdentity(delivered));
		const [one, other] = [
			{ ...sent, to: '+233201234567' },
			{ ...sent, to: '+233201234568' },
		];
		expect(parts(one)).not.toEqual(parts(other));
		expect(progressIdentity(one)).not.toEqual(progressIdentity(other));
	});

	it('identifies a low-balance alert by its amounts for ten minutes', () => {
		const alert: AlertItem = {
			event: 'wallet.low_balance',
			balance: 4.2,
			threshold: 5,
			currency: 'GHS',
		};
		expect(parts(alert)).not.toEqual(parts({ ...alert, balance: 4.1 }));
		expect(eventIdentity(alert, window).knownMs).toBe(600_000);
	});
});
