import { events } from '../../shared';
import { recognizeEvent } from '../../shared/contract/recognize';
import type { PayloadOf } from '../../shared/contract/events';

const parse = (event: keyof typeof events, body: unknown): unknown => {
	const parsed = events[event].payload.safeParse(body);
	return parsed.success ? parsed.data : undefined;
};

describe('a delivery receipt', () => {
	const receipt: PayloadOf<typeof events.deliveryReceipt> = { message_id: 'm-1', status: 'delivered' };

	it.each([
		{ message_id: 'm-1', status: 'delivered' },
		{ id: 'm-1', status: 'delivered' },
		{ event: 'message.status', data: { message_id: 'm-1', status: 'delivered' } },
		{ event: 'x', message: { id: 'm-1', status: 'delivered' } },
		{ MessageId: 'm-1', Status: 'delivered' },
	])('reads a delivery receipt from %j', (body) => {
		expect(parse('deliveryReceipt', body)).toMatchObject(receipt);
	});

	it.each([{}, { status: 'delivered' }, { message_id: 'm-1' }, [], 'text', null])(
		'reads no delivery receipt from %j',
		(body) => {
			expect(parse('deliveryReceipt', body)).toBeUndefined();
		},
	);
});

describe('a low balance', () => {
	it.each([
		{ balance: 4.5, threshold: 5, currency: 'GHS' },
		{ event: 'low_balance', data: { balance: '4.50', limit: 5, currency: 'GHS' } },
		{ wallet: { balance: 'GHS 4.50', threshold: 5, currency: 'GHS' } },
	])('reads a low balance from %j', (body) => {
		expect(parse('lowBalance', body)).toEqual({ balance: 4.5, threshold: 5, currency: 'GHS' });
	});

	it.each([{}, { message: 'low' }, { balance: 'low' }])('reads no low balance from %j', (body) => {
		expect(parse('lowBalance', body)).toBeUndefined();
	});
});

describe('an inbound message', () => {
	it.each([
		{ from: '+233201234567', to: '+233301234567', message: 'Hi' },
		{ From: '233201234567', To: '+233301234567', Body: 'Hi' },
		{ wa_id: 233201234567, text: { body: 'Hi' } },
		{ data: { sender: '+233201234567', text: 'Hi' } },
	])('reads a WhatsApp message from %j', (body) => {
		expect(parse('inboundWhatsapp', body)).toMatchObject({
			from: expect.stringMatching(/233201234567$/) as string,
			message: 'Hi',
		});
	});

	it('accepts neither a list nor an object as the text of a message', () => {
		expect(parse('inboundSms', { from: ['+1'], to: 'K', message: 'x' })).toBeUndefined();
		expect(parse('inboundSms', { from: '+1', to: 'K', message: { a: 1 } })).toBeUndefined();
	});
});

describe('the event of a body', () => {
	const name = (body: unknown, assumed?: 'inboundSms' | 'inboundWhatsapp') => recognizeEvent(body, assumed)?.name;
	const text = { From: '+233201234567', To: 'K', Message: 'Hi' };

	it.each([
		[text, 'inboundSms'],
		[{ ...text, id: 'x', status: 'received' }, 'inboundSms'],
		[{ ...text, message_id: 'x', status: 'new' }, 'inboundSms'],
		[{ event: 'message.received', ...text, status: 'delivered' }, 'inboundSms'],
		[{ ...text, balance: 3 }, 'inboundSms'],
		[{ ...text, message_id: 'x', status: 'delivered' }, 'inboundSms'],
		[{ type: 'dlr', ...text, id: 'x', status: 'whatever' }, 'deliveryReceipt'],
		[{ event: 'delivery_receipt.received', message_id: 'x', status: 'delivered' }, 'deliveryReceipt'],
		[{ event: 'delivery_receipt.received', ...text, id: 'x', status: 'sent' }, 'deliveryReceipt'],
		[{ event: 'inbound.dlr', ...text, message_id: 'x', status: 'delivered' }, 'inboundSms'],
		[{ event: 'message.status', data: { type: 'text', ...text, id: 'x', status: 'sent' } }, 'deliveryReceipt'],
		[{ id: 'x', status: 'undelivered', balance: 3 }, 'deliveryReceipt'],
		[{ message_id: 'x', status: 'in flight' }, 'deliveryReceipt'],
		[{ id: 'x', status: 'in flight' }, undefined],
		[{ event: 'delivery', status: 'sent' }, undefined],
		[{ balance: 3 }, 'lowBalance'],
		[{ event: 'wallet.low_balance', message: 'Top up!', balance: 3 }, 'lowBalance'],
		[{ type: 'notice', balance: 3 }, undefined],
		[{ type: 'notice', balance: 3, threshold: 5 }, 'lowBalance'],
		[{ event: 'inbound', channel: 'WhatsApp', from: '+1', message: 'Hi' }, 'inboundWhatsapp'],
		[{ type: 'whats-app message', from: '+1', text: 'Hi' }, 'inboundWhatsapp'],
		[{ sender: '+1', text: 'Hi' }, undefined],
		[[text], undefined],
		['text', undefined],
		[null, undefined],
	])('reads the body %j as the event %s', (body, event) => {
		expect(name(body)).toBe(event);
	});

	it('follows the assumed event only if a message has no sign of its channel', () => {
		expect(name(text, 'inboundWhatsapp')).toBe('inboundWhatsapp');
		expect(name({ ...text, channel: 'SMS' }, 'inboundWhatsapp')).toBe('inboundSms');
		expect(name({ ...text, channel: 'WhatsApp' }, 'inboundSms')).toBe('inboundWhatsapp');
		expect(name({ sender: '+1', text: 'Hi' })).toBeUndefined();
	});
});

