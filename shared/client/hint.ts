import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';

/**
 * The sentence for every call that certainly did nothing.
 * @example throw new Error(`Choose a sender. ${NOTHING_CHARGED}`);
 */
export const NOTHING_CHARGED = 'Nothing was sent or charged.';

/** The next step for any call that may have been accepted. */
export const UNKNOWN_HINT =
	'It may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.';

const ADDRESS_ADVICE = 'Check the base URL: it must be the address of your service and end in /api/v1/.';

/** The next step after a response that does not come from the service. */
export const ADDRESS_HINT = `${ADDRESS_ADVICE} If it is correct, this version cannot read the responses of the service.`;

/**
 * The next step for a call that may have been accepted.
 * @example unknownHint(contract.verification.start) // 'A code may have been sent and charged. ...'
 */
export function unknownHint({ hints }: Endpoint): string {
	return hints?.unknown ?? UNKNOWN_HINT;
}

/** The next step after JSON without a clear yes. */
export function doubtHint(endpoint: Endpoint): string {
	return `${unknownHint(endpoint)} If this happens each time, \`npm run doctor\` names the fields to add for your service.`;
}

/** The next step for an accepted call whose response cannot be read. */
export function acceptedHint({ hints }: Endpoint): string {
	return hints?.accepted ?? 'It was accepted and may have been charged. Do not send it again.';
}

/** The facts about a rejected call. */
export interface RejectedCall {
	/** The message of the rejection, usually in the service's words. */
	readonly message: string;
	readonly status: number;
	readonly meaning: ErrorCode | undefined;
	/** How long the service asks to wait, in milliseconds. */
	readonly retryAfterMs: number | undefined;
	/** Whether the service gives a reason. */
	readonly hasReason: boolean;
	/** Whether the service has accepted the key before. */
	readonly keyWorked: boolean;
}

/** The next step after a rejection. For a call that costs money, says that nothing was charged, unless the service does. */
export function hintFor(endpoint: Endpoint, rejected: RejectedCall): string {
	const advice = adviceFor(endpoint, rejected);
	const alreadySaid = /\bnothing was (sent or )?charged\b/i.test(rejected.message);
	return endpoint.charges && !alreadySaid ? `${advice} ${NOTHING_CHARGED}` : advice;
}

function adviceFor(endpoint: Endpoint, rejected: RejectedCall): string {
	const { status, meaning, retryAfterMs, hasReason, keyWorked } = rejected;
	switch (meaning) {
		case 'invalid_key':
			if (status === 403) {
				return "This API key doesn't have permission for this. In the dashboard, check its permissions, and that it belongs to the right account.";
			}
			return keyWorked
				? 'This API key worked a moment ago, so it was probably just rotated or revoked in the dashboard. Use the new key.'
				: 'Check the API key. It may be mistyped, rotated or revoked in the dashboard, or belong to another base URL.';
		case 'insufficient_balance':
			return 'Top up the wallet, then try again.';
		case 'opted_out':
			return 'You may not send to recipients who opted out. Remove them from your list.';
		case 'sender_not_approved':
			return 'Choose an approved sender ID of your account.';
		case 'channel_not_set_up':
			return endpoint.setUp?.hint ?? 'This channel is not set up for your account. Ask the service for it.';
		case 'domain_not_verified':
			return 'Verify your domain and sender address in the dashboard, then try again. A new DNS record may take some hours to take effect.';
		case 'failed_send':
			return 'Check the recipient, or try again later.';
		case 'wrong_code':
			return 'Ask the person to enter the code again.';
		case 'expired_code':
		case 'too_many_tries':
		case 'used_code':
			return 'Send a new code.';
		case 'not_found':
			return endpoint.errors.includes('not_found') ? notFoundHint(endpoint, rejected) : ADDRESS_ADVICE;
		case 'rate_limited':
			return retryAfterMs === undefined
				? 'Try again later, and more slowly.'
				: `Wait ${formatWait(retryAfterMs)}, then try again more slowly.`;
		case 'server_error':
			return 'The service has a problem on its side. Try again later.';
		default:
			if (status === 404) return ADDRESS_ADVICE;
			if (status === 408) return 'The service took too long. Try again later.';
			if (status === 407) return 'A proxy between here and the service requires a login. Check the proxy settings.';
			return hasReason
				? 'Correct the problem that the service reports, then try again.'
				: 'Check every field, and your account in the dashboard, or ask the service.';
	}
}

/** Words that any server has for an address that does not exist. */
const BARE_NOT_FOUND = /^\W*(error|http)?\W*(404)?\W*not[\s_-]?found\W*$/i;

/** If the key has worked, or the service has words of its own about the record, the base URL is right. */
function notFoundHint({ path }: Endpoint, { message, keyWorked }: RejectedCall): string {
	const record = `Check the ${path.includes('{reference}') ? 'reference' : 'ID'}, and that the key belongs to the same account.`;
	return keyWorked || !BARE_NOT_FOUND.test(message) ? record : `${record} ${ADDRESS_ADVICE}`;
}

function formatWait(milliseconds: number): string {
	const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
	if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
	const minutes = Math.ceil(seconds / 60);
	return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
