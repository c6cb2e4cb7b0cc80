import type { ZObject } from 'zapier-platform-core';
import { InputError, type ErrorCode, type ServiceError } from '../../shared';

/** Labels that the user sees, by the names of the wire. */
export type Labels = Readonly<Record<string, string>>;

const CONNECTION_LABELS: Labels = { apiKey: 'API Key', baseUrl: 'Base URL' };

/** Refusals that only a person can cure: trying again is of no use, and no reason to turn the Zap off. */
const HALTING: ReadonlySet<ErrorCode | undefined> = new Set(['opted_out', 'insufficient_balance', 'validation']);

/** Calls whose unknown outcome may be a message on its way; of the others the hint says what doing it again means. */
const SENDING = /^(sms|whatsapp|email|voice)\.send|^verification\.start$/;

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
 * one, and always whole. So a call that may have been accepted, after which a text may be on its way, ends in neither
 * of them but in a halt, which only a person replays.
 * @param keptBy label of the field whose value keeps a replay from sending again, where it is filled in
 */
export function toZapierError(z: ZObject, error: ServiceError, labels?: Labels, keptBy?: string): Error {
	const { status, code, meaning, retryAfterMs, sent, endpoint } = error;
	const words = explain(error, labels);
	if (sent !== 'no') {
		const replayed =
			keptBy === undefined
				? 'Replaying this step would send it again.'
				: `Replaying this step does not send it again: for that, change the ${keptBy}.`;
		return new z.errors.HaltedError(`${words}${SENDING.test(endpoint) ? ` ${replayed}` : ''}${facts(error)}`);
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
