import type { ErrorCode } from '../contract/errors';

/**
 * Whether the service may have taken the call, and so may have charged for it.
 * `no`: certainly not. `yes`: it said so. `unknown`: nobody can tell from here; never send again on your own.
 */
export type Sent = 'no' | 'yes' | 'unknown';

interface Details {
	/** Endpoint id of the contract, e.g. `sms.send`. */
	readonly endpoint: string;
	readonly sent: Sent;
	/** What to do next, one or two sentences. */
	readonly hint: string;
	/** HTTP status where there was an answer. */
	readonly status?: number;
	/** The service's machine-readable code, where it gave one. */
	readonly code?: string;
	/** What the refusal means, where the answer tells. */
	readonly meaning?: ErrorCode;
	/** How long the service asked to wait, in milliseconds. */
	readonly retryAfterMs?: number;
}

/**
 * Base of every failure of a call. Holds no key, number, one-time code or message text of its own; `message` may
 * carry the service's own words.
 */
export abstract class ServiceError extends Error implements Details {
	readonly endpoint: string;
	readonly sent: Sent;
	readonly hint: string;
	readonly status?: number;
	readonly code?: string;
	readonly meaning?: ErrorCode;
	readonly retryAfterMs?: number;

	constructor(message: string, details: Details) {
		super(message);
		this.name = new.target.name;
		this.endpoint = details.endpoint;
		this.sent = details.sent;
		this.hint = details.hint;
		this.status = details.status;
		this.code = details.code;
		this.meaning = details.meaning;
		this.retryAfterMs = details.retryAfterMs;
	}
}

/** One thing that is wrong with an input. */
export interface InputIssue {
	/** Name of the field on the wire, or `baseUrl`, `apiKey`. */
	readonly field: string;
	/** What is wrong and what to do, to be read after the field's name. */
	readonly message: string;
}

/** The input was refused before anything left this machine. */
export class InputError extends ServiceError {
	constructor(
		endpoint: string,
		readonly issues: readonly InputIssue[],
	) {
		super(issues.map(({ field, message }) => `${field} ${message}`).join('; '), {
			endpoint,
			sent: 'no',
			hint: 'Nothing was sent and nothing was charged.',
		});
	}
}

/** The service answered, and the answer is a refusal. */
export class ApiError extends ServiceError {}

/** The service does not know the API key, or the key may not do this (401, 403). */
export class AuthError extends ApiError {}

/** The wallet cannot pay for the call. */
export class InsufficientBalanceError extends ApiError {}

/** The recipient has opted out of messages of this account. */
export class OptedOutError extends ApiError {}

/** The service asked to slow down, and went on asking until the tries or the time ran out (429). */
export class RateLimitError extends ApiError {}

/** No answer came, and it is certain that the service did nothing that costs. */
export class ConnectionError extends ServiceError {}

/** The call was cancelled before anything left. */
export class CanceledError extends ConnectionError {}

/** The service may or may not have taken the call: the connection or the answer was lost on the way. */
export class UnknownOutcomeError extends ServiceError {}

/** The service has more rows than it lists on the pages that can be read. */
export class IncompleteListError extends ServiceError {}

/** The service answered with success, but not in a shape that we can read. */
export class ContractError extends ServiceError {
	// Private: an answer may repeat a message text, which no rendering of an error may show.
	readonly #answer: unknown;

	constructor(message: string, details: Details, response: unknown) {
		super(message, details);
		this.#answer = response;
	}

	/** The answer as it came: parsed JSON, or text. */
	get answer(): unknown {
		return this.#answer;
	}
}
