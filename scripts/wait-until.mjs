import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer.
 *
 * @template T
 * @param {string} what what is waited for, for the message
 * @param {() => Promise<T | undefined | false>} ask gives the answer, or nothing yet; what it throws ends the waiting
 * @param {{ withinMs: number, everyMs?: number }} options milliseconds
 * @returns {Promise<T>} the first answer
 * @throws {Error} when the time is up
 */
export async function waitUntil(what, ask, { withinMs, everyMs = 100 }) {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const answer = await ask();
		if (answer) return answer;
		if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s for ${what}, in vain`);
		await sleep(everyMs);
	}
}
