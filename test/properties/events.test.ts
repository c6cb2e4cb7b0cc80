import { isFinalMessageStatus, messageRank } from '../../shared';
import { recognizeEvent } from '../../shared/contract/recognize';
import { fc, runCount } from '../support/random';

const phone = fc.stringMatching(/^\+[1-9]\d{8,13}$/);
const spelled = phone.chain((number) =>
	fc.constantFrom(number, number.slice(1), `00${number.slice(1)}`, `${number.slice(0, 4)} ${number.slice(4)}`),
);
const own = fc.oneof(fc.stringMatching(/^[A-Z][A-Za-z ]{1,10}$/), fc.stringMatching(/^[1-9]\d{2,5}$/));
const words = fc.oneof(fc.constantFrom('STOP', 'Stop!', 'HOURS', 'Your code is 123456', ''), fc.string());
const status = fc.constantFrom(
	...['queued', 'accepted', 'pending', 'submitted', 'sent', 'ENROUTE', 'delivered', 'Delivered', 'DELIVRD'],
	...['delivered_to_handset', 'failed', 'undelivered', 'UNDELIV', 'REJECTD', 'expired', 'read'],
);
/** The same keys in common spellings, bare or in an envelope. */
const spell = (fields: object, capital: boolean, wrapped: boolean): object => {
	const keys: Readonly<Record<string, string>> = { message_id: 'MessageId' };
	const spelling = (key: string) => (capital ? (keys[key] ?? `${key[0]?.toUpperCase()}${key.slice(1)}`) : key);
	const body = Object.fromEntries(Object.entries(fields).map(([key, value]) => [spelling(key), value as unknown]));
	return wrapped ? { success: true, data: body } : body;
};

describe('the event of a body with both parties, a message, an ID and a status', () => {
	it('never reads a message from a number to a sender ID or short code as a receipt', () => {
		const inbound = fc.record({ from: spelled, to: own, message: words, message_id: fc.uuid(), status });
		fc.assert(
			fc.property(inbound, fc.boolean(), fc.boolean(), ({ message, ...fields }, capital, wrapped) => {
				fc.pre(!/stat:/i.test(message));
				const body = spell({ ...fields, message }, capital, wrapped);
				expect(recognizeEvent(body)).toMatchObject({ name: 'inboundSms', payload: { message } });
			}),
			{ numRuns: runCount(500) },
		);
	});

	it('never reads a receipt that repeats the message as an inbound message', () => {
		const receipt = fc.record({ from: own, to: spelled, message: words, message_id: fc.uuid(), status });
		fc.assert(
			fc.property(receipt, fc.boolean(), fc.boolean(), (fields, capital, wrapped) => {
				const event = recognizeEvent(spell(fields, capital, wrapped));
				expect(event).toMatchObject({ name: 'deliveryReceipt', payload: { message_id: fields.message_id } });
			}),
			{ numRuns: runCount(500) },
		);
	});

	it('never loses a STOP, and never reads another message between two numbers as inbound', () => {
		const both = fc.record({ from: spelled, to: spelled, message_id: fc.uuid(), status });
		fc.assert(
			fc.property(both, fc.boolean(), fc.boolean(), (fields, capital, wrapped) => {
				const name = (message: string) => recognizeEvent(spell({ ...fields, message }, capital, wrapped))?.name;
				expect([name('STOP'), name('Unsubscribe.'), name('Your order is ready')]).toEqual([
					'inboundSms',
					'inboundSms',
					'deliveryReceipt',
				]);
			}),
		);
	});
});

describe('the rank of a status', () => {
	const final = ['delivered', 'DELIVRD', 'failed', 'undelivered', 'UNDELIV', 'REJECTD', 'expired', 'read', 'rejected'];
	const early = ['queued', 'accepted', 'ACCEPTD', 'pending', 'scheduled', 'submitted', 'sent', 'ENROUTE', 'buffered'];
	const unknown = [
		'',
		'success',
		'completed',
		'UNKNOWN',
		'not_read',
		'temporarily failed',
		'delivery pending',
		'unread',
	];

	it('ranks a status regardless of case and separators', () => {
		const noise = fc.stringMatching(/^[ _.-]{0,3}$/);
		fc.assert(
			fc.property(fc.constantFrom(...final, ...early), noise, noise, fc.boolean(), (word, before, after, upper) => {
				const written = `${before}${upper ? word.toUpperCase() : word.toLowerCase()}${after}`;
				expect(messageRank(written)).toBe(messageRank(word));
				expect(isFinalMessageStatus(written)).toBe(final.includes(word));
			}),
		);
	});

	it('does not treat an unknown status as final', () => {
		for (const word of unknown) expect([messageRank(word), isFinalMessageStatus(word)]).toEqual([undefined, false]);
		fc.assert(
			fc.property(fc.string(), (word) => {
				fc.pre(messageRank(word) === undefined);
				expect(isFinalMessageStatus(word)).toBe(false);
			}),
		);
	});

	it('ranks a final status above all others', () => {
		for (const last of final)
			for (const first of early) expect(messageRank(last)).toBeGreaterThan(messageRank(first) ?? 9);
	});
});
