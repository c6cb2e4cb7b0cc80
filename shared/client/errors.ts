import type { ErrorCode } from '../contract/errors';

/**
 * Whether the service may have accepted the call, and so may have charged for it.
 * `no`: certainly not. `yes`: it said so. `unknown`: it cannot be known from here, so never repeat the call automatically.
 * @example if (error.sent === 'no') await retryLater();
 */
export type Sent = 'no' | 'yes' | 'unknown';

interface Details {
	/** Endpoint id of the contract, e.g. `sms.send`. */
	readonly endpoint: string;
	readonly sent: Sent;
	/** The next step, in one or two sentences. */
	readonly hint: string;
	/** HTTP status, if there was a response. */
	readonly status?: number;
	/** The service's machine-readable code, if it gave one. */
	readonly code?: string;
	/** Meaning of the rejection, if the response makes it clear. */
	readonly meaning?: ErrorCode;
	/** How long the service asks to wait, in milliseconds. */
	readonly retryAfterMs?: number;
	/** The field at fault, if a relay names it, such as `idempotency_keys.1`. */
	readonly field?: string;
}

/**
 * Base class of every failed call (docs/api.md#errors). Contains no key, number, one-time code or message text of its own.
 * `message` may contain the service's own words.
 * @example
 * try { await client.sms.send(input); }
 * catch (error) { if (error instanceof ServiceError) console.log(error.message, error.hint, error.sent); }
 */
export abstract class ServiceError extends Error implements Details {
	readonly endpoint: string;
	readonly sent: Sent;
	readonly hint: string;
	readonly status?: number;
	readonly code?: string;
	readonly meaning?: ErrorCode;
	readonly retryAfterMs?: number;
	readonly field?: string;

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
		this.field = details.field;
	}
}

/**
 * One invalid field of an input.
 * @example const issue: InputIssue = { field: 'to', message: 'is empty: give a phone number' };
 */
export interface InputIssue {
	/** Name of the field on the wire, or `baseUrl`, `apiKey`. */
	readonly field: string;
	/** The cause and the next step, to be read after the field's name. */
	readonly message: string;
}

/**
 * The input was rejected before any request left this machine.
 * @example if (error instanceof InputError) for (const { field, message } of error.issues) show(field, message);
 */
export class InputError extends ServiceError {
	constructor(
		endpoint: string,
		readonly issues: readonly InputIssue[],
	) {
		super(issues.map(({ field, message }) => `${field} ${message}`).join('; '), {
			endpoint,
			sent: 'no',
			hint: 'Nothing was sent or charged.',
		});
	}
}

/**
 * The service rejected the call.
 * @example if (error instanceof ApiError && error.status === 422) console.log(error.meaning);
 */
export class ApiError extends ServiceError {}

/**
 * The service does not know the API key, or the key has no permission for this call (401, 403).
 * @example if (error instanceof AuthError) askForKey(error.hint);
 */
export class AuthError extends ApiError {}

/**
 * The balance is too low for the call.
 * @example if (error instanceof InsufficientBalanceError) await client.wallet.createTopUp({ amount: 50 });
 */
export class InsufficientBalanceError extends ApiError {}

/**
 * The recipient has opted out of messages from this account (docs/api.md#opt-out).
 * @example if (error instanceof OptedOutError) await removeFromList(to);
 */
export class OptedOutError extends ApiError {}

/**
 * The service still rejected the call with 429 when the attempts or the time ran out (docs/api.md#rate-limits).
 * @example if (error instanceof RateLimitError) await delay(error.retryAfterMs ?? 60_000);
 */
export class RateLimitError extends ApiError {}

/**
 * There was no response, and the service certainly did nothing that costs money.
 * @example if (error instanceof ConnectionError) console.log(error.code); // 'ECONNREFUSED'
 */
export class ConnectionError extends ServiceError {}

/**
 * The call was canceled before a request left.
 * @example if (error instanceof CanceledError) return;
 */
export class CanceledError extends ConnectionError {}

/**
 * The service may have accepted the call, but the connection or the response was lost.
 * @example if (error instanceof UnknownOutcomeError) await lookForMessage(to); // do not send again
 */
export class UnknownOutcomeError extends ServiceError {}

/**
 * The list has more rows than the pages that could be read.
 * @example if (listing.incomplete instanceof IncompleteListError) console.warn(listing.incomplete.message);
 */
export class IncompleteListError extends ServiceError {}

/**
 * The service reported success, but its response cannot be read.
 * @example if (error instanceof ContractError) inspect(error.response);
 */
export class ContractError extends ServiceError {
	// Private: a response may repeat a message text, which no rendering of an error may show.
	readonly #response: unknown;

	constructor(message: string, details: Details, response: unknown) {
		super(message, details);
		this.#response = response;
	}

	/** The response as received: parsed JSON, or text. */
	get response(): unknown {
		return this.#response;
	}
}
