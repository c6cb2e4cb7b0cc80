import { KEY_REUSED, reusedRecipient, SEND_ONCE_ADVICE, UnknownOutcomeError, type Outcome } from '../../shared';
import type { IdempotencyKeyOf } from './idempotencyKeys';
import { invalid } from './inputs';
import { MAY_HAVE_SENT, reuseProblem } from './sendOnceTexts';

/** An earlier run with the same Send Once Key has an unknown outcome, so this run sent nothing. */
export class EarlierRunError extends UnknownOutcomeError {}

/**
 * Puts the outcome of a call with a Send Once Key in the words of its field. A reused key becomes an error of the field,
 * because only a person can correct it. An unknown outcome of an earlier run becomes an {@link EarlierRunError}.
 * @param keyOf undefined if the keys of the call do not come from a Send Once Key
 * @param recipients of the call; not empty
 */
export function inWordsOfKey<Output>(
	result: Outcome<Output>,
	keyOf: IdempotencyKeyOf | undefined,
	recipients: readonly string[],
): Outcome<Output> {
	if (keyOf === undefined || result.outcome === 'accepted') return result;
	const { error, relay } = result;
	if (result.outcome === 'rejected' && error.code === KEY_REUSED) {
		const reused = reusedRecipient(error, recipients);
		const others = reused === undefined ? '' : ', or leave that number out';
		const problem = `${reuseProblem(keyOf.sendOnceKey, recipients, reused)}: ${SEND_ONCE_ADVICE}${others}`;
		return { ...result, error: invalid('send_once_key', problem) };
	}
	if (result.outcome === 'unknown' && relay?.replayed) {
		const { endpoint, code, status } = error;
		return {
			...result,
			error: new EarlierRunError(MAY_HAVE_SENT, { endpoint, code, status, sent: 'unknown', hint: SETTLE }),
		};
	}
	return result;
}

const SETTLE =
	'Look for it in the message history of the dashboard. Then settle it on the page of the relay, or change the key to send it anyway.';
