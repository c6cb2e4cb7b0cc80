import type { z } from 'zod/v4';
import type { Endpoint, OutputOf } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import type { HttpResponse, TransportError } from '../transport';
import { signsIn } from '../contract/signs';
import { saysFailure } from '../contract/words';
import { extractOutput, parseJson, successFlag } from './response';
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
	type ServiceError,
} from './errors';
import { acceptedHint, ADDRESS_HINT, hintFor, unknownHint } from './hint';
import { isPartlyAccepted, judgeList, judgeOnce, judgeRead, type Judgment } from './judge';
import { errorCodeOf, parseErrorBody, redact, type ErrorBody } from './errorBody';
import { parseRetryAfter } from './retry';

/** What became of a call. An `unknown` one may have been accepted and charged; it is never repeated by us. */
export type Outcome<Output> = { readonly outcome: 'accepted'; readonly output: Output } | FailedOutcome;

/** A call that was not accepted, or of which nobody knows. */
export type FailedOutcome = { readonly outcome: 'rejected' | 'unknown'; readonly error: ServiceError };

/** What an answer is, whatever it means for the call. `words` are the ones in it that speak of a failure. */
export type Reading<Output> =
	| { readonly kind: 'output'; readonly output: Output }
	/** A status that refuses, or a 2xx that says in so many words that the call failed. */
	| { readonly kind: 'refusal'; readonly words?: string }
	/** A 2xx that speaks of a failure, though not in so many words, or a rejection of which part was accepted. */
	| { readonly kind: 'doubt'; readonly words?: string }
	/** A 2xx that is no answer of this endpoint. */
	| { readonly kind: 'unreadable' };

/**
 * Reads an answer by the endpoint's contract.
 * @param input of the call, which an answer may repeat
 */
export function readResponse<E extends Endpoint>(
	endpoint: E,
	{ status, body }: HttpResponse,
	input: Readonly<Record<string, unknown>>,
): Reading<OutputOf<E>> {
	const json = parseJson(body);
	if (status < 200 || status >= 300) {
		const partly = json && isPartlyAccepted(endpoint, json.value, extractOutput(endpoint, json.value), input);
		return { kind: status >= 400 && partly ? 'doubt' : 'refusal' };
	}
	if (!json) return { kind: 'unreadable' };
	const found = extractOutput(endpoint, json.value);
	const judgment = judge(endpoint, json.value, found, input);
	if (judgment.kind === 'refusal' || judgment.kind === 'doubt') return judgment;
	const output = endpoint.output.safeParse(found);
	if (!output.success) {
		const failing = endpoint.repeat === 'safe' && signsIn(json.value).failures.length > 0;
		return { kind: failing ? 'refusal' : 'unreadable' };
	}
	if (judgment.kind === 'silent') return { kind: 'unreadable' };
	// The schema of an endpoint is what its output type is inferred from; a generic E hides that from the compiler.
	return { kind: 'output', output: output.data as OutputOf<E> };
}

function judge(endpoint: Endpoint, body: unknown, found: unknown, input: Readonly<Record<string, unknown>>): Judgment {
	if (endpoint.answer.kind === 'list') return judgeList(body);
	if (endpoint.successFalse === 'data') return { kind: 'fine' };
	return endpoint.repeat === 'safe' ? judgeRead(endpoint, body, found) : judgeOnce(endpoint, body, found, input);
}

/** The call that failed, with what of it must not be shown. */
export interface FailedCall {
	readonly endpoint: Endpoint;
	readonly input: Readonly<Record<string, unknown>>;
	/** The key. */
	readonly secrets: readonly string[];
	/** Whether the service has taken the key before. */
	readonly keyWorked: boolean;
}

/**
 * The failure that an answer stands for.
 * @param reading of that answer; not an output
 * @param unknown whether the call may have been accepted all the same
 */
export function failedByResponse(
	{ endpoint, input, secrets, keyWorked }: FailedCall,
	response: HttpResponse,
	reading: Reading<unknown>,
	unknown: boolean,
): FailedOutcome {
	const { status } = response;
	if (reading.kind === 'unreadable') return unreadable(endpoint, response);
	if (status >= 300 && status < 400) return { outcome: 'rejected', error: redirected(endpoint, response) };
	const hide = (text: string) => redact(text, input, secrets);
	const errorBody = withWords(parseErrorBody(status, response.body, hide), reading, hide);
	const meaning = errorCodeOf(endpoint, status, errorBody);
	const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
	const details = { endpoint: endpoint.id, status, code: errorBody.code, meaning, retryAfterMs };
	if (unknown) {
		const error = new UnknownOutcomeError(errorBody.message, {
			...details,
			sent: 'unknown',
			hint: unknownHint(endpoint),
		});
		return { outcome: 'unknown', error };
	}
	const hint = hintFor(endpoint, { status, meaning, retryAfterMs, worded: errorBody.worded, keyWorked });
	return { outcome: 'rejected', error: new (errorClass(meaning))(errorBody.message, { ...details, sent: 'no', hint }) };
}

