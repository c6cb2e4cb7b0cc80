import { InputError, type Outcome } from '../../../shared';
import { checkGuards, type PlannedSend } from './guards';
import type { Run } from './operation';
import { claimKeys, settleKeys, usedKeyRow, type UsedKeyRow } from './sendOnce';

/** Something that is about to be sent. */
export interface Candidate {
	readonly sendOnceKey?: string;
}

/** What of the candidates may be sent. */
export interface Reservation {
	/**
	 * The row of a candidate that is not sent because its Send Once Key was used before this run, if so. Of candidates that
	 * share a key, all are admitted: the caller sends the next one only if those before it were certainly not accepted.
	 */
	instead(index: number): UsedKeyRow | undefined;
	/**
	 * Asks the guards about messages in place of others that were certainly not accepted, as when the next item with the same
	 * Send Once Key is sent.
	 * @param unsent what of the intended was certainly not accepted: {@link settle} is not to be given it again
	 * @returns why nothing of it is sent, if so
	 */
	further(unsent: readonly PlannedSend[], intended: readonly PlannedSend[]): Promise<InputError | undefined>;
	/**
	 * Ends it: Send Once Keys and limits of what was certainly not accepted may be used again.
	 * @param outcomes what became of the candidates, by their place; undefined where nothing left
	 * @param unsent what of the intended was certainly not accepted
	 */
	settle(outcomes: ReadonlyArray<Outcome<unknown> | undefined>, unsent: readonly PlannedSend[]): Promise<void>;
}

/**
 * Decides before anything is sent what may be: the Send Once Keys are claimed, and the guards are asked about the rest.
 * @param candidates by their place; undefined for what is no message, or was sent before in this run
 * @param intendedBy what is about to be sent, given which candidates are; of candidates that share a key, one is
 * @returns why nothing of them is sent, if so
 */
export async function reserve(
	run: Run,
	candidates: ReadonlyArray<Candidate | undefined>,
	intendedBy: (leaves: (index: number) => boolean) => readonly PlannedSend[],
): Promise<Reservation | InputError> {
	const keyOf = (index: number) => candidates[index]?.sendOnceKey;
	const keys = new Set(candidates.flatMap((candidate) => candidate?.sendOnceKey ?? []));
	const claimed = await claimKeys(run, keys);
	if (claimed instanceof InputError) return claimed;
	const usedKey = (index: number) => {
		const key = keyOf(index);
		return key === undefined || claimed.has(key) ? undefined : key;
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
		further: async (unsent, more) => {
			guards.giveBack(unsent);
			const checked = await checkGuards(run, more);
			return checked instanceof InputError ? checked : undefined;
		},
		settle: async (outcomes, unsent) => {
			guards.giveBack(unsent);
			const byKey = new Map<string, Outcome<unknown> | undefined>([...claimed].map((key) => [key, undefined]));
			for (const index of candidates.keys()) {
				const key = keyOf(index);
				const outcome = outcomes[index];
				if (key === undefined || !claimed.has(key) || outcome === undefined) continue;
				if (outcome.outcome !== 'rejected') byKey.set(key, outcome);
			}
			await settleKeys(run, byKey);
		},
	};
}
