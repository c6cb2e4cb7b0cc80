/** An error that the gateway itself responds with. */
interface GatewayError {
	readonly status: number;
	readonly code: string;
	/** `Relay-Outcome`. Without it, the relay does not know whether an earlier call with the key was accepted. */
	readonly outcome?: 'rejected' | 'unknown';
	/** The calls that may get it. Default: all. */
	readonly calls?: 'once' | 'safe';
	readonly meaning: string;
}

/** All errors of the gateway, as docs/relay.md lists them. */
export const GATEWAY_ERRORS = [
	{ status: 400, code: 'attempt_invalid', meaning: 'The header `Relay-Attempt` cannot be read' },
	{
		...{ status: 400, code: 'idempotency_key_invalid', outcome: 'rejected', calls: 'once' },
		meaning: 'The key is empty, too long, or has other characters',
	},
	{
		...{ status: 400, code: 'key_max_age_invalid' },
		meaning: 'The header `Relay-Key-Max-Age` cannot be read, or `Relay-Attempt` is missing beside it',
	},
	{
		...{ status: 401, code: 'api_key_rejected', calls: 'once' },
		meaning: 'The service rejects the API key, so the caller learns nothing about the key',
	},
	{ status: 401, code: 'relay_token_given', meaning: 'The API key is a token of the relay' },
	{ status: 404, code: 'not_found', meaning: 'The path leaves the API of the service' },
	{
		...{ status: 409, code: 'attempt_overtaken', calls: 'once' },
		meaning: 'A later attempt of the call was rejected, so this one is not forwarded',
	},
	{
		...{ status: 409, code: 'idempotency_key_in_use', outcome: 'unknown', calls: 'once' },
		meaning: 'A call with the key is still in flight. Repeat it after `Retry-After`',
	},
	{ status: 400, code: 'invalid', meaning: 'The body does not match its `Content-Encoding`' },
	{ status: 413, code: 'too_large', meaning: 'The body has more than 2 MB' },
	{ status: 415, code: 'unsupported_media_type', meaning: 'The `Content-Encoding` is unknown' },
	{
		...{ status: 422, code: 'idempotency_key_reused', outcome: 'rejected', calls: 'once' },
		meaning: 'The key belongs to another content, path or recipient',
	},
	{
		...{ status: 422, code: 'idempotency_keys_invalid', outcome: 'rejected', calls: 'once' },
		meaning: 'The list of keys does not fit',
	},
	{
		...{ status: 429, code: 'rate_limited', outcome: 'rejected' },
		meaning: 'The account is paused or limited for longer than the call may take',
	},
	{
		...{ status: 502, code: 'outcome_unknown', outcome: 'unknown', calls: 'once' },
		meaning: 'The connection was lost, or the first call with the key is unknown',
	},
	{
		...{ status: 502, code: 'service_unreachable', outcome: 'rejected' },
		meaning: 'The request did not leave, or it only reads',
	},
	{
		...{ status: 502, code: 'incomplete_response', outcome: 'rejected' },
		meaning: 'The response was cut. After a 4xx or 5xx, it has that status',
	},
	{ status: 503, code: 'service_not_set', meaning: '`RELAY_SERVICE_URL` is not set' },
	{
		...{ status: 503, code: 'not_forwarded', outcome: 'rejected' },
		meaning: 'The call did not leave: its time was over, its caller left, or the relay stops',
	},
	{
		...{ status: 503, code: 'api_key_unchecked', calls: 'once' },
		meaning: 'The service did not say whether it knows the API key. Repeat it',
	},
	{ status: 503, code: 'unavailable', meaning: 'The database cannot be used. Repeat it with the same key' },
	{
		...{ status: 504, code: 'outcome_unknown', outcome: 'unknown', calls: 'once' },
		meaning: 'The service did not respond in time',
	},
	{
		...{ status: 504, code: 'service_timeout', outcome: 'rejected', calls: 'safe' },
		meaning: 'The same, for a call that only reads',
	},
	{
		...{ status: 508, code: 'relay_loop', outcome: 'rejected' },
		meaning: '`RELAY_SERVICE_URL` is an address of the relay itself',
	},
] as const satisfies readonly GatewayError[];

/** The code of an error that the gateway itself makes. */
export type GatewayErrorCode = (typeof GATEWAY_ERRORS)[number]['code'];

/**
 * The errors that a call may get.
 * @param repeat of its endpoint
 */
export function gatewayErrorsFor(repeat: 'once' | 'safe'): readonly GatewayError[] {
	const all: readonly GatewayError[] = GATEWAY_ERRORS;
	return all.filter(({ calls }) => calls === undefined || calls === repeat);
}