/** Most characters of a sign of failure that are shown. */
const LONGEST_SIGN = 500;

/** A text of the envelope, such as "Message queued", must not hide what failed in it. */
function withWords(errorBody: ErrorBody, reading: Reading<unknown>, hide: (text: string) => string): ErrorBody {
	const words = 'words' in reading ? reading.words : undefined;
	if (words === undefined || (errorBody.worded && saysFailure(errorBody.message))) return errorBody;
	return { ...errorBody, message: hide(words).slice(0, LONGEST_SIGN), worded: true };
}

/**
 * The failure of a call to which no answer came.
 * @param unknown whether the call may have been accepted all the same
 */
export function failedByConnection(
	{ endpoint, input, secrets }: FailedCall,
	failure: TransportError,
	unknown: boolean,
): FailedOutcome {
	const details = { endpoint: endpoint.id, code: failure.code };
	const words = redact(failure.message, input, secrets);
	if (unknown) {
		const message = `No answer came from the service: ${words}`;
		return {
			outcome: 'unknown',
			error: new UnknownOutcomeError(message, { ...details, sent: 'unknown', hint: unknownHint(endpoint) }),
		};
	}
	if (failure.aborted) {
		const hint = 'Nothing was sent and nothing was charged.';
		return { outcome: 'rejected', error: new CanceledError(words, { ...details, sent: 'no', hint }) };
	}
	const hint = 'Check the base URL and the network between here and the service. Nothing was charged.';
	const message = `The service could not be reached: ${words}`;
	return { outcome: 'rejected', error: new ConnectionError(message, { ...details, sent: 'no', hint }) };
}

/** The failure of an input that the contract refuses. */
export function failedByInput(endpoint: Endpoint, error: z.ZodError): FailedOutcome {
	const issues = error.issues.map(({ path, message, code }) => {
		const field = path.join('.') || 'input';
		// A type that has no words of its own is told in those of the schema library.
		const own = code !== 'invalid_type' || /^(is|has) /.test(message);
		return { field, message: own ? message : `is missing or of the wrong type (${message})` };
	});
	return { outcome: 'rejected', error: new InputError(endpoint.id, issues) };
}

/** The failure of an input that has fields which the call does not know. */
export function unknownFields(endpoint: Endpoint, fields: readonly string[]): FailedOutcome {
	const issues = fields.map((field) => ({
		field,
		message: 'is not a field of this call: remove it or correct its name',
	}));
	return { outcome: 'rejected', error: new InputError(endpoint.id, issues) };
}

function errorClass(meaning: ErrorCode | undefined): typeof ApiError {
	if (meaning === 'invalid_key') return AuthError;
	if (meaning === 'insufficient_balance') return InsufficientBalanceError;
	if (meaning === 'opted_out') return OptedOutError;
	if (meaning === 'rate_limited') return RateLimitError;
	return ApiError;
}

function redirected(endpoint: Endpoint, response: HttpResponse): ServiceError {
	const { location } = response.headers;
	const target = location && URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
	return new ApiError(`The base URL is wrong: it redirects${target} instead of answering`, {
		endpoint: endpoint.id,
		sent: 'no',
		status: response.status,
		hint: 'Give the address that the service itself answers at, with https:// and up to /api/v1/. Nothing was sent on to the other address.',
	});
}

function unreadable(endpoint: Endpoint, { status, body }: HttpResponse): FailedOutcome {
	const json = parseJson(body);
	const response = json ? json.value : body;
	const details = { endpoint: endpoint.id, status };
	if (endpoint.repeat === 'safe') {
		const message = `The service answered ${status} with ${whatCame(body, json)}`;
		const error = new ContractError(message, { ...details, sent: 'no', hint: ADDRESS_HINT }, response);
		return { outcome: 'rejected', error };
	}
	const accepted = successFlag(json?.value) === true;
	const message = accepted
		? `The service accepted the call, but answered ${status} with ${whatCame(body, json)}`
		: `The service answered ${status} with ${whatCame(body, json)}`;
	const sent = accepted ? 'yes' : 'unknown';
	const hint = accepted ? acceptedHint(endpoint) : unknownHint(endpoint);
	return { outcome: 'unknown', error: new ContractError(message, { ...details, sent, hint }, response) };
}

/** Says what an answer is that cannot be read; never repeats it, since it may hold a message text. */
function whatCame(body: string | undefined, json: object | undefined): string {
	if (json) return 'data in which the result is missing';
	const text = body?.trim() ?? '';
	if (text === '') return 'nothing in it';
	if (text.startsWith('<')) return 'a web page instead of a result';
	return /^[[{]/.test(text) ? 'data that is cut off or garbled' : 'a text that is no data';
}
