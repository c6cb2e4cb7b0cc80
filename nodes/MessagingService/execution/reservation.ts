import { InputError, type Outcome, type ServiceError } from '../../../shared';
import { checkGuards, type PlannedSend } from './guards';
import { reusedKey, type KeyedMessage } from './idempotency/keyedMessage';
import { claimKeys, settleKeys, type KeyState } from './idempotency/sendOnceKeys';
import type { Run } from './operation';

/** Which messages of a run may be sent. */
export interface Reservation {
	/** Why nothing new may be sent; undefined if it may. */
	readonly error?: ServiceError;
	/** The item that the error is about; undefined if it is about the whole run. */
	readonly index?: number;
	/** The state of the Send Once Key of an item; undefined if it has none, or if it is not known. */
	stateOf(index: number): KeyState | undefined;
	/**
	 * Ends the reservation: releases the Send Once Keys and limits of messages that were certainly not accepted.
	 * @param outcomes of the items, by index; undefined if nothing was sent
	 * @param unsent messages that were certainly not accepted
	 */
	settle(outcomes: ReadonlyArray<Outcome<unknown> | undefined>, unsent: readonly PlannedSend[]): Promise<void>;
}

/**
 * Decides which messages may be sent, before the first is sent. Claims their Send Once Keys, then checks the guards for
 * the rest. A run that has to stop sends nothing if a key belongs to another message.
 * @param keyed the messages under Send Once Keys, by item index. No two of them have the same key
 * @param held items whose keys this run claimed in an earlier try
 * @param intendedBy returns the messages for the guards
 */
export async function reserve(
	run: Run,
	keyed: ReadonlyArray<KeyedMessage | undefined>,
	held: ReadonlySet<number>,
	intendedBy: (stateOf: Reservation['stateOf']) => readonly PlannedSend[],
): Promise<Reservation> {
	// With a relay, n8n's own store holds no keys. The relay claims each one when its message is sent.
	const messages = run.relay ? [] : keyed;
	const claims = messages.flatMap((message, index) => (message && !held.has(index) ? [message] : []));
	const states = await claimKeys(run, claims);
	if (states instanceof InputError) return notReserved(states);
	const claimed = claims.filter(({ key }) => states.get(key) === 'new');
	const stateOf = (index: number) => {
		const message = messages[index];
		return message && !held.has(index) ? states.get(message.key) : undefined;
	};
	const blocked = async (error: ServiceError, index?: number): Promise<Reservation> => {
		await settleKeys(run, new Map(claimed.map((message) => [message, undefined])));
		return { ...notReserved(error), stateOf, ...(index !== undefined && { index }) };
	};
	const reused = messages.findIndex((_, index) => stateOf(index) === 'reused');
	const first = messages[reused];
	if (run.stops && first) return await blocked(reusedKey(first, first.to), reused);
	const guards = await checkGuards(run, intendedBy(stateOf));
	if (guards instanceof InputError) return await blocked(guards);
	return {
		stateOf,
		settle: async (outcomes, unsent) => {
			guards.giveBack(unsent);
			const byMessage = new Map<KeyedMessage, Outcome<unknown> | undefined>();
			for (const [index, message] of messages.entries()) {
				const outcome = outcomes[index];
				if (!message || !(held.has(index) || stateOf(index) === 'new')) continue;
				if (!held.has(index) || outcome) byMessage.set(message, outcome);
			}
			await settleKeys(run, byMessage);
		},
	};
}

/** Nothing new may be sent, and it is not known which keys were used before. */
export function notReserved(error: ServiceError): Reservation {
	return { error, stateOf: () => undefined, settle: () => Promise.resolve() };
}
