import type { INodeParameters } from 'n8n-workflow';
import { startTriggerEngine, type TriggerEngine } from '../support/n8n/triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const form = 'application/x-www-form-urlencoded';
const json = 'application/json';

const triggerOn = (names: string[], more: INodeParameters = {}) =>
	startTriggerEngine({ messagingServiceWebhookApi: { secret, previousSecret: '' } }, { triggerOn: names, ...more });
const everything = ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'];
const received_at: unknown = expect.stringMatching(/^\d{4}-.*Z$/);

describe('an inbound SMS webhook', () => {
	const text = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' };
	const capital = { From: text.from, To: text.to, Message: text.message };

	it.each<[string, string, Record<string, string | null>]>([
		['JSON with lower-case keys', json, text],
		['JSON with capitalized keys', `${json}; charset=utf-8`, capital],
		['a form with lower-case keys', form, text],
		['a form with capitalized keys', `${form}; charset=UTF-8`, capital],
		['JSON with an unused key', json, { From: null, ...text }],
		['a form with an empty key', form, { ...text, from: '', From: text.from }],
		['JSON with an unknown field', json, { ...text, Network: 'x' }],
		['a form with a number without its plus sign', form, { ...text, from: '233201234567' }],
		['a form that lost the plus sign of a number', form, { ...text, from: ' 233201234567' }],
		['JSON with a number with 00', json, { ...text, from: '00233201234567' }],
	])('turns an inbound SMS posted as %s into the same item', async (_, contentType, body) => {
		const engine = await triggerOn(['inboundSms']);
		const { result, items, answer } = await engine.post({ secret, contentType, body });
		expect(items).toEqual([{ event: 'sms.inbound', ...text, message_id: null, keyword: null, received_at, body }]);
		expect(result.webhookResponse).toEqual({ received: true });
		expect(answer).toEqual({});
	});

	it('accepts an inbound SMS with an empty message and an ID', async () => {
		const engine = await triggerOn(['inboundSms']);
		const { items } = await engine.post({ secret, contentType: form, body: { ...text, message: '', id: '7' } });
		expect(items).toEqual([expect.objectContaining({ message: '', message_id: '7' })]);
	});

	it('keeps a message ID above 2^53 exact in the item and its body', async () => {
		const engine = await triggerOn(['inboundSms', 'deliveryReceipt']);
		const post = async (id: string, rest: string) =>
			(await engine.post({ secret, body: `{"message_id": ${id}, ${rest}}` })).items;
		const sms = '"from": "+233201234567", "to": "KOFISHOP", "message": "HOURS"';
		expect([...(await post('12345678901234567890', sms)), ...(await post('12345678901234567891', sms))]).toEqual([
			expect.objectContaining({
				message_id: '12345678901234567890',
				body: expect.objectContaining({ message_id: '12345678901234567890' }) as object,
			}),
			expect.objectContaining({ message_id: '12345678901234567891' }),
		]);
		const receipt = '"status": "delivered"';
		expect([...(await post('9007199254740993', receipt)), ...(await post('9007199254740992', receipt))]).toEqual([
			expect.objectContaining({ message_id: '9007199254740993' }),
			expect.objectContaining({ message_id: '9007199254740992' }),
		]);
		expect(await post('9007199254740993', receipt)).toEqual([]);
	});

	it.each(['latin1', 'utf16le'] as const)(
		'keeps the characters of a message beside a long ID in %s',
		async (charset) => {
			const engine = await triggerOn(['inboundSms']);
			const body = Buffer.from(`{"id":12345678901234567890,"from":"+233201234567","to":"K","message":"café"}`, charset);
			const { items } = await engine.post({ secret, body, contentType: `${json}; charset=${charset}` });
			expect(items).toEqual([expect.objectContaining({ message: 'café', message_id: '12345678901234567890' })]);
		},
	);

	it('gets no request whose character set n8n does not know, because n8n responds to it', async () => {
		const engine = await triggerOn(['inboundSms']);
		const body = 'From=%2B233201234567&To=1234&Message=Arr%EAt';
		const { answer } = await engine.post({ secret, body, contentType: `${form}; charset=iso-8859-1` });
		expect(answer).toMatchObject({ status: 422, body: { hint: 'Unknown encoding: iso-8859-1' } });
	});

	it('reads a form in windows-1252 that declares no character set', async () => {
		const engine = await triggerOn(['inboundSms']);
		const body = 'From=%2B233201234567&To=1234&Message=Arr%EAt';
		const { items } = await engine.post({ secret, body, contentType: form });
		expect(items).toEqual([expect.objectContaining({ message: 'Arrêt', keyword: 'stop' })]);
	});

	it('keeps a short code or a name as the sender of an inbound SMS', async () => {
		const engine = await triggerOn(['inboundSms']);
		for (const from of ['1234', 'MTN', '0201234567']) {
			expect((await engine.post({ secret, body: { ...text, from } })).items).toEqual([
				expect.objectContaining({ from }),
			]);
		}
	});

	it.each<[string, string, unknown, number, RegExp]>([
		['no sender', json, { to: 'K', message: 'x' }, 422, /From, To and Message.*: to, message\b/],
		['no fields', json, {}, 422, /From, To and Message.*: nothing\b/],
		['an empty body', json, '', 422, /one JSON object/],
		['a list without records', json, ['text'], 422, /one JSON object/],
		['a JSON string', json, '"text"', 422, /one JSON object/],
		['null', json, 'null', 422, /one JSON object/],
		['plain text', 'text/plain', 'hello', 415, /JSON or a form/],
		['several files', 'multipart/form-data; boundary=b', {}, 415, /JSON or a form/],
		['no content type', '', 'hello', 415, /JSON or a form/],
		['XML', 'application/xml', '<a/>', 415, /JSON or a form/],
		['repeated fields', form, { ...text, from: ['+233201234567', '+233201234568'] }, 422, /needs From/],
		['too large a body', json, { ...text, message: 'x'.repeat(300_000) }, 413, /at most 262144/],
		['lists in lists', json, `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 422, /nested/],
		['objects in objects', json, `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`, 422, /nested/],
		['a receipt instead of a message', json, { message_id: 'm1', status: 'sent' }, 200, /^null$/],
	])('starts nothing for a request with %s', async (_, contentType, body, status, words) => {
		const engine = await triggerOn(['inboundSms']);
		const { items, answer, ...posted } = await engine.post({ secret, contentType, body });
		expect(items).toEqual([]);
		expect(posted.status).toBe(status);
		expect(JSON.stringify(answer.body ?? null)).toMatch(words);
		if (status !== 200) expect(engine.logged()).toEqual([expect.stringContaining('started nothing')]);
	});

	it('does not change the prototypes of objects', async () => {
		const engine = await triggerOn(['inboundSms']);
		const body = `{"from":"+233201234567","to":"K","message":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
		const { items } = await engine.post({ secret, body });
		expect(items).toHaveLength(1);
		expect(JSON.stringify(items)).not.toContain('polluted');
		await engine.post({
			secret,
			contentType: form,
			body: {
				'from[__proto__][polluted]': '1',
				'__proto__[polluted]': '1',
				'a[constructor][prototype][polluted]': '1',
			},
		});
		expect(Object.keys(Object.prototype)).toEqual([]);
		expect(Reflect.get({}, 'polluted')).toBeUndefined();
	});
});

describe('a webhook of another event', () => {
	const fields = {
		message_id: 'msg_1',
		status: 'delivered',
		to: '+233201234567',
		channel: 'sms',
		provider_status: 'DELIVRD',
	};
	const receipt = { event: 'message.status', ...fields };
	const alert = { event: 'wallet.low_balance', balance: 4.5, threshold: 5, currency: 'GHS' };
	const whatsapp = {
		event: 'whatsapp.inbound',
		from: '+233201234567',
		to: '+233301234567',
		message: 'Hi',
		message_id: 'w1',
		keyword: null,
	};

	it.each<[string, string, unknown, object]>([
		['a flat receipt', json, { event: 'message.status', ...fields, timestamp: 'x' }, receipt],
		['a receipt under data', json, { event: 'message.status', data: fields }, receipt],
		['a receipt as a form', form, fields, receipt],
		[
			'a receipt as a nested form',
			form,
			{
				type: 'x',
				'message[id]': 'msg_1',
				'message[status]': 'delivered',
				'message[to]': '233201234567',
				'message[channel]': 'sms',
				'message[provider_status]': 'DELIVRD',
			},
			receipt,
		],
		[
			'a receipt with capitalized keys',
			json,
			{ MessageId: 'msg_1', Status: 'Delivered', To: '+233201234567', Channel: 'SMS', ProviderStatus: 'DELIVRD' },
			receipt,
		],
		['a flat alert', json, { event: 'wallet.low_balance', balance: 4.5, threshold: 5, currency: 'GHS' }, alert],
		['an alert as a form', form, { event: 'low_balance', balance: '4.50', limit: '5', currency: 'GHS' }, alert],
		[
			'an alert as a nested form',
			form,
			{ 'wallet[balance]': '4.50', 'wallet[threshold]': '5.00', 'wallet[currency]': 'GHS' },
			alert,
		],
		[
			'an alert with amounts as text',
			json,
			{ current_balance: 'GHS 4.50', alert_threshold: '5.00', currency: 'GHS' },
			alert,
		],
		[
			'a WhatsApp message by its event name',
			json,
			{ event: 'whatsapp.inbound', from: '233201234567', to: '+233301234567', message: 'Hi', message_id: 'w1' },
			whatsapp,
		],
		[
			'a WhatsApp message by its number prefix',
			form,
			{ From: 'whatsapp:+233201234567', To: 'whatsapp:+233301234567', Body: 'Hi', MessageSid: 'w1' },
			whatsapp,
		],
		[
			'a WhatsApp message by its own key',
			json,
			{ wa_id: '233201234567', to: '+233301234567', text: { body: 'Hi' }, id: 'w1' },
			whatsapp,
		],
		[
			'an SMS with an ID and a status',
			json,
			{ id: 9, From: '233201234567', To: 'K', Message: 'Hi', status: 'received' },
			{ event: 'sms.inbound', from: '+233201234567', to: 'K', message: 'Hi', message_id: '9', keyword: null },
		],
	])('recognizes %s and turns it into a flat item', async (_, contentType, body, item) => {
		const engine = await triggerOn(everything);
		const { items } = await engine.post({ secret, contentType, body });
		expect(items).toEqual([{ ...item, received_at, body }]);
	});

	it('reads a message without a channel as the event chosen under Trigger On', async () => {
		const body = { from: '+233201234567', to: '+233301234567', message: 'Hi' };
		const eventOf = async (names: string[]) => (await (await triggerOn(names)).post({ secret, body })).items[0]?.event;
		expect(await eventOf(['inboundWhatsapp'])).toBe('whatsapp.inbound');
		expect(await eventOf(['inboundSms', 'inboundWhatsapp'])).toBe('sms.inbound');
		expect(await eventOf(['inboundSms'])).toBe('sms.inbound');
	});

	it.each<[string, unknown]>([
		['an unknown event', { hello: 'world' }],
		['a top-up notice', { event: 'topup.completed', balance: 50, amount: 10 }],
		['a record with a status', { id: 4, status: 'active' }],
	])('rejects %s, or starts the workflow with Unrecognized Requests = Start the Workflow', async (_, body) => {
		const rejected = await (await triggerOn(everything)).post({ secret, body });
		expect(rejected).toMatchObject({ status: 422, items: [], answer: { body: { reason: 'not recognized' } } });
		const keeping = await triggerOn(everything, { options: { unrecognizedRequests: 'start' } });
		expect((await keeping.post({ secret, body })).items).toEqual([{ event: 'unrecognized', received_at, body }]);
	});

	it('logs a request read as a receipt that may be a message if Trigger On has no receipts', async () => {
		const body = { id: 'x', from: '+233201234567', to: '+233301234567', message: 'Hi', status: 'delivered' };
		const texts = await triggerOn(['inboundSms']);
		expect(await texts.post({ secret, body })).toMatchObject({ status: 200, items: [] });
		expect(texts.logged()).toEqual([expect.stringContaining('delivery receipt')]);
		await texts.post({ secret, body: { ...body, from: 'KOFISHOP', to: body.from } });
		expect(texts.logged()).toEqual([]);
	});

	it('ignores a receipt or alert that Trigger On does not have, and rejects such a message', async () => {
		const texts = await triggerOn(['inboundSms']);
		for (const body of [fields, { balance: 4 }]) {
			const { result, items, status } = await texts.post({ secret, body });
			expect({ items, status }).toEqual({ items: [], status: 200 });
			expect(result.webhookResponse).toEqual({ received: true, started: false, reason: expect.any(String) as string });
		}
		const receipts = await triggerOn(['deliveryReceipt']);
		const text = { From: '+233201234567', To: 'K', Message: 'Hi' };
		const { items, status, answer } = await receipts.post({ secret, body: text });
		expect({ items, status }).toEqual({ items: [], status: 422 });
		expect(JSON.stringify(answer.body)).toContain('Trigger On');
	});
});

describe('a request with several events', () => {
	const one = { message_id: 'a', status: 'delivered', to: '+233201234567' };
	const two = { message_id: 'b', status: 'failed', to: '+233201234568' };
	const odd = { hello: 'world' };
	const ids = (items: ReadonlyArray<Record<string, unknown>>) => items.map((item) => item.message_id ?? item.event);

	it.each<[string, unknown]>([
		['under a key', { results: [one, two] }],
		['as a list', [one, two]],
	])('starts the workflow once with all events %s, each with its own body', async (_, body) => {
		const engine = await triggerOn(['deliveryReceipt']);
		const { items, status } = await engine.post({ secret, body: JSON.stringify(body) });
		expect(status).toBe(200);
		expect(items.map((item) => [item.message_id, item.body])).toEqual([
			['a', one],
			['b', two],
		]);
	});

	it('rejects a request with a part that is no event, unless Unrecognized Requests starts the workflow', async () => {
		const rejecting = await triggerOn(['deliveryReceipt']);
		expect(await rejecting.post({ secret, body: { results: [one, odd] } })).toMatchObject({ status: 422, items: [] });
		expect(rejecting.logged()).toEqual([expect.stringContaining('not recognized')]);
		const keeping = await triggerOn(['deliveryReceipt'], { options: { unrecognizedRequests: 'start' } });
		expect(ids((await keeping.post({ secret, body: { results: [one, odd] } })).items)).toEqual(['a', 'unrecognized']);
	});

	it('rejects a request with an inbound message that Trigger On does not include, also beside a receipt', async () => {
		const stop = { From: '+233201234567', To: 'KOFISHOP', Message: 'STOP' };
		const receipts = await triggerOn(['deliveryReceipt'], { options: { unrecognizedRequests: 'start' } });
		const { items, status, answer } = await receipts.post({ secret, body: { messages: [stop], statuses: [one] } });
		expect({ items, status }).toEqual({ items: [], status: 422 });
		expect(JSON.stringify(answer.body)).toContain('inbound SMS');
		const both = await triggerOn(['deliveryReceipt', 'inboundSms']);
		expect(ids((await both.post({ secret, body: { messages: [stop], statuses: [one] } })).items)).toHaveLength(2);
		const texts = await triggerOn(['inboundSms']);
		expect(await texts.post({ secret, body: { messages: [stop], statuses: [one] } })).toMatchObject({ status: 200 });
	});

	it('reads STOP with a sender ID of the account between two numbers', async () => {
		const engine = await triggerOn(['inboundSms'], { options: { senderIds: 'KOFISHOP' } });
		const body = { From: '+233201234567', To: '+233301234567', Message: 'STOP KOFISHOP', id: '1', status: 'delivered' };
		expect((await engine.post({ secret, body })).items).toEqual([expect.objectContaining({ keyword: 'stop' })]);
	});

	it('rejects a request in which it reads no event that Trigger On includes, so that the sender sees that', async () => {
		const texts = await triggerOn(['inboundSms']);
		for (const body of [{ results: [odd, odd] }, { results: [one, odd] }, { results: [{ wa_id: '1', text: 'Hi' }] }]) {
			expect(await texts.post({ secret, body })).toMatchObject({ status: 422, items: [] });
		}
		expect(await texts.post({ secret, body: { results: [one, two] } })).toMatchObject({ status: 200, items: [] });
	});
});

describe('keywords of an inbound message', () => {
	const own = { customKeywords: 'HOURS, Price list, cancel', options: { senderIds: 'Kofi Shop, ADOM' } };
	const say = async (engine: TriggerEngine, message: string) =>
		(await engine.post({ secret, body: { from: '+233201234567', to: '1234', message } })).result.workflowData;
	const said: Array<[string, string | null, number]> = [
		[' stop. ', 'stop', 0],
		['Arrêt', 'stop', 0],
		['CANCEL', 'stop', 0],
		['EXIT', 'stop', 0],
		['stop pls 🙏', 'stop', 0],
		['STOP KOFISHOP', 'stop', 0],
		['Stop 1234', 'stop', 0],
		['Unsubscribe from KOFISHOP', 'stop', 0],
		['Stop sending me messages', 'stop', 0],
		['STOP AMASHOP', null, 6],
		['Stop by tomorrow', null, 6],
		["please don't stop", null, 6],
		['start', 'start', 1],
		['Help!', 'help', 2],
		['hours', 'HOURS', 3],
		['PRICE LIST?', 'Price list', 4],
		['please stop by the shop', null, 6],
		['', null, 6],
	];

	it.each(said)('reads the message %j as the keyword %j', async (message, keyword) => {
		expect(await say(await triggerOn(['inboundSms'], own), message)).toEqual([
			[{ json: expect.objectContaining({ keyword, message }) as object }],
		]);
	});

	it.each(said)(
		'sends the message %j (%j) to its own output with Separate Outputs by Keyword',
		async (message, keyword, output) => {
			const engine = await triggerOn(['inboundSms'], { ...own, routeByKeyword: true });
			const names = await engine.outputs();
			expect(names).toEqual(['STOP', 'START', 'HELP', 'HOURS', 'Price list', 'cancel', 'Other']);
			const outputs = await say(engine, message);
			expect(outputs).toHaveLength(names.length);
			expect(outputs?.map((items) => items.length)).toEqual(names.map((_, index) => (index === output ? 1 : 0)));
			expect(outputs?.[output]?.[0]?.json.keyword).toBe(keyword);
		},
	);

	it('has one output without Separate Outputs by Keyword or without inbound messages', async () => {
		expect(await (await triggerOn(['inboundSms'], own)).outputs()).toEqual(['main']);
		expect(await (await triggerOn(['deliveryReceipt'], { ...own, routeByKeyword: true })).outputs()).toEqual(['main']);
	});

	it('sends other events to the last output with Separate Outputs by Keyword', async () => {
		const engine = await triggerOn(everything, { routeByKeyword: true });
		const { result } = await engine.post({ secret, body: { message_id: 'm9', status: 'sent' } });
		expect(result.workflowData?.map((items) => items.length)).toEqual([0, 0, 0, 1]);
	});
});

describe('filters of the trigger', () => {
	const start = async (filters: INodeParameters, body: object, more: INodeParameters = {}) =>
		(await (await triggerOn(everything, { filters, ...more })).post({ secret, body })).items.length === 1;
	const text = (fields: object = {}) => ({ from: '+233201234567', to: 'KOFISHOP', message: 'Hi', ...fields });

	it.each<[INodeParameters, object, boolean]>([
		[{ sender: '+233201234567, 1234' }, text(), true],
		[{ sender: '00233 20 123 4567' }, text(), true],
		[{ sender: '+233201234568' }, text(), false],
		[{ recipient: 'kofishop' }, text(), true],
		[{ recipient: 'OTHER' }, text(), false],
		[{ keywords: ['none'] }, text(), true],
		[{ keywords: ['none'] }, text({ message: 'STOP' }), false],
		[{ keywords: ['stop', 'start'] }, text({ message: 'STOP' }), true],
		[{ keywords: ['custom'] }, text({ message: 'hours' }), true],
		[{ keywords: ['custom'] }, text({ message: 'help' }), false],
		[{ statuses: ['delivered', 'failed'] }, { message_id: 'm1', status: 'Delivered' }, true],
		[{ statuses: ['delivered', 'failed'] }, { message_id: 'm1', status: 'sent' }, false],
		[{ statuses: ['delivered'] }, { message_id: 'm1', status: 'DELIVRD' }, true],
		[{ statuses: ['failed'] }, { message_id: 'm1', status: 'undelivered' }, true],
		[{ statuses: ['delivered'] }, { message_id: 'm1', status: 'ENROUTE' }, false],
		[{ statuses: ['undelivered'] }, { message_id: 'm1', status: 'undelivered' }, true],
		[{ recipient: '+233201234567' }, { message_id: 'm1', status: 'sent', to: '233201234567' }, true],
		[{ recipient: '+233201234567' }, { message_id: 'm1', status: 'sent' }, false],
		[{ sender: '1', statuses: ['failed'] }, { balance: 3, threshold: 5 }, true],
	])('filters %j let %j start the workflow: %j', async (filters, body, passes) => {
		expect(await start(filters, body, { customKeywords: 'HOURS' })).toBe(passes);
	});
});
