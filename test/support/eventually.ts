import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until there is a result.
 *
 * @param what the thing to wait for, named in the error
 * @param poll returns the result, or undefined while there is none
 * @param withinMs how long to wait, in milliseconds
 * @throws Error when the time is up
 */
export async function eventually<T>(
	what: string,
	poll: () => Promise<T | undefined> | T | undefined,
	withinMs = 30_000,
): Promise<T> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		const result = await poll();
		if (result !== undefined) return result;
		if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s for ${what}, without success`);
		await sleep(50);
	}
}
