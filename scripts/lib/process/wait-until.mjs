import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines } from '../bootstrap/log-lines.mjs';
import { SetupError } from '../setup-error.mjs';

/**
 * Polls until there is a result.
 *
 * @template T
 * @param {string} name the awaited thing, for the error
 * @param {() => T | undefined | false | Promise<T | undefined | false>} poll returns the result, or undefined or false if there is none yet; an error
 * ends the wait
 * @param {{ withinMs: number, everyMs?: number }} options milliseconds
 * @returns {Promise<T>} the first result
 * @throws {Error} after `withinMs`
 */
export async function waitUntil(name, poll, { withinMs, everyMs = 100 }) {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const result = await poll();
		if (result) return result;
		if (performance.now() > deadline) throw new Error(`Not ready after ${withinMs / 1000} s: ${name}`);
		await sleep(everyMs);
	}
}

/**
 * Polls until a started program is ready.
 *
 * @template T
 * @param {import('./processes.mjs').Started} started
 * @param {string} logFile its output
 * @param {() => T | undefined | false | Promise<T | undefined | false>} poll as for `waitUntil`
 * @param {Parameters<typeof waitUntil>[2]} options
 * @returns {Promise<T>} the first result
 * @throws {SetupError} if the program ends, with the end of its output
 * @throws {Error} after `withinMs`
 */
export async function waitUntilReady({ name, ended }, logFile, poll, options) {
	/** @type {string | undefined} */
	let reason;
	void ended.catch(String).then((ending) => (reason = ending));
	return await waitUntil(
		name,
		async () => {
			if (reason === undefined) return await poll();
			throw new SetupError(
				`${name} ended with ${reason} before it was ready. The last lines of ${logFile}:\n\n${lastLines(logFile, 25)}`,
			);
		},
		options,
	);
}
