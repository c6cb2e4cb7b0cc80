import { accept, createToken, subscribe } from '../support/relay/api';
import { isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';

const MESSAGES = isLong ? 2_500 : 40;
const STATUSES = ['sent', 'delivered'] as const;
/** Zapier responds 429 above this many requests to one hook in a second. */
const ZAPIER_LIMIT = 30;

describe('a hook of Zapier with a backlog', () => {
	const database = useDatabase('postgres');

	it(
		`gets ${MESSAGES * STATUSES.length} events once and in the order of each message, and never too many in a second`,
		async () => {
			// Two processes share the rate.
			const relay = await database().start();
			const other = await database().start();
			const hook = await startReceiver();
			const token = await createToken(relay, 'zapier');
			const { id } = await subscribe(relay, { url: hook.url, types: ['message.status'] }, token);
			await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'paused' });
			for (const status of STATUSES) {
				for (let first = 0; first < MESSAGES; first += 100) {
					const group = Array.from({ length: Math.min(100, MESSAGES - first) }, (_, index) => first + index);
					await Promise.all(group.map(async (message) => await accept(other, receipt(`backlog-${message}`, status))));
				}
			}
			const recent: number[] = [];
			hook.respond = () => {
				const now = Date.now();
				recent.push(now);
				return recent.filter((at) => at > now - 1_000).length > ZAPIER_LIMIT ? 429 : 200;
			};
			await relay.api('PATCH', `/v1/subscriptions/${id}`, { state: 'active' });
			const count = MESSAGES * STATUSES.length;
			const events = await hook.waitFor(count, isLong ? 900_000 : 90_000);
			expect(hook.requests.filter(({ status }) => status === 429)).toEqual([]);
			expect(new Set(events.map((event) => event.id)).size).toBe(count);
			expect(events).toHaveLength(count);
			const ofMessage = Map.groupBy(events, ({ data }) => data.message_id);
			for (const own of ofMessage.values()) expect(own.map(({ data }) => data.status)).toEqual(STATUSES);
			await hook.close();
		},
		isLong ? 1_200_000 : 180_000,
	);
});