describe('a body with From, To and Message, an ID and a status', () => {
	const number = '+233201234567';
	const name = (body: object) => recognizeEvent({ id: 'x', ...body })?.name;

	it.each(['delivered', 'accepted', 'sent', 'failed', 'read', 'received', 'active'])(
		'reads a body from a number to a sender ID or short code as inbound, with the status %s',
		(status) => {
			for (const to of ['KOFISHOP', '1234', 'Kofi 2000000']) {
				for (const from of [number, '233201234567', '0201234567', '00233 20 123 4567']) {
					expect(name({ from, to, message: 'STOP', status })).toBe('inboundSms');
				}
			}
		},
	);

	it.each(['DELIVRD', 'pending', 'UNDELIV', 'delivered', 'Delivered to handset', 'in flight'])(
		'reads a body from a sender ID or short code to a number as a receipt, with the status %s',
		(status) => {
			for (const from of ['KOFISHOP', '1234']) {
				expect(name({ message_id: 'x', from, to: number, message: 'STOP', status })).toBe('deliveryReceipt');
			}
		},
	);

	it('reads a body from a name to a number as inbound if the status says that it arrived', () => {
		expect(name({ from: 'MTN', to: number, message: 'Welcome', status: 'received' })).toBe('inboundSms');
	});

	it.each([
		[{ message: 'STOP', status: 'delivered' }, 'inboundSms'],
		[{ message: 'Stop!', status: 'accepted' }, 'inboundSms'],
		[{ message: 'Your order is ready', status: 'delivered' }, 'deliveryReceipt'],
		[{ message: 'Your order is ready', status: 'received' }, 'inboundSms'],
		[{ message: 'Hi', status: 'delivered', direction: 'inbound' }, 'inboundSms'],
		[{ message: 'STOP', status: 'sent', direction: 'outbound-api' }, 'deliveryReceipt'],
	])('reads a body between two numbers, %j, as %s', (fields, event) => {
		expect(name({ from: number, to: '+233301234567', ...fields })).toBe(event);
	});

	it('reads STOP from a number as inbound, even if the event name is that of a receipt', () => {
		const stop = { event: 'message.delivered', from: number, to: 'KOFISHOP', message: 'STOP', status: 'delivered' };
		expect(name(stop)).toBe('inboundSms');
		expect(name({ ...stop, from: 'KOFISHOP', to: number })).toBe('deliveryReceipt');
		expect(name({ ...stop, message: 'Your order is ready' })).toBe('deliveryReceipt');
	});

	it('reads a body as a receipt if the message is an SMPP receipt', () => {
		const message =
			'id:0123 sub:001 dlvrd:001 submit date:2611220900 done date:2611220901 stat:DELIVRD err:000 text:Hi';
		expect(name({ from: number, to: 'KOFISHOP', message, status: 'DELIVRD' })).toBe('deliveryReceipt');
	});

	it('reads STOP on WhatsApp as inbound, whatever the status', () => {
		const body = { wa_id: '233201234567', text: { body: 'STOP' }, status: 'delivered' };
		expect(name(body)).toBe('inboundWhatsapp');
		expect(name({ ...body, text: 'Hi', message_id: 'w', status: 'new' })).toBe('inboundWhatsapp');
	});

	it('does not read a message with an outbound status as inbound', () => {
		const text = { from: 'KOFISHOP', to: number, message: 'Hi', direction: 'outgoing' };
		expect(recognizeEvent(text)).toBeUndefined();
	});
});
