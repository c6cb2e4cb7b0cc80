import { InputError, type Outcome } from '../../../shared';
import { checkGuards, type Intended } from './guards';
import type { Run } from './operation';
import { claimKeys, settleKeys, usedKeyRow, type UsedKeyRow } from './sendOnce';

/** Something that is about to be sent. */
export interface Candidate {
	readonly sendOnceKey?: string;
}

/** What of the candidates may be sent. */
export interface Admission {
	/** The row of a candidate that is not sent because its Send Once Key was used before, if so. */
	instead(index: number): UsedKeyRow | undefined;
	/**
	 * Ends it: Send Once Keys and limits of what was certainly not accepted may be used again.
	 * @param outcomes what became of the candidates, by their place; undefined where nothing left
	 * @param unsent what of the intended was certainly not accepted
	 */
	settle(outcomes: ReadonlyArray<Outcome<unknown> | undefined>, unsent: readonly Intended[]): Promise<void>;
}

/**
 * Decides before anything is sent what may be: each Send Once Key is claimed for one candidate, and the guards are asked
 * about the rest.
 * @param candidates by their place; undefined for what is no message, or was sent before in this run
 * @param intendedBy what is about to be sent, given which candidates are
 * @returns why nothing of them is sent, if so
 */
export async function admit(
	run: Run,
	candidates: ReadonlyArray<Candidate | undefined>,
	intendedBy: (leaves: (index: number) => boolean) => readonly Intended[],
): Promise<Admission | InputError> {
	const holders = new Map<string, number>();
	candidates.forEach((candidate, index) => {
		const key = candidate?.sendOnceKey;
		if (key !== undefined && !holders.has(key)) holders.set(key, index);
	});
	const claimed = await claimKeys(run, new Set(holders.keys()));
	if (claimed instanceof InputError) return claimed;
	const usedKey = (index: number) => {
		const key = candidates[index]?.sendOnceKey;
		return key === undefined || (claimed.has(key) && holders.get(key) === index) ? undefined : key;
	};
	const intended = intendedBy((index) => candidates[index] !== undefined && usedKey(index) === undefined);
	const guards = await checkGuards(run, intended);
	if (guards instanceof InputError) {
		await settleKeys(run, new Map([...claimed].map((key) => [key, undefined])));
		return guards;
	}
	return {
		instead: (index) => {
			const key = usedKey(index);
			return key === undefined ? undefined : usedKeyRow(run, key);
		},
		settle: async (outcomes, unsent) => {
			guards.giveBack(unsent);
			const ofKeys = [...holders].filter(([key]) => claimed.has(key));
			await settleKeys(run, new Map(ofKeys.map(([key, index]) => [key, outcomes[index]])));
		},
	};
}
