import { eventItem, recognizeEvents } from '../../shared';

const phone = '+233201234567';
const bare = phone.slice(1);

/** The events of a body in short: kind, sender or ID, and words or status. */
const read = (body: unknown, assumed?: 'inboundSms' | 'inboundWhatsapp', senderIds?: readonly string[]) =>
	recognizeEvents(body, assumed, senderIds).map(({ event }) => {
		const item = event && eventItem(event, {});
		switch (item?.event) {
			case 'sms.inbound':
			case 'whatsapp.inbound':
				return [item.event === 'sms.inbound' ? 'sms' : 'whatsapp', item.from, item.message, item.message_id];
			case 'message.status':
				return ['receipt', item.message_id, item.status, item.to];
			default:
				return item?.event ?? 'unrecognized';
		}
	});

const sms = (id: string | null = null, message = 'STOP', from = phone) => [['sms', from, message, id]];
const whatsapp = (id: string | null = null, message = 'Hi') => [['whatsapp', phone, message, id]];
const receipt = (id: string, status: string, to: string | null = phone) => [['receipt', id, status, to]];
const unrecognized = ['unrecognized'];

describe('an SMS of a gateway', () => {
	it.each<[string, object, unknown]>([
		[
			'a name and a channel',
			{ event: 'sms.inbound', channel: 'sms', from: phone, to: '1234', text: 'STOP', id: 's' },
			sms('s'),
		],
		['the type SMS', { type: 'SMS', from: phone, to: '1234', text: 'STOP' }, sms()],
		['the name smsReceived', { eventType: 'smsReceived', sender: phone, receiver: '1234', content: 'STOP' }, sms()],
		['no sign of a channel', { sender: bare, recipient: '1234', body: 'STOP' }, sms()],
		['a number of ten digits', { from: '9876543210', to: '1234', text: 'Hi' }, sms(null, 'Hi', '9876543210')],
		['the sender WhatsApp', { from: 'WhatsApp', to: phone, text: 'Your code' }, sms(null, 'Your code', 'WhatsApp')],
		[
			'Twilio',
			{
				ToCountry: 'US',
				SmsMessageSid: 'SM1',
				NumMedia: '0',
				SmsStatus: 'received',
				Body: 'STOP',
				To: '+15551234567',
				MessageSid: 'SM1',
				From: phone,
			},
			sms('SM1'),
		],
		[
			"Africa's Talking",
			{
				date: '2026-01-01 10:00:00',
				id: 'b1',
				linkId: '',
				text: 'STOP',
				to: '1234',
				from: phone,
				cost: '0',
				networkCode: '62001',
			},
			sms('b1'),
		],
		[
			'Infobip',
			{
				results: [
					{
						messageId: 'i1',
						from: bare,
						to: '1234',
						text: 'STOP',
						cleanText: 'STOP',
						keyword: 'STOP',
						receivedAt: '2026-11-27T10:00:00Z',
						smsCount: 1,
						price: { pricePerMessage: 0, currency: 'EUR' },
					},
				],
				messageCount: 1,
				pendingMessageCount: 0,
			},
			sms('i1'),
		],
		[
			'Vonage',
			{
				msisdn: bare,
				to: '12345',
				messageId: 'v1',
				text: 'STOP',
				type: 'text',
				keyword: 'STOP',
				'message-timestamp': '2026-11-27 10:00:00',
			},
			sms('v1'),
		],
		[
			'Vonage Messages',
			{ channel: 'sms', message_uuid: 'v2', from: bare, to: '12345', text: 'STOP', message_type: 'text' },
			sms('v2'),
		],
		[
			'Telnyx',
			{
				data: {
					event_type: 'message.received',
					id: 'e1',
					record_type: 'event',
					payload: {
						direction: 'inbound',
						id: 't1',
						type: 'SMS',
						from: { phone_number: phone, carrier: 'MTN' },
						to: [{ phone_number: '+15551234567', status: 'webhook_delivered' }],
						text: 'STOP',
					},
				},
				meta: { attempt: 1 },
			},
			sms('t1'),
		],
		['Plivo', { From: bare, To: '15551234567', Text: 'STOP', Type: 'sms', MessageUUID: 'p1' }, sms('p1')],
		[
			'MessageBird',
			{ id: 'm1', recipient: '1234', originator: bare, body: 'STOP', createdDatetime: '2026-11-27T10:00:00Z' },
			sms('m1'),
		],
		[
			'Termii',
			{
				type: 'inbound',
				id: 'x',
				message_id: 'n1',
				receiver: '1234',
				sender: bare,
				message: 'STOP',
				received_at: '2026-11-27',
				channel: 'Generic',
				status: 'Message Received',
			},
			sms('n1'),
		],
		[
			'Sinch',
			{ type: 'mo_text', id: 'c1', from: bare, to: '1234', body: 'STOP', received_at: '2026-11-27T10:00:00Z' },
			sms('c1'),
		],
		[
			'AWS',
			{
				originationNumber: phone,
				destinationNumber: '1234',
				messageKeyword: 'K',
				messageBody: 'STOP',
				inboundMessageId: 'a1',
			},
			sms('a1'),
		],
		[
			'Clickatell',
			{ messageId: 'k1', fromNumber: bare, toNumber: '1234', text: 'STOP', timestamp: 1764237600 },
			sms('k1'),
		],
		['BulkSMS', [{ id: 'u1', type: 'RECEIVED', from: bare, to: '1234', body: 'STOP' }], sms('u1')],
		[
			'Bandwidth',
			[
				{
					type: 'message-received',
					time: 't',
					to: '+15551234567',
					message: { id: 'w1', to: ['+15551234567'], from: phone, text: 'STOP', direction: 'in' },
				},
			],
			sms('w1'),
		],
		[
			'SMS Gateway for Android',
			{
				event: 'sms:received',
				id: 'h',
				payload: { messageId: 'g1', message: 'STOP', sender: phone, recipient: '1234', simNumber: 1 },
			},
			sms('g1'),
		],
		[
			'httpSMS',
			{
				type: 'message.phone.received',
				source: '/v1/messages',
				data: { message_id: 'q1', contact: phone, owner: '+15551234567', content: 'STOP' },
			},
			sms('q1'),
		],
		[
			'an envelope with a message of its own',
			{ success: true, message: 'OK', data: { from: phone, to: '1234', text: 'STOP' } },
			sms(),
		],
	])('from %s is read, and is never a WhatsApp message', (_, body, events) => {
		expect(read(body)).toEqual(events);
		expect(read(body)).not.toContainEqual(expect.arrayContaining(['whatsapp']));
	});

	it('is an SMS by its name or ID, also if WhatsApp is assumed', () => {
		for (const sign of [{ channel: 'sms' }, { event: 'sms:received' }, { type: 'MMS' }, { MessageSid: 'SM1' }]) {
			expect(read({ from: phone, to: '1234', text: 'STOP', ...sign }, 'inboundWhatsapp')).toEqual([
				['sms', phone, 'STOP', sign.MessageSid ?? null],
			]);
		}
	});
});

