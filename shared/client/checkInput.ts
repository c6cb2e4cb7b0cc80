import type { Endpoint } from '../contract/endpoint';
import { failedByInput, unknownFields, type FailedOutcome } from './outcome';

/**
 * An input that fits the contract, in the form in which it is sent; or the failure of a call with it.
 * @example const checked: CheckedInput = checkInput(contract.sms.send, input);
 */
export type CheckedInput =
	| { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
	| { readonly ok: false; readonly failed: FailedOutcome };

/**
 * Checks an input against the contract, as every call does before its request leaves. Makes no request.
 * @example
 * const checked = checkInput(contract.sms.send, input);
 * if (!checked.ok) console.log(checked.failed.error.message);
 */
export function checkInput(endpoint: Endpoint, input: Readonly<Record<string, unknown>>): CheckedInput {
	const parsed = endpoint.input.safeParse(input);
	if (!parsed.success) return { ok: false, failed: failedByInput(endpoint, parsed.error) };
	const unknown = unknownKeys(endpoint, input);
	if (unknown.length > 0) return { ok: false, failed: unknownFields(endpoint, unknown) };
	return { ok: true, data: parsed.data };
}

/** Without this check, a misspelled or misplaced field would be ignored, such as a send time on a single send. */
function unknownKeys({ input }: Endpoint, given: Readonly<Record<string, unknown>>): string[] {
	if (input.def.catchall) return [];
	return Object.keys(given).filter((key) => given[key] !== undefined && !Object.hasOwn(input.shape, key));
}
