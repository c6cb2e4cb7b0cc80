import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../../shared/index';
import type { StoredFields } from './store';

/** The response fields that a replay has. They hold no text, no one-time code and no number of a person. */
export const STORED_FIELDS: ReadonlySet<string> = new Set([
	...['success', 'message_id', 'verification_id', 'batch_id', 'id', 'reference', 'status'],
	...['cost', 'billed_via', 'balance', 'currency'],
	...['valid', 'carrier', 'country'],
	...['checkout_url', 'amount_credit', 'fee', 'fee_rate', 'total_wallet', 'total_charged_ghs'],
]);

/** Most characters of a stored text. A longer one is no ID, status or URL. */
const MOST_CHARACTERS = 2_000;

/**
 * Picks the fields of a response that are stored: those of the endpoint's output that are listed.
 * @param output by the endpoint's schema
 */
export function pickFields({ output: schema }: Endpoint, output: unknown): StoredFields {
	if (typeof output !== 'object' || output === null || !(schema instanceof ZodObject)) return {};
	const picked: Record<string, string | number | boolean> = {};
	for (const [name, value] of Object.entries(output)) {
		if (!STORED_FIELDS.has(name) || !Object.hasOwn(schema.shape, name)) continue;
		if (typeof value === 'string' && value.length <= MOST_CHARACTERS) picked[name] = value;
		else if (typeof value === 'number' || typeof value === 'boolean') picked[name] = value;
	}
	// A verdict that the client concluded without a clear yes or no is not a field of the service.
	if ('verdict' in output && output.verdict !== 'right' && output.verdict !== 'wrong') delete picked.valid;
	return picked;
}

/** Rebuilds the service's response from stored fields. */
export function rebuiltBody(fields: StoredFields | null): string {
	return JSON.stringify({ success: true, ...fields });
}