describe('a message on WhatsApp', () => {
	it.each<[string, object, unknown]>([
		['a name', { event: 'whatsapp.inbound', from: bare, text: 'Hi' }, whatsapp()],
		[
			'a channel beside a name with SMS',
			{ event: 'sms.received', channel: 'whatsapp', from: bare, text: 'Hi' },
			whatsapp(),
		],
		[
			'Twilio',
			{
				From: `whatsapp:${phone}`,
				To: 'whatsapp:+15551234567',
				Body: 'Hi',
				SmsMessageSid: 'SM1',
				MessageSid: 'SM1',
				WaId: bare,
			},
			whatsapp('SM1'),
		],
		['an address of WhatsApp Web', { from: `${bare}@c.us`, body: 'Hi', fromMe: false }, whatsapp()],
		[
			'Infobip',
			{
				results: [
					{
						from: bare,
						to: '1555',
						integrationType: 'WHATSAPP',
						messageId: 'i',
						message: { type: 'TEXT', text: 'Hi' },
					},
				],
			},
			whatsapp('i'),
		],
	])('with %s is read', (_, body, events) => {
		expect(read(body)).toEqual(events);
	});

	it.each([
		['without a recipient and a sign', { from: phone, text: 'Hi' }],
		['of email', { channel: 'email', from: 'a@example.com', to: 'b@example.com', body: 'Hi' }],
		['of another chat', { channel: 'telegram', from: phone, to: '1234', text: 'Hi' }],
	])('is not read from a body %s', (_, body) => {
		expect(read(body)).toEqual(unrecognized);
	});

	it('is read from WhatsApp Cloud, with several messages and receipts in one body', () => {
		const value = (more: object) => ({
			field: 'messages',
			value: {
				messaging_product: 'whatsapp',
				metadata: { display_phone_number: '16505551111', phone_number_id: '1' },
				...more,
			},
		});
		const contacts = [{ profile: { name: 'Ama' }, wa_id: bare }];
		const one = { from: bare, id: 'wamid.A', timestamp: '1504902988', type: 'text', text: { body: 'Hi' } };
		const two = {
			from: bare,
			id: 'wamid.B',
			timestamp: '1504902988',
			type: 'button',
			button: { text: 'Yes', payload: 'y' },
		};
		const sent = {
			id: 'wamid.C',
			status: 'delivered',
			timestamp: '1504902988',
			recipient_id: bare,
			conversation: { id: 'c', origin: { type: 'utility' } },
			pricing: { billable: true, category: 'utility' },
		};
		const body = (...changes: object[]) => ({ object: 'whatsapp_business_account', entry: [{ id: '0', changes }] });
		expect(read(body(value({ contacts, messages: [one] })))).toEqual(whatsapp('wamid.A'));
		expect(read(body(value({ contacts, messages: [one, two] }), value({ statuses: [sent] })))).toEqual([
			...whatsapp('wamid.A'),
			...whatsapp('wamid.B', 'Yes'),
			...receipt('wamid.C', 'delivered'),
		]);
		expect(recognizeEvents(body(value({ contacts, messages: [one] })))[0]?.event?.payload).toMatchObject({
			to: '16505551111',
		});
		expect(read(body(value({})))).toEqual(unrecognized);
	});
});

