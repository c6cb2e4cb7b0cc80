/** The step sends nothing, because an earlier run with the key has an unknown outcome. */
export const MAY_HAVE_SENT =
	'An earlier run with this Send Once Key may have sent this, so this run did not send it again.';

/** What to do if a Send Once Key belongs to another message. */
export const REUSE_ADVICE = 'Nothing was sent or charged. Use a different value for each message, such as an order ID.';
