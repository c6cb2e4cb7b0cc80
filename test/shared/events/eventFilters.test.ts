import { eventItem, isSameParty, passesFilters, toInternational, type EventFilters } from '../../../shared';
import { recognizeEvent } from '../../../shared/contract/recognize';

function itemOf(body: object, customKeywords: readonly string[] = []) {
	const event = recognizeEvent(body);
	if (!event) throw new Error('The body is not an event');
	return eventItem(event, { customKeywords });
}
const message = (words: string) => ({ From: '+233201234567', To: 'KOFISHOP', Message: words });
const receipt = (more: object) => ({ message_id: 'm1', status: 'delivered', to: '+233201234567', ...more });

describe('passesFilters', () => {
	it.each<[string, string, EventFilters, boolean]>([
		['without filters', 'Hello', {}, true],
		['with empty lists', 'Hello', { sender: [], recipient: [], keywords: [], words: [] }, true],
		['from another spelling of the sender', 'Hello', { sender: ['233 20 123 4567'] }, true],
		['from another sender', 'Hello', { sender: ['+233207654321'] }, false],
		['to the sender ID in another case', 'Hello', { recipient: ['kofishop'] }, true],
		['to another number', 'Hello', { recipient: ['1234'] }, false],
		['that is STOP, for the filter STOP', 'Stop!', { keywords: ['stop'] }, true],
		['that is no keyword, for the filter STOP', 'Hello', { keywords: ['stop', 'start', 'help'] }, false],
		['that is no keyword, for the filter None', 'Hello', { keywords: ['none'] }, true],
		['that is STOP, for the filter None', 'STOP', { keywords: ['none'] }, false],
		['that is a custom word', 'hours!', { words: ['HOURS'] }, true],
		['that is another custom word', 'price', { words: ['HOURS'] }, false],
		['that is STOP, for a custom word', 'STOP', { words: ['STOP NOW'] }, false],
		['that matches one of keyword and word', 'STOP', { keywords: ['stop'], words: ['HOURS'] }, true],
		['that is STOP with the name that it went to', 'stop kofishop pls', { optOuts: 'exclude' }, false],
		['that is STOP with another name', 'stop amashop', { optOuts: 'exclude' }, true],
		['that is STOP with the name that it went to, for a custom word', 'STOP KOFISHOP', { words: ['HOURS'] }, false],
		['that is START as a custom word', 'start', { words: ['START'] }, true],
		['that is STOP, without opt-outs', 'unsubscribe', { optOuts: 'exclude' }, false],
		['that is no STOP, without opt-outs', 'Hello', { optOuts: 'exclude' }, true],
		['that is STOP, with opt-outs', 'STOP', { optOuts: 'include' }, true],
		['whatever the statuses', 'Hello', { statuses: ['failed'], channels: ['whatsapp'] }, true],
	])('decides about a message %s', (_, words, filters, passes) => {
		expect(passesFilters(itemOf(message(words)), filters)).toBe(passes);
	});

	it('treats a keyword that the item was made with as custom', () => {
		const item = itemOf(message('hours'), ['HOURS']);
		expect(passesFilters(item, { keywords: ['custom'] })).toBe(true);
		expect(passesFilters(item, { keywords: ['none'] })).toBe(false);
		expect(passesFilters(itemOf(message('hours')), { keywords: ['custom'] })).toBe(false);
	});

	it.each<[string, object, EventFilters, boolean]>([
		['its status', {}, { statuses: ['delivered'] }, true],
		['another status', {}, { statuses: ['failed', 'sent'] }, false],
		['another spelling of its stage', { status: 'DELIVRD' }, { statuses: ['delivered'] }, true],
		['an unrecognized status by its name', { status: 'routed' }, { statuses: ['routed'] }, true],
		['its recipient', {}, { recipient: ['0233201234567', '+233201234567'] }, true],
		['a recipient that it lacks', { to: undefined }, { recipient: ['+233201234567'] }, false],
		['its channel', { channel: 'WhatsApp' }, { channels: ['whatsapp'] }, true],
		['another channel', { channel: 'sms' }, { channels: ['whatsapp'] }, false],
		['a channel that it lacks', {}, { channels: ['sms'] }, false],
		['senders and keywords only', {}, { sender: ['1234'], keywords: ['stop'], optOuts: 'exclude' }, true],
	])('decides about a receipt for %s', (_, more, filters, passes) => {
		expect(passesFilters(itemOf(receipt(more)), filters)).toBe(passes);
	});

	it('lets every low-balance alert pass', () => {
		const filters: EventFilters = { sender: ['1234'], recipient: ['1234'], statuses: ['failed'], keywords: ['stop'] };
		expect(passesFilters(itemOf({ event: 'wallet.low_balance', balance: 4.2, threshold: 5 }), filters)).toBe(true);
	});
});

describe('eventItem', () => {
	it('has the same keys for every inbound message, with null for missing fields', () => {
		expect(itemOf({ from: 'whatsapp:+233201234567', message: 'Hi', channel: 'whatsapp' })).toEqual({
			...{ event: 'whatsapp.inbound', from: '+233201234567', to: null, message: 'Hi', message_id: null, keyword: null },
		});
	});

	it('has the same keys for every receipt and alert, with null for missing fields', () => {
		expect(itemOf({ message_id: 'm1', status: 'Delivered', channel: 'SMS' })).toEqual({
			...{ event: 'message.status', message_id: 'm1', status: 'delivered', to: null, channel: 'sms' },
			...{ provider_status: null },
		});
		expect(itemOf({ event: 'low_balance', balance: 4.2 })).toEqual({
			...{ event: 'wallet.low_balance', balance: 4.2, threshold: null, currency: null },
		});
	});
});

describe('toInternational', () => {
	it.each([
		['233201234567', '+233201234567'],
		[' 233 20 123-4567', '+233201234567'],
		['00233201234567', '+233201234567'],
		['0201234567', '0201234567'],
		['KOFISHOP ', 'KOFISHOP'],
		['1234', '1234'],
	])('writes %j as %j', (given, written) => {
		expect(toInternational(given)).toBe(written);
	});

	it('makes spellings of one party equal', () => {
		expect(isSameParty('00233201234567', '+233 20 123 4567')).toBe(true);
		expect(isSameParty('+5215512345678', '+525512345678')).toBe(true);
		expect(isSameParty('KofiShop', 'KOFISHOP')).toBe(true);
		expect(isSameParty('1234', '1235')).toBe(false);
	});
});