describe('a message that left', () => {
	const text = { from: 'KOFISHOP', to: phone, text: 'Hi', message_id: 'o' };

	it.each([
		{ type: 'outbound' },
		{ direction: 'outbound-api' },
		{ direction: 'OUT' },
		{ direction: 'MT' },
		{ event: 'message.sent' },
		{ event: 'smsSent' },
		{ event: 'sms:outgoing' },
		{ fromMe: true },
		{ isOutbound: 'true' },
		{ incoming: false },
	])('is no inbound message, and a receipt with a status, by %j', (sign) => {
		expect(read({ ...text, ...sign })).toEqual(unrecognized);
		expect(read({ ...text, ...sign, channel: 'whatsapp' })).toEqual(unrecognized);
		expect(read({ ...text, ...sign, status: 'sent' })).toEqual(receipt('o', 'sent'));
		expect(read({ ...text, ...sign, from: phone, to: '+15551234567', text: 'STOP' })).toEqual(unrecognized);
	});
});

describe('a receipt of a gateway', () => {
	it.each<[string, object, unknown]>([
		[
			'Termii',
			{
				type: 'outbound',
				message_id: '59',
				receiver: bare,
				sender: 'N-Alert',
				message: 'Your code',
				command: 'deliver',
				status: 'DELIVERED | Message delivered to handset',
				channel: 'Number Api',
			},
			receipt('59', 'delivered'),
		],
		[
			'Infobip',
			{
				results: [
					{
						bulkId: 'b',
						messageId: 'i',
						to: bare,
						status: { groupId: 3, groupName: 'DELIVERED', id: 5, name: 'DELIVERED_TO_HANDSET' },
						error: { id: 0, name: 'NO_ERROR' },
					},
				],
			},
			receipt('i', 'delivered'),
		],
		[
			'Routee',
			{ messageId: 'r', to: phone, from: 'KOFISHOP', status: { name: 'Delivered', updatedDate: '2026-11-27' } },
			receipt('r', 'delivered'),
		],
		[
			'Twilio',
			{
				MessageSid: 'SM9',
				MessageStatus: 'delivered',
				To: phone,
				From: '+15551234567',
				SmsSid: 'SM9',
				SmsStatus: 'delivered',
			},
			receipt('SM9', 'delivered'),
		],
		["Africa's Talking", { id: 'AT1', status: 'Success', phoneNumber: phone, networkCode: '62001' }, unrecognized],
		[
			'Sinch',
			{ type: 'recipient_delivery_report_sms', batch_id: 'c', recipient: bare, status: 'Delivered', code: 0 },
			receipt('c', 'delivered'),
		],
		[
			'a dashboard with a wrapper',
			{ Event: 'message.status', Data: { MessageID: 'd', Status: 'FAILED', To: bare } },
			receipt('d', 'failed'),
		],
	])('from %s is read', (_, body, events) => {
		expect(read(body)).toEqual(events);
	});
});

