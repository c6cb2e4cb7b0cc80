import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';

/** What to do about a call that may have been accepted, whatever it was. */
export const UNKNOWN_HINT =
	'It may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.';

/** What to do about an answer that is not the service's. */
export const ADDRESS_HINT =
	'Check that the base URL is the one of your service and ends in /api/v1/. If it is, the service answers in a form that this version does not know.';

/** Of a call that sends no message, or that has more to be said about it: what to do where it may have been accepted. */
const UNKNOWN_HINTS: Readonly<Record<string, string>> = {
	'sms.sendBulk':
		'All or part of it may have been accepted and charged. Look for it in the message history of the dashboard before you send it again.',
	'verification.start':
		'A code may have been sent and charged. Ask the person whether one came before you send another.',
	'verification.check':
		'The code may have been checked all the same. Checking it again uses another of the tries, and a right code may count only once.',
	'lookup.phone': 'The lookup may have been made and charged. Looking the number up again may be charged again.',
	'wallet.createTopUp':
		'A link may have been made, but nothing is paid before somebody opens it: you can make another one.',
	'contact.create': 'The contact may have been added. Look for it in your contacts before you add it again.',
};

/** Of a call that sends no message: what to do where it was accepted with an answer that cannot be read. */
const ACCEPTED_HINTS: Readonly<Record<string, string>> = {
	'verification.check': 'The code was checked. Checking it again uses another of the tries.',
	'lookup.phone': 'The lookup was made and may have been charged. Looking the number up again may be charged again.',
	'wallet.createTopUp': 'The link was made, but nothing is paid before somebody opens it: you can make another one.',
	'contact.create': 'The contact was added: do not add it again.',
};

/** What has to be there before a channel can be used (docs/api.md#channels). */
const SET_UP_HINTS: Readonly<Record<string, string>> = {
	'whatsapp.send':
		'WhatsApp Business has to be set up on the platform and enabled on your account: ask the service for it.',
	'email.send': 'Email needs a verified domain and sender address of yours: set them up in the dashboard.',
	'voice.send': 'Calls need a voice gateway, which the administrator of the platform sets up: ask the service for it.',
	'lookup.phone': 'Phone lookup has to be configured on the platform: ask the service for it.',
};

/** What to do about a call that may have been accepted. */
export function unknownHint({ id }: Endpoint): string {
	return UNKNOWN_HINTS[id] ?? UNKNOWN_HINT;
}

/** What to do about a call that was accepted with an answer that cannot be read. */
export function acceptedHint({ id }: Endpoint): string {
	return ACCEPTED_HINTS[id] ?? 'It was accepted and may have been charged: do not send it again.';
}

/** What is known of a refusal. */
export interface RejectedCall {
	readonly status: number;
	readonly meaning: ErrorCode | undefined;
	/** How long the service asked to wait, in milliseconds. */
	readonly retryAfterMs: number | undefined;
	/** Whether the service says in words why. */
	readonly worded: boolean;
	/** Whether the service has taken the key before. */
	readonly keyWorked: boolean;
}

/** What to do about a refusal, and whether it cost anything. */
export function hintFor(endpoint: Endpoint, refused: RejectedCall): string {
	const advice = adviceFor(endpoint, refused);
	return endpoint.charges ? `${advice} Nothing was charged for it.` : advice;
}

function adviceFor(endpoint: Endpoint, { status, meaning, retryAfterMs, worded, keyWorked }: RejectedCall): string {
	switch (meaning) {
		case 'invalid_key':
			if (status === 403) {
				return 'The key may not do this: check in the dashboard what it is allowed to do, and whether it is the key of the right account.';
			}
			return keyWorked
				? 'The key was taken a moment ago and is refused now, so it was probably rotated or revoked in the dashboard meanwhile. Give the new key.'
				: 'Check the API key: it may have been mistyped, rotated or revoked in the dashboard, or belong to another base URL.';
		case 'insufficient_balance':
			return 'Top up the wallet, then try again.';
		case 'opted_out':
			return 'Who has opted out may not be written to: take the number off your list.';
		case 'sender_not_approved':
			return 'Choose an approved sender ID of your account.';
		case 'channel_not_set_up':
			return SET_UP_HINTS[endpoint.id] ?? 'This channel is not set up for your account: ask the service for it.';
		case 'domain_not_verified':
			return 'Verify your domain and sender address in the dashboard, then try again. A new DNS record may take some hours to be seen.';
		case 'failed_send':
			return 'Check the recipient, or try again later.';
		case 'wrong_code':
			return 'Let the person type the code again.';
		case 'expired_code':
		case 'too_many_tries':
		case 'used_code':
			return 'Send a new code.';
		case 'not_found':
			return endpoint.errors.includes('not_found')
				? `Check the ${endpoint.path.includes('{reference}') ? 'reference' : 'ID'}, that the key is of the same account, and that the base URL is the one of your service and ends in /api/v1/.`
				: 'Check that the base URL is the one of your service and ends in /api/v1/.';
		case 'rate_limited':
			return retryAfterMs === undefined
				? 'Try again later, and more slowly.'
				: `Wait ${inWords(retryAfterMs)}, then try again more slowly.`;
		case 'server_error':
			return 'The service has trouble of its own: try again later.';
		default:
			if (status === 404) return 'Check that the base URL is the one of your service and ends in /api/v1/.';
			if (status === 408) return 'The service took too long: try again later.';
			if (status === 407) return 'A proxy on the way to the service wants a login: check the proxy settings.';
			return worded
				? 'Correct what the service names, then try again.'
				: 'The service does not say why. Check every field, and your account in the dashboard, or ask the service.';
	}
}

function inWords(milliseconds: number): string {
	const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
	if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`;
	const minutes = Math.ceil(seconds / 60);
	return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
