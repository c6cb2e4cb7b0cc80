import type { IDataObject } from 'n8n-workflow';
import { KEY_REUSED, UnknownOutcomeError, type Outcome, type ServiceError } from '../../../../shared';
import type { Call, Run } from '../operation';
import { skipped } from '../outputItems';
import { recipientOf, reusedKey } from './keyedMessage';
import { whenOf } from './ledger';
import type { RelayKeys } from './relayKeys';
import { withoutCharges } from './sendOnceKeys';

/**
 * Reads what a relay said about a call with idempotency keys. A message that was sent before under its Send Once Key
 * becomes a skipped row. A key of a message with another content becomes an error.
 * @param outcome of the call
 * @param finished the same, as the operation shows it
 */
export function readRelayed(
	run: Run,
	call: Call,
	{ madeFrom, options }: RelayKeys,
	outcome: Outcome<unknown>,
	finished: Outcome<unknown>,
): Outcome<unknown> {
	if (outcome.outcome === 'rejected' && outcome.error.code === KEY_REUSED) {
		// A bulk send has a key for each recipient, so its rows name the keys.
		if (madeFrom === 'send once key')
			return call.sendOnceKey === undefined ? outcome : rejectedKey(outcome.error, call);
		return { ...outcome, outcome: 'unknown', error: handledBefore(run, outcome.error) };
	}
	// A bulk send has a row for each recipient.
	if (options.idempotencyKeys || outcome.outcome !== 'accepted' || finished.outcome !== 'accepted') return finished;
	const { relay } = outcome;
	if (madeFrom !== 'send once key' || !relay?.replayed) return finished;
	return skipped(alreadySent(finished.output, relay.settledBy === 'person'));
}

function rejectedKey({ endpoint, status }: ServiceError, call: Call): Outcome<unknown> {
	const key = { key: call.sendOnceKey ?? '', endpoint, status };
	return { outcome: 'rejected', error: reusedKey(key, recipientOf(call)) };
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
