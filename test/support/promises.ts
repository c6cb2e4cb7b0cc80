/** The promise of an error after which nothing was sent or charged. Users rely on it word for word. */
export const NOTHING_SENT = 'Nothing was sent or charged.';

/** The first words of an error about a message that may have been sent. A toast shows little more. */
export const DOUBT = 'It is unknown whether this was sent: ';

/** The warning of an error with an unknown outcome, in the words that all surfaces use. */
export const MAY_HAVE_BEEN_ACCEPTED = /may have been accepted/;

/**
 * The statement of an error about the messages that the run had already sent.
 * @param count how many
 * @param ids their message IDs, if the error lists them
 */
export function alreadySent(count: number, ...ids: readonly string[]): RegExp {
	return new RegExp(
		`\\b${count} (items?|recipients?) .*already (sent|accepted)${ids.length > 0 ? `.*\\(${ids.join(', ')}\\)` : ''}`,
	);
}
