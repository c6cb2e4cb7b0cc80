import type { ZObject } from 'zapier-platform-core';
import { InputError, type ErrorCode, type Outcome, type ServiceError } from '../../shared';

/** Labels that the user sees, by the names of the wire. */
export type Labels = Readonly<Record<string, string>>;

/** A call that was not accepted. */
export type Failure = Exclude<Outcome<unknown>, { outcome: 'accepted' }>;

const CONNECTION_LABELS: Labels = { apiKey: 'API Key', baseUrl: 'Base URL' };

/** Refusals that only a person can cure: trying again is of no use, and no reason to turn the Zap off. */
const HALTING: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'insufficient_balance', 'validation']);

/**
 * Words a failure for the person who reads the Zap's history: what happened, in the service's own words where it
 * said something, and what to do.
 * @param labels names the fields as the step shows them
 */
export function explain(error: ServiceError, labels: Labels = {}): string {
	const named = (field: string) => labels[field] ?? CONNECTION_LABELS[field] ?? field;
	const message =
		error instanceof InputError
			? error.issues.map((issue) => `${named(issue.field)} ${issue.message}`).join('; ')
			: error.message;
	return `${/[.!?…]$/.test(message) ? message : `${message}.`} ${error.hint}`;
}

/**
 * Makes Zapier's error of a call that was not accepted. Zapier repeats a throttled step, and with Autoreplay an errored
 * one, and always whole. So the outcome `unknown`, after which a text may be on its way, is neither of them but a halt:
 * a step that has been stopped on purpose.
 */
export function toZapierError(z: ZObject, { outcome, error }: Failure, labels?: Labels): Error {
	const { status, code, meaning, retryAfterMs } = error;
	const words = explain(error, labels);
	if (outcome === 'unknown') {
		return new z.errors.HaltedError(`${words} Replaying this step would send it again.${facts(error)}`);
	}
	if (error instanceof InputError || HALTING.has(meaning)) return new z.errors.HaltedError(`${words}${facts(error)}`);
	if (status === 429) {
		const seconds = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
		return new z.errors.ThrottledError(words, seconds);
	}
	if (status === 401) return new z.errors.ExpiredAuthError(words);
	return new z.errors.Error(words, code, status);
}

// Zapier has a place of its own for both in its other errors.
function facts({ code, status }: ServiceError): string {
	const known = [code && `code ${code}`, status && `HTTP ${status}`].filter(Boolean).join(', ');
	return known && ` (${known})`;
}
