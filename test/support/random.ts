import fc from 'fast-check';

/** The seed of `npm test` and CI, so that a test does not pass or fail by luck. */
const FIXED_SEED = 20_261_122;

/**
 * The seed of all random inputs of a test file, set by the environment variable `SEED`: a number, or `random` for a new one.
 * Without it, the seed is always the same.
 */
export const seed = readSeed(process.env.SEED);

fc.configureGlobal({ seed });

/** fast-check with {@link seed}. */
export { fc };

/** Whether tests run with their full counts: `npm run test:long`. */
export const isLong = process.env.LONG === '1';

/**
 * The number of random inputs of a test: a sixth of the full count, or all of it in `npm run test:long`. The environment
 * variable `RUNS` sets another number.
 */
export function runCount(full: number): number {
	return Number(process.env.RUNS ?? (isLong ? full : Math.ceil(full / 6)));
}

/** @throws Error unless the value is empty, `random` or an integer */
function readSeed(value: string | undefined): number {
	if (value === undefined || value === '') return FIXED_SEED;
	if (value !== 'random') {
		if (!/^-?\d{1,10}$/.test(value)) throw new Error(`SEED is ${value}. Set it to an integer or to random.`);
		return Number(value);
	}
	const drawn = Math.floor(Math.random() * 2 ** 31);
	process.stdout.write(`SEED=${drawn} repeats the random inputs of ${expect.getState().testPath ?? 'this file'}\n`);
	return drawn;
}
