import type { Outcome } from '../client/outcome';
import type { Recipient } from './recipients';
import { namedRecipients } from './namedRecipients';

/**
 * Single numbers of long batches that must be rejected in the same words, with nothing accepted in between. If half of a
 * list is wrong, 12 in a row are all wrong once in 4,096 runs.
 */
const ENOUGH = 12;

/** The step between the places of the samples, as a fraction of a batch. Multiples of the golden ratio are spread evenly. */
const STEP = 0.618_034;

/** Fewest numbers of a batch from which one is sent alone. Halving a shorter one takes few requests. */
const FEWEST = 10;

/** Finds out whether a service rejects everything, for example because its gateway is down. */
export interface Outage {
	/**
	 * Learns the outcome of a request.
	 * @param isAlone whether it has one number, sent alone because of {@link sampleOf}. Other single numbers are no sample,
	 * because halving finds the wrong ones.
	 */
	readonly learn: (recipients: readonly Recipient[], result: Outcome<unknown>, isAlone: boolean) => void;
	/** The place of the recipient of a rejected batch that should be sent alone; undefined if none should. */
	readonly sampleOf: (recipients: readonly Recipient[]) => number | undefined;
	/** Whether single numbers show that the service rejects everything. */
	readonly isCertain: () => boolean;
}

/**
 * Makes the memory of one run. Opt-outs and rejections that name their number are never signs of an outage.
 * @example const outage = watchForOutage(); outage.learn(recipients, result, false);
 */
export function watchForOutage(): Outage {
	/** Requests rejected since the last one that was not. Nothing has been accepted at first. */
	let rejected = ENOUGH;
	let alone = 0;
	let samples = 0;
	let words: string | undefined;
	return {
		learn: (recipients, result, isAlone) => {
			if (result.outcome !== 'rejected') {
				rejected = 0;
				alone = 0;
				return;
			}
			const { message, status, meaning } = result.error;
			if (status !== 422) return;
			rejected++;
			if (!isAlone || meaning === 'opted_out' || namedRecipients(message, recipients).length > 0) return;
			alone = message === words ? alone + 1 : 1;
			words = message;
		},
		sampleOf: ({ length }) => {
			if (length < FEWEST || rejected < ENOUGH) return undefined;
			return Math.floor(((samples++ * STEP) % 1) * length);
		},
		isCertain: () => alone >= ENOUGH,
	};
}
