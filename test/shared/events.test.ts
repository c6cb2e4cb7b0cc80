import { events, recogniseEvent, type PayloadOf } from '../../shared';

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
	])('is read from %j', (body) => {
		expect(parse('deliveryReceipt', body)).toMatchObject(receipt);
	});

	it.each([{}, { status: 'delivered' }, { message_id: 'm-1' }, [], 'text', null])('is not read from %j', (body) => {
		expect(parse('deliveryReceipt', body)).toBeUndefined();
	});
});

describe('a low balance', () => {
	it.each([
		{ balance: 4.5, threshold: 5, currency: 'GHS' },
		{ event: 'low_balance', data: { balance: '4.50', limit: 5, currency: 'GHS' } },
		{ wallet: { balance: 'GHS 4.50', threshold: 5, currency: 'GHS' } },
	])('is read from %j', (body) => {
		expect(parse('lowBalance', body)).toEqual({ balance: 4.5, threshold: 5, currency: 'GHS' });
	});

	it.each([{}, { message: 'low' }, { balance: 'low' }])('is not read from %j', (body) => {
		expect(parse('lowBalance', body)).toBeUndefined();
	});
});

describe('an inbound message', () => {
	it.each([
		{ from: '+233201234567', to: '+233301234567', message: 'Hi' },
		{ From: '233201234567', To: '+233301234567', Body: 'Hi' },
		{ wa_id: 233201234567, text: { body: 'Hi' } },
		{ data: { sender: '+233201234567', text: 'Hi' } },
	])('on WhatsApp is read from %j', (body) => {
		expect(parse('inboundWhatsapp', body)).toMatchObject({
			from: expect.stringMatching(/233201234567$/) as string,
			message: 'Hi',
		});
	});

	it('takes neither a list nor an object for a text', () => {
		expect(parse('inboundSms', { from: ['+1'], to: 'K', message: 'x' })).toBeUndefined();
		expect(parse('inboundSms', { from: '+1', to: 'K', message: { a: 1 } })).toBeUndefined();
	});
});

describe('which event a body is', () => {
	const name = (body: unknown, ...textsAre: Array<'inboundSms' | 'inboundWhatsapp'>) =>
		recogniseEvent(body, textsAre.length > 0 ? textsAre : undefined)?.name;
	const text = { From: '+233201234567', To: 'K', Message: 'Hi' };

	it.each([
		[text, 'inboundSms'],
		[{ ...text, id: 'x', status: 'received' }, 'inboundSms'],
		[{ ...text, message_id: 'x', status: 'new' }, 'inboundSms'],
		[{ event: 'message.received', ...text, status: 'delivered' }, 'inboundSms'],
		[{ ...text, balance: 3 }, 'inboundSms'],
		[{ ...text, message_id: 'x', status: 'delivered' }, 'deliveryReceipt'],
		[{ type: 'dlr', ...text, id: 'x', status: 'whatever' }, 'deliveryReceipt'],
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
	])('%j is %s', (body, event) => {
		expect(name(body)).toBe(event);
	});

	it('goes by what is expected where a text does not tell its channel', () => {
		expect(name(text, 'inboundWhatsapp')).toBe('inboundWhatsapp');
		expect(name(text, 'inboundSms', 'inboundWhatsapp')).toBe('inboundSms');
		expect(name({ sender: '+1', text: 'Hi' }, 'inboundSms', 'inboundWhatsapp')).toBe('inboundWhatsapp');
	});
});