describe('an SMS in the documented fields', () => {
	const stop = { From: phone, To: 'KOFISHOP', Message: 'STOP' };
	const hi = { ...stop, Message: 'hi' };

	it.each<object>([
		...['sent', 'MT', 'outbound', 'dlr', 'balance alert'].map((type) => ({ type })),
		...['sms.sent', 'message.status', 'wallet.low_balance'].map((event) => ({ event })),
		...['sms/sent', 'low balance', 'report'].map((topic) => ({ topic })),
		...['line1', 'push', 'chat', 'voice'].map((channel) => ({ channel })),
		...[{ platform: 'web' }, { medium: 'callfire' }, { action: 'status' }, { direction: 'outbound' }, { fromMe: true }],
		...['', null].flatMap((value) => [{ wa_id: value }, { wamid: value }, { whatsappId: value }]),
		...[{ type: 'low balance', balance: 3 }, { response: { message: 'ok', status: 'success' } }],
		...[{ data: { body: 'Hello' } }, { data: { text: 'Hello', from: '+15551234567' } }, { payload: 'Hello' }],
		...[{ quoted: [{ id: 'm1', status: 'delivered' }] }, { meta: { quoted: [{ id: 'm1', status: 'delivered' }] } }],
		...[{ previous: [{ from: 'KOFISHOP', to: phone, message: 'Offer' }] }, { quoted: [{ channel: 'email' }] }],
	])('is a STOP from a phone to a sender ID, with %j', (more) => {
		expect(read({ ...stop, ...more })).toEqual(sms());
		expect(read({ ...more, ...stop, To: '1234' })).toEqual(sms());
	});

	it('takes from a wrapper only the fields that it lacks', () => {
		expect(read({ ...stop, data: { body: 'Hello', id: '9' } })).toEqual(sms('9'));
		expect(read({ From: phone, Message: 'STOP', data: { to: '1234', message: 'Hello' } })).toEqual(sms());
		expect(read({ sender: phone, recipient: '1234', text: 'STOP', data: { message: 'Hello' } })).toEqual(sms());
	});

	it.each<object>([
		...['status', 'delivery', 'sent', 'low balance'].map((action) => ({ action })),
		...[{ topic: 'report' }, { channel: 'web' }, { platform: 'push' }, { quoted: [{ id: 'm1', status: 'sent' }] }],
		...[{ type: 'deliver_sm' }, { event: 'DELIVER-SM' }, { event: 'sms_deliver' }, { type: 'deliverSm' }],
	])('is inbound from a phone to a sender ID without a delivery status, with %j', (more) => {
		expect(read({ ...hi, ...more })).toEqual(sms(null, 'hi'));
	});

	it('is no SMS without a STOP on another channel, or with a direction out', () => {
		for (const more of [
			{ channel: 'phone call' },
			{ channel: 'voice' },
			{ direction: 'out' },
			{ type: 'dlr', id: '1', status: 'x' },
		]) {
			expect(read({ ...hi, ...more })).not.toEqual(sms(null, 'hi'));
		}
	});
});

