import { SegmentedMessage } from 'sms-segments-calculator';
import { countChargedSegments } from '../../sandbox/simulation/price';
import { openStore } from '../../sandbox/store/store';
import { fc } from '../support/random';

it('never moves a status backwards, and never refunds a delivered message', () => {
	const store = openStore(':memory:');
	store.seed(0);
	store.messages.accept({
		id: 'msg_1',
		channel: 'sms',
		recipient: '+233201234567',
		senderId: 'KOFISHOP',
		text: 'Hello',
		priority: false,
		segments: 1,
		cost: 500,
		createdAt: 0,
		transitions: [
			{ status: 'delivered', dueAt: 100 },
			{ status: 'sent', dueAt: 200 },
			{ status: 'failed', dueAt: 300 },
		],
	});
	while (store.messages.applyDue(1000));
	expect(store.messages.find('msg_1')).toMatchObject({
		status: 'delivered',
		delivered_at: 100,
		sent_at: null,
		failed_at: null,
	});
	expect(store.wallet.read().balance).toBe(399_500);
	expect(store.messages.nextDueAt()).toBeUndefined();
	store.close();
});

it('counts as many segments of a plain message as a full count', () => {
	const ascii = fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code));
	const letters = fc.oneof(fc.constantFrom('a', ' ', '\r\n'), ascii);
	const text = fc.array(letters, { minLength: 1, maxLength: 170 }).map((parts) => parts.join(''));
	const full = (one: string) => new SegmentedMessage(one).segmentsCount;
	fc.assert(fc.property(text, (one) => countChargedSegments(one) === full(one)));
	for (let code = 0; code < 128; code += 1) {
		const most = String.fromCharCode(code).repeat(160);
		expect(countChargedSegments(most)).toBe(full(most));
	}
});
