/**
 * Our codes for the service's rejections. The service's own codes are undocumented (docs/api.md#error-bodies), so
 * `client/errorBody.ts` recognizes them by status, and `errorWords.ts` by words.
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

/**
 * The meaning of a rejection.
 * @example if (error.meaning === 'opted_out') await removeFromList(to);
 */
export type ErrorCode = (typeof errorCodes)[number];
