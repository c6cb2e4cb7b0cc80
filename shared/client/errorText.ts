import { endpoints } from '../contract';
import { InputError, type ServiceError } from './errors';

/**
 * Names of fields as a user sees them, by their names on the wire.
 * @example const labels: Labels = { to: 'To', sender_id: 'Sender ID' };
 */
export type Labels = Readonly<Record<string, string>>;

/** Labels of the credential's fields, which are the same on every host. */
const CREDENTIAL_LABELS: Labels = { apiKey: 'API Key', baseUrl: 'Base URL' };

/**
 * The message of a failure (docs/api.md#errors), in the service's own words if it gave any. An invalid field has the
 * name that the user sees. If the outcome is unknown, the message begins with that.
 * @example errorMessage(error, { to: 'To' }) // 'To is empty: give a phone number'
 */
export function errorMessage(error: ServiceError, labels: Labels = {}): string {
	if (!(error instanceof InputError))
		return error.sent === 'unknown' ? `${doubtOf(error)}: ${error.message}` : error.message;
	const named = (field: string) => labels[field] ?? CREDENTIAL_LABELS[field] ?? field;
	return error.issues.map(({ field, message }) => `${named(field)} ${message}`).join('. ');
}

/** The words for an unknown outcome. First in the message, because many users read no further. */
function doubtOf({ endpoint: failed }: ServiceError): string {
	const endpoint = endpoints.find(({ id }) => id === failed);
	return endpoint?.hints?.doubt ?? 'It is unknown whether this was sent';
}

/**
 * A failure as one text: the cause, and the next step.
 * @example errorText(error, { to: 'To' }) // 'To is empty: give a phone number. Nothing was sent or charged.'
 */
export function errorText(error: ServiceError, labels?: Labels): string {
	return `${asSentence(errorMessage(error, labels))} ${error.hint}`;
}

/**
 * The service's code and the HTTP status of a failure, to be put after its text.
 * @returns empty if it has neither
 * @example errorFacts({ code: 'opted_out', status: 422 }) // ' (code opted_out, HTTP 422)'
 */
export function errorFacts({ code, status }: { readonly code?: string; readonly status?: number }): string {
	const known = [code && `code ${code}`, status && `HTTP ${status}`].filter(Boolean).join(', ');
	return known && ` (${known})`;
}

/**
 * Adds a period, unless the text already ends like a sentence.
 * @example asSentence('Access denied') // 'Access denied.'
 */
export function asSentence(text: string): string {
	return /[.!?…]$/.test(text) ? text : `${text}.`;
}
