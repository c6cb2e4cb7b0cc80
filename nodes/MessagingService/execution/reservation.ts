import { InputError, type Outcome, type ServiceError } from '../../../shared';
import { checkGuards, type PlannedSend } from './guards';
import type { Run } from './operation';
import { claimKeys, settleKeys, usedKeyRow, type UsedKeyRow } from './idempotency/sendOnceKeys';

/** A message that is about to be sent. */
export interface Candidate {
	readonly sendOnceKey?: string;
}

/** The rows of candidates that are skipped. */
export interface SkippedCandidates {
	/**
	 * The row of a candidate whose Send Once Key was used before this run; undefined for any other. Candidates that share
	 * a new key may all be sent: the caller sends the next one only if those before it were certainly not accepted.
	 */
	skippedRow(index: number): UsedKeyRow | undefined;
}

/** Nothing may be sent. */
export interface NotReserved extends SkippedCandidates {
	readonly error: ServiceError;
}

/** The result of {@link reserve}: which candidates may be sent. */
export interface Reservation extends SkippedCandidates {
	readonly error?: undefined;
	/**
	 * Checks the guards for messages that replace others which were certainly not accepted. Example: the next item with
	 * the same Send Once Key.
	 * @param unsent messages that were certainly not accepted; don't pass them to {@link settle} again
	 * @returns an error if none of the new messages may be sent
	 */
	reserveMore(unsent: readonly PlannedSend[], intended: readonly PlannedSend[]): Promise<InputError | undefined>;
	/**
	 * Ends the reservation: releases the Send Once Keys and limits of messages that were certainly not accepted.
	 * @param outcomes of the candidates, by index; undefined if nothing was sent
	 * @param unsent messages that were certainly not accepted
	 */
	settle(outcomes: ReadonlyArray<Outcome<unknown> | undefined>, unsent: readonly PlannedSend[]): Promise<void>;
}

/**
 * Decides which candidates may be sent, before the first is sent. Claims their Send Once Keys, then checks the guards
 * for the rest.
 * @param candidates by index; undefined for an item that sends nothing, or was sent earlier in this run
 * @param intendedBy returns the messages of the candidates that may be sent, one for all candidates that share a key
 * @returns the reservation, or the error if nothing may be sent
 */
export async function reserve(
	run: Run,
	candidates: ReadonlyArray<Candidate | undefined>,
	intendedBy: (maySend: (index: number) => boolean) => readonly PlannedSend[],
): Promise<Reservation | NotReserved> {
	// With a relay, n8n's own store holds no keys. The relay claims each one when its message is sent.
	const keyOf = (index: number) => (run.relay ? undefined : candidates[index]?.sendOnceKey);
	const keys = new Set([...candidates.keys()].flatMap((index) => keyOf(index) ?? []));
	const claimed = await claimKeys(run, keys);
	if (claimed instanceof InputError) return notReserved(claimed);
	const usedKey = (index: number) => {
		const key = keyOf(index);
		return key === undefined || claimed.has(key) ? undefined : key;
	};
	const skippedRow = (index: number) => {
		const key = usedKey(index);
		return key === undefined ? undefined : usedKeyRow(run, key);
	};
	const intended = intendedBy((index) => candidates[index] !== undefined && usedKey(index) === undefined);
	const guards = await checkGuards(run, intended);
	if (guards instanceof InputError) {
		await settleKeys(run, new Map([...claimed].map((key) => [key, undefined])));
		return { error: guards, skippedRow };
	}
	return {
		skippedRow,
		reserveMore: async (unsent, more) => {
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

/** Nothing may be sent, and it is not known which keys were used before. */
export function notReserved(error: ServiceError): NotReserved {
	return { error, skippedRow: () => undefined };
}
