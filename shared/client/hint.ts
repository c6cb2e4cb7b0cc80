import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';

/** What to do about a call that may have been accepted. */
export const UNKNOWN_HINT =
	'It may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.';

/** What to do about a call that was accepted with an answer that cannot be read. */
export const ACCEPTED_HINT = 'It was accepted and may have been charged: do not send it again.';

/** What to do about an answer that is not the service's. */
export const ADDRESS_HINT =
	'Check that the base URL is the one of your service and ends in /api/v1/. If it is, the service answers in a form that this version does not know.';

/**
 * What to do about a refusal, and whether it cost anything.
 * @param retryAfterMs how long the service asked to wait, in milliseconds
 */
export function hintFor(
	endpoint: Endpoint,
	status: number,
	meaning: ErrorCode | undefined,
	retryAfterMs: number | undefined,
): string {
	const free = endpoint.charges ? ' Nothing was charged.' : '';
	switch (meaning) {
		case 'invalid_key':
			return 'Check the API key: it may have been mistyped, rotated or revoked in the dashboard, or belong to another base URL.';
		case 'insufficient_balance':
			return `Top up the wallet, then send again.${free}`;
		case 'opted_out':
			return `The recipient has opted out of your messages: take the number off your list.${free}`;
		case 'sender_not_approved':
			return `Choose an approved sender ID of your account.${free}`;
		case 'channel_not_set_up':
			return `This channel is not set up for your account: ask for it in the dashboard.${free}`;
		case 'wrong_code':
			return 'Let the person type the code again.';
		case 'expired_code':
		case 'too_many_tries':
			return 'Send a new code.';
		case 'not_found':
			return endpoint.path.includes('{')
				? 'Check the ID, and that the base URL is the one of your service and ends in /api/v1/.'
				: `Check that the base URL is the one of your service and ends in /api/v1/.${free}`;
		case 'rate_limited':
			return `Send more slowly${retryAfterMs === undefined ? '' : `, and next in ${inWords(retryAfterMs)}`}.${free}`;
		case 'server_error':
			return 'The service has trouble of its own: try again later.';
		default:
			return status === 407
				? `A proxy on the way to the service wants a login: check the proxy settings.${free}`
				: `Correct what the service names, then try again.${free}`;
	}
}

function inWords(milliseconds: number): string {
	const seconds = Math.ceil(milliseconds / 1000);
	if (seconds < 120) return `${seconds} seconds`;
	const minutes = Math.ceil(seconds / 60);
	return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
