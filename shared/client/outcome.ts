import type { z } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import type { HttpResponse, TransportError } from '../transport';
import { parseJson } from '../reading/json';
import { successFlag, type Reading } from '../reading/response';
import {
	ApiError,
	AuthError,
	CanceledError,
	ConnectionError,
	ContractError,
	InputError,
	InsufficientBalanceError,
	OptedOutError,
	RateLimitError,
	UnknownOutcomeError,
	type InputIssue,
	type ServiceError,
} from './errors';
import { acceptedHint, ADDRESS_HINT, doubtHint, hintFor, NOTHING_CHARGED, unknownHint } from './hint';
import { errorCodeOf, parseErrorBody, redact, type ErrorBody } from './errorBody';
import type { RelayFacts } from './relayReply';
import { parseRetryAfter } from './retry';

/**
 * The outcome of a call. An `unknown` one may have been accepted and charged, so the client never repeats it.
 * @example
 * const result = await client.call(contract.sms.send, input);
 * if (result.outcome === 'accepted') console.log(result.output.message_id);
 * else console.log(result.outcome, result.error.hint); // 'rejected' or 'unknown'
 */
export type Outcome<Output> =
	| {
			readonly outcome: 'accepted';
			/** After a replay that a person settled (`relay.settledBy`), it has no fields of the service. */
			readonly output: Output;
			/** Only for a call with an idempotency key, through a relay. */
			readonly relay?: RelayFacts;
	  }
	| FailedOutcome;

/**
 * A call that was rejected, or whose outcome is unknown.
 * @example const stopOnFailure = ({ outcome }: FailedOutcome) => outcome === 'unknown';
 */
export type FailedOutcome = {
	readonly outcome: 'rejected' | 'unknown';
	readonly error: ServiceError;
	/** Only if the failure is that of an earlier call with the key, or recipients of a bulk send were left out. */
	readonly relay?: RelayFacts;
};

/** A failed call, with the values that must not be shown. */
export interface FailedCall {
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
	/** The key. */
	readonly secrets: readonly string[];
	/** Whether the service has accepted the key before. */
	readonly keyWorked: boolean;
}

/**
 * The failure that a response means.
 * @param reading of that response; not an output
 * @param unknown whether the call may still have been accepted
 */
export function failedByResponse(
	{ endpoint, input, secrets, keyWorked }: FailedCall,
	response: HttpResponse,
	reading: Reading<unknown>,
	unknown: boolean,
): FailedOutcome {
	const { status } = response;
	if (status >= 300 && status < 400) return { outcome: 'rejected', error: redirected(endpoint, response) };
	const hide = (text: string) => redact(text, input, secrets);
	const parsed = parseErrorBody(status, response.body, hide);
	if (reading.kind === 'unreadable' && !(unknown && speaksOfDoubt(parsed, response)))
		return unreadable(endpoint, response);
	const errorBody = withWords(parsed, reading, hide);
	const meaning = errorCodeOf(endpoint, status, errorBody);
	const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
	const details = { endpoint: endpoint.id, status, code: errorBody.code, meaning, retryAfterMs };
	if (unknown) {
		const hint = status < 300 && parsed.structured ? doubtHint(endpoint) : unknownHint(endpoint);
		const error = new UnknownOutcomeError(errorBody.message, { ...details, sent: 'unknown', hint });
		return { outcome: 'unknown', error };
	}
	const { message, hasReason } = errorBody;
	const hint = hintFor(endpoint, { message, status, meaning, retryAfterMs, hasReason, keyWorked });
	return { outcome: 'rejected', error: new (errorClass(meaning))(message, { ...details, sent: 'no', hint }) };
}

/** Whether a response without a result has words that a user needs. Those of an accepted call add nothing. */
function speaksOfDoubt({ structured, hasReason }: ErrorBody, { body }: HttpResponse): boolean {
	return structured && hasReason && successFlag(parseJson(body)?.value) !== true;
}

/** Maximum number of characters shown of a sign of failure. */
const LONGEST_SIGN = 500;

/** A text of the envelope, such as "Message queued", must not hide a failure in it. */
function withWords(errorBody: ErrorBody, reading: Reading<unknown>, hide: (text: string) => string): ErrorBody {
	const words = 'words' in reading ? reading.words : undefined;
	if (words === undefined || errorBody.message.includes(words)) return errorBody;
	const message = [words, ...(errorBody.hasReason ? [errorBody.message] : [])].join('. ');
	return { ...errorBody, message: hide(message).slice(0, LONGEST_SIGN), hasReason: true };
}

