import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer.
 *
 * @param what what is waited for, for the message
 * @param ask gives the answer, or undefined while there is none
 * @param withinMs how long to wait, in milliseconds
 * @throws Error when the time is up
 */
export async function eventually<T>(
	what: string,
	ask: () => Promise<T | undefined> | T | undefined,
	withinMs = 30_000,
): Promise<T> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		const response = await ask();
		if (response !== undefined) return response;
		if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s for ${what}, in vain`);
		await sleep(50);
	}
}
