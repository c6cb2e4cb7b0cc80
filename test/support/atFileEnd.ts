/** Registers work for the end of the test file. It runs after all its hooks, in the order of registration. */
export type AtFileEnd = (work: () => void) => void;

declare global {
	var atFileEnd: AtFileEnd | undefined;
}

/**
 * Runs work at the end of the test file, also if jest is interrupted.
 *
 * @throws Error outside of `fileEnvironment.ts`
 */
export const atFileEnd: AtFileEnd = (work) => {
	if (globalThis.atFileEnd === undefined)
		throw new Error('The jest configuration lacks testEnvironment: fileEnvironment.ts.');
	globalThis.atFileEnd(work);
};
