import { eventually } from '../support/eventually';
import {
	accept,
	acceptUnrecognized,
	createToken,
	eventWhere,
	listEvents,
	readEvent,
	subscribe,
} from '../support/relay/api';
import { describeOnEachDatabase } from '../support/relay/databases';
import { QUICK } from '../support/relay/quick';
import { startReceiver, type Receiver } from '../support/relay/receiver';
import type { Relay } from '../support/relay/relay';
import { inbound, receipt } from '../support/relay/requests';

describeOnEachDatabase('replay and erase', (database) => {
	let relay: Relay;
	let hook: Receiver;
	let subscription: string;

	beforeAll(async () => {
		// The second failure waits for longer than a test.
		const retry = { ...QUICK.retry, schedule: [0.2, 600] };
		relay = await database().start({ settings: { ...QUICK, retry } });
		hook = await startReceiver();
		({ id: subscription } = await subscribe(relay, { url: hook.url }));
	});
	afterAll(async () => await hook.close());

	it('replays a delivered event with the same ID and body, and counts the replays in a header', async () => {
		const { id } = await accept(relay, receipt('replayed', 'sent'));
		await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		for (const times of [1, 2]) {
			expect((await relay.api('POST', `/v1/events/${id}/replay`, { subscription })).status).toBe(202);
			await eventWhere(
				relay,
				id ?? '',
				({ deliveries: [delivery] }) => delivery?.replays === times && delivery.state === 'delivered',
			);
		}
		const posts = hook.requests.filter(({ headers }) => headers['webhook-id'] === id);
		expect(posts.map(({ headers }) => headers['webhook-replay'])).toEqual([undefined, '1', '2']);
		expect(new Set(posts.map(({ text }) => text)).size).toBe(1);
	});

	it('replays an event to a subscription that did not exist when it arrived', async () => {
		const { id } = await accept(relay, receipt('before-subscription', 'sent'));
		const other = await startReceiver();
		const { id: later } = await subscribe(relay, { url: other.url, reference: 'later' });
		await relay.api('POST', `/v1/events/${id}/replay`, { subscription: later });
		expect((await other.waitFor(1))[0]?.id).toBe(id);
		await relay.api('DELETE', `/v1/subscriptions/${later}`);
		await other.close();
	});

	it('tries a pending delivery at once when its owner asks for it', async () => {
		const own = await startReceiver();
		own.respond = ({ count }) => (count < 2 ? 500 : 200);
		const token = await createToken(relay, 'script');
		const { id: mine } = await subscribe(relay, { url: own.url, types: ['message.status'] }, token);
		const { id } = await accept(relay, receipt('retried-by-hand', 'sent'));
		const isPending = (attempts: number) => (event: Awaited<ReturnType<typeof readEvent>>) =>
			event.deliveries.some((one) => one.subscription.id === mine && one.attempts === attempts);
		await eventWhere(relay, id ?? '', isPending(2));
		expect((await relay.api('POST', `/v1/deliveries/${mine}:${id}/retry`, undefined, token)).status).toBe(202);
		await own.waitFor(1);
		await relay.api('DELETE', `/v1/subscriptions/${mine}`);
		await own.close();
	});

	it('repeats a delivered event for an admin only', async () => {
		const token = await createToken(relay, 'script');
		const { id: mine } = await subscribe(relay, { url: hook.url, types: ['message.status'] }, token);
		const { id } = await accept(relay, receipt('delivered-once', 'sent'));
		await eventWhere(relay, id ?? '', ({ deliveries }) =>
			deliveries.some((one) => one.subscription.id === mine && one.state === 'delivered'),
		);
		const retry = async (as?: string) =>
			(await relay.api('POST', `/v1/deliveries/${mine}:${id}/retry`, undefined, as)).status;
		expect(await retry(token)).toBe(403);
		expect(await retry()).toBe(202);
		await relay.api('DELETE', `/v1/subscriptions/${mine}`);
	});

	it('erases all events of a number, and keeps those of others', async () => {
		const number = '+233207770001';
		const erased = await accept(relay, inbound({ from: number }));
		await accept(relay, receipt('erased', 'sent', { to: number }));
		const kept = await accept(relay, inbound({ from: '+233207770002' }));
		await eventually('the deliveries', async () => {
			const { deliveries } = await readEvent(relay, erased.id ?? '');
			return deliveries[0]?.state === 'delivered' ? true : undefined;
		});
		const response = await relay.api('DELETE', `/v1/events?number=${encodeURIComponent('00233 20 777 0001')}`);
		expect(await response.json()).toEqual({ deleted: 2, sends: 0 });
		expect((await relay.api('GET', `/v1/events/${erased.id}`)).status).toBe(404);
		expect(await listEvents(relay, `?q=${encodeURIComponent(number)}`)).toEqual([]);
		expect((await relay.api('GET', `/v1/events/${kept.id}`)).status).toBe(200);
	});

	it.each([
		['as JSON', '{"event":"call","caller":"+233207770005"}', 'application/json'],
		['in a form, without the plus sign', 'kind=call&caller=233207770005', 'application/x-www-form-urlencoded'],
		['as dialed in its country', 'kind=call&caller=020+777+0005', 'application/x-www-form-urlencoded'],
		['in words', 'Missed call from 00233 (20) 777-0005.', 'text/plain'],
	])('erases an unrecognized request that has the number %s', async (_, body, type) => {
		const id = await acceptUnrecognized(relay, body, type);
		const other = await acceptUnrecognized(relay, body.replace('0005', '00051'), type);
		const response = await relay.api('DELETE', `/v1/events?number=${encodeURIComponent('+233207770005')}`);
		expect(await response.json()).toEqual({ deleted: 1, sends: 0 });
		expect((await relay.api('GET', `/v1/events/${id}`)).status).toBe(404);
		expect((await relay.api('GET', `/v1/events/${other}`)).status).toBe(200);
	});

	it('keeps unrecognized requests if a short code is erased', async () => {
		const id = await acceptUnrecognized(relay, '{"event":"call","to":"1234"}', 'application/json');
		await relay.api('DELETE', '/v1/events?number=1234');
		expect((await relay.api('GET', `/v1/events/${id}`)).status).toBe(200);
	});

	it('continues to deliver after an event with a pending delivery was erased', async () => {
		hook.respond = () => 500;
		await accept(relay, inbound({ from: '+233207770003' }));
		await eventually('the first attempt', () =>
			hook.requests.some(({ status }) => status === 500) ? true : undefined,
		);
		await relay.api('DELETE', `/v1/events?number=${encodeURIComponent('+233207770003')}`);
		hook.respond = () => 200;
		const { id } = await accept(relay, inbound({ from: '+233207770004' }));
		await eventWhere(relay, id ?? '', ({ deliveries }) => deliveries[0]?.state === 'delivered');
		expect(hook.events().some(({ data }) => data.from === '+233207770003')).toBe(false);
	});
});
