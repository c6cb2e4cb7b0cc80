import { KEPT_CALLBACKS } from '../../sandbox/store/callbacks';
import { openStore } from '../../sandbox/store/store';

it('keeps the newest finished callbacks, and never deletes a waiting one', () => {
	const { callbacks, ...store } = openStore(':memory:');
	const total = KEPT_CALLBACKS + 1000;
	const fresh = {
		event: 'message.status',
		fact: { at: 0 },
		message_id: null,
		url: 'http://127.0.0.1:1/',
		due_at: 0,
		created_at: 0,
	} as const;
	const waits = callbacks.add(fresh);
	store.transaction(() => {
		for (let count = 1; count < total; count += 1) {
			callbacks.finish(
				{
					callback_id: callbacks.add(fresh),
					url: fresh.url,
					content_type: 'application/json',
					body: '{}',
					http_status: 200,
					answer: '',
					problem: null,
					started_at: 0,
					duration: 1,
				},
				{ status: 'delivered' },
			);
		}
	});
	expect(callbacks.count()).toBe(KEPT_CALLBACKS + 1);
	expect(callbacks.find(waits)).toMatchObject({ status: 'waiting' });
	expect(callbacks.attempts(total - KEPT_CALLBACKS)).toEqual([]);
	expect(callbacks.attempts(total - KEPT_CALLBACKS + 1)).toHaveLength(1);
	expect(callbacks.list(1, 0)).toMatchObject([{ id: total }]);
	store.close();
});
