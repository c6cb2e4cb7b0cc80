import type { OutputOf } from '../contract/endpoint';
import { wallet } from '../contract/wallet';
import { call } from './call';
import type { CallOptions, Connection } from './connection';
import { ApiError, ContractError, type ServiceError } from './errors';
import { parseErrorBody, redact } from './errorBody';
import { asSentence, errorFacts, errorMessage, errorText } from './errorText';

/**
 * The result of a test of the API key.
 * @example
 * const check = await client.checkKey();
 * console.log(check.known ? 'The key works' : check.error.hint);
 */
export type KeyCheck =
	/** The service knows the key. There is no balance if the response has none that can be read. */
	| { readonly known: true; readonly balance?: OutputOf<typeof wallet.getBalance> }
	| { readonly known: false; readonly error: ServiceError };

/**
 * What to tell a user whose key works, if the test found no balance.
 * @example if (check.known && !check.balance) console.log(KEY_WITHOUT_BALANCE);
 */
export const KEY_WITHOUT_BALANCE =
	'The key works. The response has no readable balance, so reading the balance will fail.';

/**
 * What to tell a user whose key could not be proved: the cause, and what to correct.
 * @param baseUrl as the user typed it
 * @example if (!check.known) console.log(keyProblem(check.error, baseUrl));
 */
export function keyProblem(error: ServiceError, baseUrl: string): string {
	// Another website, a redirect, or a path that the service does not have.
	const { status = 0 } = error;
	const elsewhere = error instanceof ContractError || status === 404 || (status >= 300 && status < 400);
	if (!elsewhere) return `${errorText(error)}${errorFacts(error)}`;
	const cause = asSentence(errorMessage(error));
	// Advice to end in a path that it already ends in would only puzzle.
	const ending = /\/api\/v1\/?$/.test(baseUrl.trim()) ? '' : ', ending in /api/v1/';
	return `Base URL responds, but not like the service. ${cause} Check that it is the address of your service${ending}`;
}

/** Words of a 2xx that rejects the key only in its text. */
const REJECTING =
	/unauth|not (auth|allowed|found|valid|permitted)|invalid|forbidden|denied|expired|revoked|unknown|missing|no such|required|log ?in|sign ?in|disabled|suspended|blocked|fail|error/i;

const HINT = 'Check the API key. The base URL must be the address of your service and end in /api/v1/.';

/**
 * Tests the API key with GET /balance, whose response is undocumented (docs/api.md#get-the-balance). So any JSON with a
 * 2xx status proves the key, unless it says that the call failed. A web page or a redirect proves nothing.
 * @returns the reason as a value if the key is not proved; never throws
 */
export async function checkKey(connection: Connection, options?: CallOptions): Promise<KeyCheck> {
	const outcome = await call(connection, wallet.getBalance, {}, options);
	if (outcome.outcome === 'accepted') return { known: true, balance: outcome.output };
	const { error } = outcome;
	const { status = 0 } = error;
	const rejected = (message: string, code: string | undefined): KeyCheck => {
		const details = { endpoint: wallet.getBalance.id, sent: 'no', status, code, hint: HINT } as const;
		return { known: false, error: new ApiError(message, details) };
	};
	if (error instanceof ApiError && status >= 200 && status < 300) return rejected(error.message, error.code);
	if (!(error instanceof ContractError) || !isData(error.response)) return { known: false, error };
	const { message, code, hasReason } = parseErrorBody(status, JSON.stringify(error.response), (text) =>
		redact(text, {}, connection.secrets),
	);
	return hasReason && REJECTING.test(`${code} ${message}`) ? rejected(message, code) : { known: true };
}

/** Text may be a web page, and any server may send an empty body. */
function isData(response: unknown): boolean {
	return typeof response === 'number' || (typeof response === 'object' && response !== null);
}
