import { SEND_ONCE_ADVICE, shownSendOnceKey } from '../../shared';

/** The step sends nothing, because an earlier run with the key has an unknown outcome. */
export const MAY_HAVE_SENT =
	'An earlier run with this Send Once Key may have sent this, so this run did not send it again.';

/**
 * The problem of a Send Once Key that an earlier run used for another message or recipient, after the label of the field.
 * @param recipients of this run, or of one request; not empty
 * @param reused the recipient who got the other message, if a relay names one of several
 */
export function reuseProblem(key: string, recipients: readonly string[], reused?: string): string {
	const name = JSON.stringify(shownSendOnceKey(key));
	if (reused !== undefined) {
		const all = `the ${recipients.length} numbers of its request`;
		return `${name} was already used for another message to ${reused}, so nothing was sent to ${all}`;
	}
	const [first = '', ...more] = recipients;
	const others = more.length === 0 ? '' : ` and ${more.length} more`;
	return `${name} was already used for another message or recipient, so ${first}${others} got no message`;
}

/** The sentences of {@link reuseProblem}, with the next step. */
export function keyReused(key: string, recipients: readonly string[]): string {
	return `Send Once Key ${reuseProblem(key, recipients)}. Nothing was sent or charged. To send it, ${SEND_ONCE_ADVICE}.`;
}
