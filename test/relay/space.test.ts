import { accept, listEvents, subscribe } from '../support/relay/api';
import { passUntil, testClock } from '../support/relay/clock';
import { isLong } from '../support/random';
import { useDatabase } from '../support/relay/databases';
import { startReceiver } from '../support/relay/receiver';
import { receipt } from '../support/relay/requests';
import { readSizes } from '../support/relay/readSizes';

const EVENTS = isLong ? 5_000 : 300;

const MINUTE = 60_000;

/** A day more than events are kept. */
const RETENTION = 31 * 24 * 60 * MINUTE;

/** On a PostgreSQL server, autovacuum does this. */
describe('the space of removed events (folder)', () => {
	const database = useDatabase('folder');

	it('is used again, so that the database does not grow from month to month', async () => {
		const clock = testClock();
		const relay = await database().startProcess({ env: clock.env });
		const receiver = await startReceiver();
		await subscribe(relay, { url: receiver.url, types: ['message.status'] });
		const months: Array<Awaited<ReturnType<typeof readSizes>>> = [];
		for (let month = 1; month <= 3; month += 1) {
			for (let first = 0; first < EVENTS; first += 20) {
				const group = Array.from({ length: 20 }, (_, index) => receipt(`${month}-${first + index}`, 'sent'));
				await Promise.all(group.map(async (one) => await accept(relay, one)));
			}
			await receiver.waitFor(month * EVENTS, 5 * MINUTE);
			months.push(await readSizes(database(), relay));
			const passRetention = async () => await clock.pass(relay, RETENTION);
			await passUntil('the events to be removed', passRetention, async () => (await listEvents(relay)).length === 0);
			// The next sweep and the next maintenance.
			await clock.pass(relay, MINUTE);
		}
		const [first = NaN, , last = NaN] = months.map((sizes) => sizes['relay.event']?.bytes);
		expect(last / first).toBeLessThan(1.8);
		process.stdout.write(`Space by month: ${JSON.stringify(months)}\n`);
		await receiver.close();
	}, 300_000);
});
