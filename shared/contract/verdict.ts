/**
 * Verdicts of a response about a code. `right`: it clearly says that the code is correct. `only_success`: it says only that
 * the request succeeded, which may be true for a wrong code as well. `unclear`: neither, or both.
 */
export const verdicts = ['right', 'wrong', 'only_success', 'unclear'] as const;

/** One of {@link verdicts}. */
export type Verdict = (typeof verdicts)[number];

/** Names of the verdict. Only exactly `true` is a yes; a no under any of them, alone or in a longer name, is a no. */
export const VALID_NAMES: ReadonlySet<string> = new Set([
	...['valid', 'validated', 'verified', 'match', 'matched', 'matches', 'correct', 'approved', 'confirmed', 'passed'],
]);

/** Statuses that say that the code is correct. */
export const VALID_WORDS: ReadonlySet<string> = new Set([
	...['yes', 'valid', 'verified', 'approved', 'correct', 'match', 'matched', 'confirmed', 'passed'],
]);
