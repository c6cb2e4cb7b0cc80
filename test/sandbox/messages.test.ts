import { openStore } from '../../sandbox/store/store';

it('a status never goes backwards, and a delivered message is never refunded', () => {
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
			{ status: 'failed', dueAt: 300 },
			{ status: 'sent', dueAt: 200 },
			{ status: 'delivered', dueAt: 100 },
		],
	});
	store.messages.applyDue(1000);
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
