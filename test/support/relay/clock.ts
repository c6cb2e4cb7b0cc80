import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually';
import { type RelayProcess } from './relayProcess';
import { temporaryFolder } from '../temporaryFolder';

/** The clock of one relay process, which the test moves. The clock of a PostgreSQL server stays as it is. */
export interface TestClock {
	/** For the environment of the relay. */
	readonly env: Readonly<Record<string, string>>;
	/** The wall clock of the relay, in milliseconds since 1970. */
	readonly now: () => number;
	/** Lets time pass: the wall clock and all timers go ahead. In milliseconds. */
	readonly pass: (relay: RelayProcess, ms: number) => Promise<void>;
	/** Moves the wall clock alone, as a person or a time server does. Negative: into the past. In milliseconds. */
	readonly move: (relay: RelayProcess, ms: number) => Promise<void>;
}

/** Real time for the relay's work after a step of its clock, in milliseconds. */
const TO_END_MS = 5_000;

/**
 * Lets time pass until the relay's maintenance has an effect. Another step waits for {@link TO_END_MS}: the relay gives up
 * a statement that is still running then, and skips a maintenance while the previous one runs.
 * @param pass one step of the clock
 */
export async function passUntil(
	what: string,
	pass: () => Promise<void>,
	isDone: () => Promise<boolean> | boolean,
): Promise<void> {
	let next = 0;
	const poll = async () => {
		if (await isDone()) return true;
		if (Date.now() < next) return undefined;
		await pass();
		next = Date.now() + TO_END_MS;
		return undefined;
	};
	await eventually(what, poll, 100_000);
}

/** Makes a clock for one relay process. */
export function testClock(): TestClock {
	const file = join(temporaryFolder(), 'clock');
	let passed = 0;
	let moved = 0;
	async function apply({ pid }: RelayProcess): Promise<void> {
		const text = JSON.stringify({ passed, moved });
		writeFileSync(file, text);
		process.kill(pid, 'SIGUSR2');
		await eventually('the clock to be moved', () =>
			existsSync(`${file}.done`) && readFileSync(`${file}.done`, 'utf8') === text ? true : undefined,
		);
	}
	return {
		env: { TEST_CLOCK: file, NODE_OPTIONS: `--import ${join(__dirname, 'movedClock.mjs')}` },
		now: () => Date.now() + passed + moved,
		async pass(relay, ms) {
			passed += ms;
			await apply(relay);
		},
		async move(relay, ms) {
			moved += ms;
			await apply(relay);
		},
	};
}
