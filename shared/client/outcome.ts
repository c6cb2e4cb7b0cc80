import { ZodObject, type z } from 'zod/v4';
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
	type InputIssue,
	type ServiceError,
} from './errors';
import { acceptedHint, ADDRESS_HINT, hintFor, NOTHING_CHARGED, unknownHint } from './hint';
import { isPartlyAccepted, judgeList, judgeOnce, judgeRead, type Judgment } from './judge';
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

/**
 * The content of a response, before it is decided what it means for the call. `words` indicate a failure.
 * @example const isReadable = ({ kind }: Reading<unknown>) => kind !== 'unreadable';
 */
export type Reading<Output> =
	| { readonly kind: 'output'; readonly output: Output }
	/** A status that rejects, or a 2xx that clearly says that the call failed. */
	| { readonly kind: 'rejection'; readonly words?: string }
	/** A 2xx that indicates a failure without saying so clearly, or a rejection of which part was accepted. */
	| { readonly kind: 'doubt'; readonly words?: string }
	/** A 2xx that is not a response of this endpoint. */
	| { readonly kind: 'unreadable' };

/**
 * Reads a response by the endpoint's contract (decision 7).
 * @param input of the call. A response may repeat it
 * @example readResponse(contract.sms.send, response, input).kind // 'output'
 */
export function readResponse<E extends Endpoint>(
	endpoint: E,
	{ status, body }: HttpResponse,
	input: Readonly<Record<string, unknown>>,
): Reading<OutputOf<E>> {
	const json = parseJson(body);
	if (status < 200 || status >= 300) {
		const partly = json && isPartlyAccepted(endpoint, json.value, extractOutput(endpoint, json.value), input);
		return { kind: status >= 400 && partly ? 'doubt' : 'rejection' };
	}
	if (!json) return { kind: 'unreadable' };
	const found = extractOutput(endpoint, json.value);
	const judgment = judge(endpoint, json.value, found, input);
	if (judgment.kind === 'rejection' || judgment.kind === 'doubt') return judgment;
	const output = endpoint.output.safeParse(found);
	if (!output.success) {
		const failing = endpoint.repeat === 'safe' && signsIn(json.value).failures.length > 0;
		return { kind: failing ? 'rejection' : 'unreadable' };
	}
	if (judgment.kind === 'silent') return { kind: 'unreadable' };
	// The output type is inferred from the endpoint's schema; a generic E hides that from the compiler.
	return { kind: 'output', output: output.data as OutputOf<E> };
}

/**
 * Reads the stored fields of an accepted call. The relay keeps only some of them, and none if a person settled it.
 * @param body parsed
 */
export function readStored<E extends Endpoint>(endpoint: E, body: unknown): OutputOf<E> {
	const found = extractOutput(endpoint, body);
	const fields = endpoint.output instanceof ZodObject ? endpoint.output.partial().safeParse(found).data : found;
	// `Outcome` says that fields may be missing here: all callers would otherwise check every field of every call.
	return (fields ?? {}) as OutputOf<E>;
}

function judge(endpoint: Endpoint, body: unknown, found: unknown, input: Readonly<Record<string, unknown>>): Judgment {
	if (endpoint.response.kind === 'list') return judgeList(body);
	if (endpoint.successFalse === 'data') return { kind: 'fine' };
	return endpoint.repeat === 'safe' ? judgeRead(endpoint, body, found) : judgeOnce(endpoint, body, found, input);
}

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
	const { message, hasReason } = errorBody;
	const hint = hintFor(endpoint, { message, status, meaning, retryAfterMs, hasReason, keyWorked });
	return { outcome: 'rejected', error: new (errorClass(meaning))(message, { ...details, sent: 'no', hint }) };
}

/** Maximum number of characters shown of a sign of failure. */
const LONGEST_SIGN = 500;

/** A text of the envelope, such as "Message queued", must not hide a failure in it. */
function withWords(errorBody: ErrorBody, reading: Reading<unknown>, hide: (text: string) => string): ErrorBody {
	const words = 'words' in reading ? reading.words : undefined;
	if (words === undefined || (errorBody.hasReason && saysFailure(errorBody.message))) return errorBody;
	return { ...errorBody, message: hide(words).slice(0, LONGEST_SIGN), hasReason: true };
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
	const hint = accepted ? acceptedHint(endpoint) : unknownHint(endpoint);
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
