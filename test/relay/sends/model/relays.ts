import { testClock, type TestClock } from '../../../support/relay/clock';
import type { TestDatabase } from '../../../support/relay/databases';
import type { RelayProcess } from '../../../support/relay/relayProcess';

/** The relays of a run, on one database. They end and start again. */
export interface Relays {
	/** One of them, by any number. Waits while it is away. */
	readonly of: (relay: number) => Promise<RelayProcess>;
	/** Kills one, or stops it in an orderly way, and starts it again. The time of its calls in flight is then over. */
	readonly end: (relay: number, isOrderly: boolean) => Promise<void>;
	/** Sets the clock of one, in milliseconds. */
	readonly moveClock: (relay: number, ms: number) => Promise<void>;
	/** Lets the clock of a PostgreSQL server jump ahead, so the time of all calls in flight is over. */
	readonly jump: () => Promise<void>;
	/** Lets all keys with a maximum age become too old, by the clock of the database. */
	readonly age: (seconds: number) => Promise<void>;
	readonly stop: () => Promise<void>;
}

interface Slot {
	readonly clock: TestClock;
	running: Promise<RelayProcess>;
}

/**
 * Starts relays.
 * @param count how many. An embedded database has one
 */
export async function startRelays(
	database: TestDatabase,
	count: number,
	env: Readonly<Record<string, string>>,
): Promise<Relays> {
	const slots = Array.from({ length: count }, (): Slot => {
		const clock = testClock();
		return { clock, running: database.startProcess({ env: { ...env, ...clock.env } }) };
	});
	const slotOf = (relay: number): Slot => slots[relay % count] ?? fail();
	await Promise.all(slots.map(async ({ running }) => await running));

	/** Changes many sends. The relays lock single ones in an order of their own, so the table is locked first. */
	async function change(update: string): Promise<void> {
		await database.query(`begin; lock table relay.send in exclusive mode; update relay.send ${update}; commit`);
	}

	return {
		of: async (relay) => await slotOf(relay).running,
		async end(relay, isOrderly) {
			const slot = slotOf(relay);
			const old = await slot.running;
			slot.running = (async () => {
				if (isOrderly) await old.stop();
				else await old.kill();
				return await database.startProcess({ env: { ...env, ...slot.clock.env } });
			})();
			await slot.running;
			if (database.kind === 'folder') return;
			await change(`set until = clock_timestamp() where state = 'in_flight' and owner like '${old.pid}-%'`);
		},
		async moveClock(relay, ms) {
			const { clock, running } = slotOf(relay);
			await clock.move(await running, ms);
		},
		async jump() {
			if (database.kind === 'folder') return;
			await change(`set until = clock_timestamp() where state = 'in_flight'`);
		},
		async age(seconds) {
			if (database.kind === 'folder') {
				const { clock, running } = slotOf(0);
				await clock.move(await running, seconds * 1_000);
				return;
			}
			await change(`set created_at = created_at - ${seconds} * interval '1 second' where call_digest is not null`);
		},
		async stop() {
			await Promise.all(slots.map(async ({ running }) => await (await running).stop()));
		},
	};
}

function fail(): never {
	throw new Error('There is no relay');
}