describe('a message between two numbers with an ID and a status', () => {
	const two = { From: phone, To: '+233301234567', id: '1', status: 'delivered', Message: 'Your order is ready' };
	const text = two.Message;

	it('is inbound if the text is STOP with a sender ID of the account', () => {
		const stop = { ...two, Message: 'STOP KOFISHOP' };
		expect(read(stop)).toEqual(receipt('1', 'delivered', two.To));
		expect(read(stop, 'inboundSms', ['KOFISHOP'])).toEqual(sms('1', 'STOP KOFISHOP'));
		expect(read([stop, stop], 'inboundSms', ['KOFISHOP'])).toHaveLength(2);
		expect(read({ ...two, To: '1234', Message: 'STOP KOFISHOP', type: 'sent' }, undefined, ['KOFISHOP'])).toEqual(
			sms('1', 'STOP KOFISHOP'),
		);
	});

	it.each<object>([
		...['inbound', 'IN', 'MO', 'received', 'Mobile Originated', 'inbound_sms', 'incomingMessage'].map((direction) => ({
			direction,
		})),
		...[{ messageDirection: 'inbound' }, { direction: { type: 'inbound' } }],
		...[{ incoming: true }, { is_incoming: 1 }, { inbound: 'yes' }, { outgoing: false }, { type: 'deliver_sm' }],
		...['received', 'new', 'unread', 'Message Received'].map((status) => ({ status })),
		{ status: undefined },
	])('is inbound with %j', (more) => {
		expect(read({ ...two, ...more })).toEqual(sms('1', text));
	});

	it.each<object>([
		...['outbound', 'OUT', 'MT', 'sent', 'send', 'TO_CONTACT', 'Mobile Terminated', 'outbound_sms'].map(
			(direction) => ({
				direction,
			}),
		),
		...[{ outgoing: '1' }, { is_outgoing: 1 }, { isOutbound: 'Yes' }, { fromMe: 'true' }, { incoming: '0' }],
	])('is no inbound message with %j, even if it says STOP', (more) => {
		expect(read({ ...two, ...more, Message: 'STOP' })).toEqual(receipt('1', 'delivered', two.To));
		expect(read({ ...two, ...more, status: undefined })).toEqual(unrecognized);
	});

	it.each(['success', 'Message Sent Successfully', 'DND Active on Phone Number', '0', 'in flight', 'not received'])(
		'is no inbound message with the status %s, unless it is a keyword',
		(status) => {
			expect(read({ ...two, status })).toEqual(receipt('1', status.toLowerCase(), two.To));
			expect(read({ ...two, status, Message: 'STOP' })).toEqual(sms('1'));
		},
	);

	it('is no inbound message with a delivery status and without a known ID', () => {
		for (const status of ['DELIVRD', 'Message Sent Successfully', '0', 0]) {
			expect(read({ ...two, id: undefined, job_id: '7', status })).toEqual(unrecognized);
		}
		expect(read({ status: 'success', data: { ...two, id: undefined, status: undefined } })).toEqual(sms(null, text));
	});

	it('is never inbound from a number to itself, if it has a status', () => {
		const same = { sender: phone, to: bare, message: 'STOP', job_id: '7' };
		expect(read({ ...same, status: 'DELIVRD' })).toEqual(unrecognized);
		expect(read({ From: phone, To: bare, Message: 'Hi' })).toEqual([['sms', phone, 'Hi', null]]);
		expect(read({ ...same, message_id: 'j', status: 'DELIVRD' })).toEqual(receipt('j', 'delivrd'));
	});
});

describe('the number of a sender', () => {
	it.each([
		['5215512345678', '+525512345678'],
		['553191234567', '+553191234567'],
		['6591234567', '+6591234567'],
		['whatsapp:+5215512345678', '+525512345678'],
		['6591234567@c.us', '+6591234567'],
		['+233 (0)20 123 4567', '+233201234567'],
	])('on WhatsApp, %s, has its plus sign', (from, international) => {
		expect(read({ event: 'whatsapp.inbound', from, text: 'Hi' })).toEqual([['whatsapp', international, 'Hi', null]]);
	});

	it.each([
		['5215512345678', '+525512345678'],
		['2330201234567', '+233201234567'],
		['+233 (0)20 123 4567', '+233201234567'],
		['233990000001', '+233990000001'],
		['6591234567', '6591234567'],
		['9876543210', '9876543210'],
	])('reads the sender of an SMS, %s, as the number that a send accepts', (From, sent) => {
		expect(read({ From, To: 'KOFISHOP', Message: 'STOP' })).toEqual(sms(null, 'STOP', sent));
	});

	it('gives the recipient of a receipt on WhatsApp its plus sign', () => {
		const sent = { message_id: 'w', status: 'sent', recipient_id: '6591234567' };
		expect(read({ ...sent, channel: 'whatsapp' })).toEqual(receipt('w', 'sent', '+6591234567'));
	});
});

