import type { IDataObject } from 'n8n-workflow';
import { ApiError, UnknownOutcomeError, type FailedOutcome, type Outcome, type ServiceError } from '../../../../shared';
import type { Run } from '../operation';
import { skipped } from '../outputItems';
import { whenOf } from './ledger';
import type { RelayKeys } from './relayKeys';
import { withoutCharges } from './sendOnceKeys';

/** The relay's code for a key that belongs to another content (docs/relay.md#responses). */
const REUSED = 'idempotency_key_reused';
const REUSED_STATUS = 422;

/**
 * Reads what a relay said about a call with idempotency keys. A message that was sent before under its Send Once Key
 * becomes a skipped row. A key of a message with another content becomes an error.
 * @param outcome of the call
 * @param finished the same, as the operation shows it
 */
export function readRelayed(
	run: Run,
	{ madeFrom, options }: RelayKeys,
	outcome: Outcome<unknown>,
	finished: Outcome<unknown>,
): Outcome<unknown> {
	if (outcome.outcome === 'rejected' && outcome.error.code === REUSED) {
		if (madeFrom === 'send once key') return rejectedReuse(outcome.error);
		return { ...outcome, outcome: 'unknown', error: handledBefore(run, outcome.error) };
	}
	// A bulk send has a row for each recipient.
	if (options.idempotencyKeys || outcome.outcome !== 'accepted' || finished.outcome !== 'accepted') return finished;
	const { relay } = outcome;
	if (madeFrom !== 'send once key' || !relay?.replayed) return finished;
	return skipped(alreadySent(finished.output, relay.settledBy === 'person'));
}

/** The sentence about a message that was sent before under its Send Once Key. */
export const SENT_UNDER_KEY = 'This message was already sent under its Send Once Key. Nothing was sent or charged now.';

function alreadySent(first: unknown, settled: boolean): IDataObject {
	const note = settled ? ' A person settled it in the relay, so its fields are not known.' : '';
	return {
		...withoutCharges(first),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `${SENT_UNDER_KEY}${note}`,
	};
}

/** The message that a call has under one of its Send Once Keys. */
export interface KeyedContent {
	/** Names the key among all of the run. */
	readonly key: string;
	/** The message as text. */
	readonly content: string;
}

/**
 * Predicts the response of a relay to keys that earlier items of the dry run have, with another message. A key that is new
 * in the run now belongs to its message.
 * @param endpoint ID of the endpoint
 * @returns the rejection, in the words of a real run; undefined if the relay would forward the call
 */
export function predictReuse(
	{ relay, dryRun }: Run,
	endpoint: string,
	keyed: readonly KeyedContent[],
): FailedOutcome | undefined {
	if (!relay || !dryRun) return undefined;
	const { contents } = dryRun;
	if (keyed.some(({ key, content }) => (contents.get(key) ?? content) !== content)) {
		return rejectedReuse({ endpoint, status: REUSED_STATUS, code: REUSED });
	}
	for (const { key, content } of keyed) contents.set(key, content);
	return undefined;
}

function rejectedReuse(error: ErrorPlace): FailedOutcome {
	return { outcome: 'rejected', error: usedForAnother(error) };
}

type ErrorPlace = Pick<ServiceError, 'endpoint' | 'status' | 'code'>;

/** The error of a Send Once Key that belongs to another message. The relay sent nothing. */
function usedForAnother({ endpoint, status, code }: ErrorPlace): ApiError {
	const message =
		'Send Once Key was used before for another message. Its recipient, text, sender or time was not the same';
	const hint =
		'Use a new key for a new message, and keep a message unchanged under its key. Nothing was sent or charged.';
	return new ApiError(message, { endpoint, sent: 'no', status, code, hint });
}

/**
 * The error of a message that another process of the execution has handled, with another content. Only the content
 * differs, so it is not known whether that process sent it.
 */
function handledBefore({ executionId }: Run, { endpoint, status, code }: ServiceError): UnknownOutcomeError {
	const when = whenOf(executionId);
	const message = `Another process handled it ${when}, with different text or time`;
	const hint =
		'Nothing was sent or charged now. Look for it in your message history and on the page of your relay before you send it again.';
	return new UnknownOutcomeError(message, { endpoint, sent: 'unknown', status, code, hint });
}