/**
 * The failure of a call without a response.
 * @param unknown whether the call may still have been accepted
 */
export function failedByConnection(
	{ endpoint, input, secrets }: FailedCall,
	failure: TransportError,
	unknown: boolean,
): FailedOutcome {
	const details = { endpoint: endpoint.id, code: failure.code };
	// After a failed status check, the sentence would be read as one about the message.
	const nothingDone = endpoint.repeat === 'once' ? NOTHING_CHARGED : '';
	const words = redact(failure.message, input, secrets);
	if (unknown) {
		const message = `No complete response, because ${words}`;
		return {
			outcome: 'unknown',
			error: new UnknownOutcomeError(message, { ...details, sent: 'unknown', hint: unknownHint(endpoint) }),
		};
	}
	if (failure.aborted) {
		return { outcome: 'rejected', error: new CanceledError(words, { ...details, sent: 'no', hint: nothingDone }) };
	}
	const hint = ['Check the base URL and the network between here and the service.', nothingDone].join(' ').trim();
	const message = `The service could not be reached: ${words}`;
	return { outcome: 'rejected', error: new ConnectionError(message, { ...details, sent: 'no', hint }) };
}

/** The failure of an input that the contract rejects. */
export function failedByInput(endpoint: Endpoint, error: z.ZodError): FailedOutcome {
	const issues = error.issues.map(({ path, message, code }) => {
		const field = path.join('.') || 'input';
		// If the contract has no message for a wrong type, the schema library's own message is shown.
		const own = code !== 'invalid_type' || /^(is|has) /.test(message);
		return { field, message: own ? message : `is missing or of the wrong type (${message})` };
	});
	return { outcome: 'rejected', error: new InputError(endpoint.id, issues) };
}

/** The failure of an option that cannot be used. */
export function failedByOption({ id }: Endpoint, issue: InputIssue): FailedOutcome {
	return { outcome: 'rejected', error: new InputError(id, [issue]) };
}

/** The failure of an input with fields that the endpoint does not have. */
export function unknownFields(endpoint: Endpoint, fields: readonly string[]): FailedOutcome {
	const issues = fields.map((field) => ({
		field,
		message: 'is not a field of this request: remove it or correct its name',
	}));
	return { outcome: 'rejected', error: new InputError(endpoint.id, issues) };
}

/** The class of a rejection with this meaning. */
export function errorClass(meaning: ErrorCode | undefined): typeof ApiError {
	if (meaning === 'invalid_key') return AuthError;
	if (meaning === 'insufficient_balance') return InsufficientBalanceError;
	if (meaning === 'opted_out') return OptedOutError;
	if (meaning === 'rate_limited') return RateLimitError;
	return ApiError;
}

function redirected(endpoint: Endpoint, response: HttpResponse): ServiceError {
	const { location } = response.headers;
	const target = location && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
	return new ApiError(`The base URL is wrong: it redirects${target} instead of responding`, {
		endpoint: endpoint.id,
		sent: 'no',
		status: response.status,
		hint: "Use the service's own address, from https:// to /api/v1/. Nothing was sent to the other address.",
	});
}

function unreadable(endpoint: Endpoint, { status, body }: HttpResponse): FailedOutcome {
	const json = parseJson(body);
	const response = json ? json.value : body;
	const details = { endpoint: endpoint.id, status };
	const responded = `The service responded with HTTP ${status} and ${describeBody(body, json)}`;
	if (endpoint.repeat === 'safe') {
		const error = new ContractError(responded, { ...details, sent: 'no', hint: ADDRESS_HINT }, response);
		return { outcome: 'rejected', error };
	}
	const accepted = successFlag(json?.value) === true;
	const message = accepted ? responded.replace('The service', 'The service accepted the request, but') : responded;
	const sent = accepted ? 'yes' : 'unknown';
	const hint = accepted ? acceptedHint(endpoint) : json ? doubtHint(endpoint) : unknownHint(endpoint);
	return { outcome: 'unknown', error: new ContractError(message, { ...details, sent, hint }, response) };
}

/** Describes a body that cannot be read. Never repeats it, because it may contain a message text. */
function describeBody(body: string | undefined, json: object | undefined): string {
	if (json) return 'JSON without the expected fields';
	const text = body?.trim() ?? '';
	if (text === '') return 'an empty body';
	if (text.startsWith('<')) return 'a web page';
	return /^[[{]/.test(text) ? 'incomplete or damaged JSON' : 'plain text instead of JSON';
}
