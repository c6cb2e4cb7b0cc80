import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until there is a result.
 *
 * @template T
 * @param {string} name the awaited thing, for the error
 * @param {() => Promise<T | undefined | false>} poll returns the result, or undefined or false if there is none yet; an error
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