describe('a body with several events', () => {
	const one = { message_id: 'a', status: 'delivered', to: phone };
	const two = { message_id: 'b', status: 'failed', to: '+233201234568' };
	const both = [...receipt('a', 'delivered'), ...receipt('b', 'failed', '+233201234568')];

	it.each<[string, unknown]>([
		['results', { results: [one, two] }],
		['data', { success: true, data: [one, two] }],
		['messages', { messages: [one, two] }],
		['events', { events: [one, two], count: 2 }],
		['Items with a name around', { event: 'message.status', Items: [one, two] }],
		['a list', [one, two]],
		['two envelopes', { payload: { data: { reports: [one, two] } } }],
		['envelopes in a list', { events: [{ data: one }, { data: two }] }],
		['lists in a list', [[one], [two]]],
		['a form', { results: { 0: one, 1: two } }],
		['two lists', { sent: [one], failed: [two], errors: [{ code: 1 }] }],
	])('is read completely from %s', (_, body) => {
		expect(read(body)).toEqual(both);
	});

	it('shows a record that is no event, beside those that are', () => {
		expect(read({ results: [one, { hello: 'world' }, null, two] })).toEqual([
			both[0],
			...unrecognized,
			...unrecognized,
			both[1],
		]);
		expect(read({ results: [{ hello: 'world' }, { id: 1 }] })).toEqual(unrecognized);
	});

	it('has the messages of other people beside a message of its own', () => {
		const stops = [
			{ from: phone, to: '1234', text: 'STOP', id: '1' },
			{ from: '+233201234568', to: '1234', text: 'STOP', id: '2' },
		];
		const both = [...sms('1'), ...sms('2', 'STOP', '+233201234568')];
		const greeting = { from: 'gw', to: 'you', message: 'OK' };
		expect(read({ ...greeting, data: stops })).toEqual(expect.arrayContaining(both));
		expect(read({ ...greeting, to: '1234', data: { items: stops } })).toEqual(expect.arrayContaining(both));
		expect(read({ ...greeting, id: 'batch-1', messages: stops })).toEqual(expect.arrayContaining(both));
		expect(read({ ...stops[0], messages: stops.slice(1) })).toEqual(both);
		expect(read({ ...stops[0], messages: [{ ...stops[0], text: 'Hi', id: '0' }] })).toEqual(sms('1'));
	});

	it('lets a name, a channel and the ID of a bulk send hold for all records', () => {
		const words = [
			{ from: phone, text: 'STOP', id: '1' },
			{ from: phone, text: 'Hi', id: '2' },
		];
		expect(read({ event: 'sms.inbound', to: '1234', messages: words })).toEqual([...sms('1'), ...sms('2', 'Hi')]);
		expect(read({ channel: 'whatsapp', to: '1234', messages: words })).toEqual([
			...whatsapp('1', 'STOP'),
			...whatsapp('2'),
		]);
		const left = words.map((text) => ({ ...text, to: '+15551234567' }));
		expect(read({ type: 'outbound', messages: left })).toEqual(unrecognized);
		const bulk = [
			{ to: phone, status: 'sent' },
			{ to: '+233201234568', status: 'failed' },
		];
		expect(read({ message_id: 'k', results: bulk })).toEqual([
			...receipt('k', 'sent'),
			...receipt('k', 'failed', '+233201234568'),
		]);
	});

	it('counts a record with lists of its own as one event', () => {
		expect(
			read({
				...one,
				history: [
					{ id: 'h', status: 'sent' },
					{ id: 'i', status: 'delivered' },
				],
			}),
		).toEqual(receipt('a', 'delivered'));
		const events = [
			{ id: 'e1', status: 'sent' },
			{ id: 'e2', status: 'delivered' },
		];
		expect(read({ ...one, events })).toEqual(receipt('a', 'delivered'));
		expect(read({ event: 'message.status', data: { ...one, events } })).toEqual(receipt('a', 'delivered'));
		expect(read({ results: [{ ...one, events }, two] })).toEqual(both);
		expect(
			read({ from: phone, to: '1234', text: 'STOP', entities: [{ type: 'url', text: 'x' }, { type: 'b' }] }),
		).toEqual(sms());
	});
});
