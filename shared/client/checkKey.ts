import type { OutputOf } from '../contract/endpoint';
import { getBalance } from '../contract/wallet';
import { call, type CallOptions, type Connection } from './call';
import { ApiError, ContractError, type ServiceError } from './errors';
import { parseErrorBody, redact } from './errorBody';

/** What a test of the API key showed. */
export type KeyCheck =
	/** The service knows the key; without a balance if that was not found in the response. */
	| { readonly known: true; readonly balance?: OutputOf<typeof getBalance> }
	| { readonly known: false; readonly error: ServiceError };

/** Words of a 2xx that rejects all the same, although nothing but its text says so. */
const REJECTING =
	/unauth|not (auth|allowed|found|valid|permitted)|invalid|forbidden|denied|expired|revoked|unknown|missing|no such|required|log ?in|sign ?in|disabled|suspended|blocked|fail|error/i;

const HINT = 'Check the API key, and that the base URL is the one of your service and ends in /api/v1/.';

/**
 * Tests the API key with GET /balance, whose response is not shown (docs/api.md#get-the-balance). So any JSON with a
 * 2xx status proves the key, unless it says that the call failed. A web page and a redirect prove nothing.
 * @returns why the key is not proved as a value; never throws
 */
export async function checkKey(connection: Connection, options?: CallOptions): Promise<KeyCheck> {
	const asked = await call(connection, getBalance, {}, options);
	if (asked.outcome === 'accepted') return { known: true, balance: asked.output };
	const { error } = asked;
	const { status = 0 } = error;
	const rejected = (message: string, code: string | undefined): KeyCheck => {
		const details = { endpoint: getBalance.id, sent: 'no', status, code, hint: HINT } as const;
		return { known: false, error: new ApiError(message, details) };
	};
	if (error instanceof ApiError && status >= 200 && status < 300) return rejected(error.message, error.code);
	if (!(error instanceof ContractError) || !isData(error.answer)) return { known: false, error };
	const { message, code, worded } = parseErrorBody(status, JSON.stringify(error.answer), (text) =>
		redact(text, {}, connection.secrets),
	);
	return worded && REJECTING.test(`${code} ${message}`) ? rejected(message, code) : { known: true };
}

/** A text may be a web page, and nothing at all may come from any server. */
function isData(response: unknown): boolean {
	return typeof response === 'number' || (typeof response === 'object' && response !== null);
}
