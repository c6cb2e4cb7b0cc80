/** Registers work for the end of the test file. It runs after all its hooks, in the order of registration. */
export type AtFileEnd = (work: () => void | Promise<void>) => void;

/** Loads a module outside of jest's modules, once for all test files of a process. */
export type RequireOutside = (file: string) => unknown;

declare global {
	var atFileEnd: AtFileEnd | undefined;
	var requireOutside: RequireOutside | undefined;
}

/**
 * Runs work at the end of the test file, also if jest is interrupted. Work that takes time is not awaited then.
 *
 * @throws Error outside of `fileEnvironment.ts`
 */
export const atFileEnd: AtFileEnd = (work) => {
	if (globalThis.atFileEnd === undefined)
		throw new Error('The jest configuration lacks testEnvironment: fileEnvironment.ts.');
	globalThis.atFileEnd(work);
};

/**
 * Loads a module outside of jest's modules, once for all test files of a process.
 *
 * @throws Error outside of `fileEnvironment.ts`
 */
export const requireOutside: RequireOutside = (file) => {
	if (globalThis.requireOutside === undefined)
		throw new Error('The jest configuration lacks testEnvironment: fileEnvironment.ts.');
	return globalThis.requireOutside(file);
};
