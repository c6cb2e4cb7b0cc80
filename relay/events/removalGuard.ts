import { logProblem } from '../log';

/** A clock that goes ahead by this much more than the time that passes was set. In milliseconds. */
const JUMP_MS = 600_000;

/** How long nothing is removed after that, in milliseconds. Meanwhile, a person can correct the clock. */
const WAIT_MS = 3_600_000;

/** The clocks by which rows become old, in milliseconds since 1970. */
export type Clocks = ReadonlyMap<'machine' | 'database', number>;

/**
 * Creates a function that says whether old rows may be removed now. A wrong clock would make all of them old at once, so
 * a clock that was set ahead is not believed for an hour. The time that passes is that of `performance.now()`.
 * @param start the clocks at the start of the process, which are believed
 */
export function createRemovalGuard(start: Clocks): (clocks: Clocks) => boolean {
	let offsets = toOffsets(start);
	let waitsUntil = -Infinity;
	return (clocks) => {
		const before = offsets;
		offsets = toOffsets(clocks);
		const [jump] = [...offsets]
			.map(([name, offset]) => ({ name, ms: offset - (before.get(name) ?? offset) }))
			.filter(({ ms }) => ms >= JUMP_MS);
		if (jump) {
			waitsUntil = performance.now() + WAIT_MS;
			logProblem(
				`The clock of the ${jump.name} went ahead by ${inWords(jump.ms)}. So the relay removes nothing for an hour. ` +
					'If the clock is wrong, correct it now. If the machine slept, do nothing',
			);
		}
		return performance.now() >= waitsUntil;
	};
}

/** How far each clock is ahead of `performance.now()`. */
function toOffsets(clocks: Clocks): Clocks {
	const steady = performance.now();
	return new Map([...clocks].map(([name, clock]) => [name, clock - steady]));
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function inWords(ms: number): string {
	if (ms >= 2 * DAY_MS) return `${Math.round(ms / DAY_MS)} days`;
	if (ms >= 2 * HOUR_MS) return `${Math.round(ms / HOUR_MS)} hours`;
	return `${Math.round(ms / 60_000)} minutes`;
}
