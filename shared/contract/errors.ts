/**
 * What the service's refusals mean to us. The interface does not list its machine-readable codes
 * (docs/api.md#error-bodies), so these are our words; how an answer is recognised stands in `client/errorBody.ts`.
 */
export const errorCodes = [
	'invalid_key',
	'validation',
	'insufficient_balance',
	'opted_out',
	'sender_not_approved',
	'channel_not_set_up',
	'domain_not_verified',
	'wrong_code',
	'expired_code',
	'too_many_tries',
	'used_code',
	'failed_send',
	'not_found',
	'rate_limited',
	'server_error',
] as const;

/** One of {@link errorCodes}. */
export type ErrorCode = (typeof errorCodes)[number];
