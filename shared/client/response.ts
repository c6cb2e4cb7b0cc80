import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import { envelopesOf, findFields, findList, isObject } from '../contract/find';

/**
 * Parses a body that should be JSON. Integers too large for a number become text.
 * @returns the value in an object; undefined if the body is missing, incomplete or not JSON
 * @example parseJson('{"id":12345678901234567890}') // { value: { id: '12345678901234567890' } }
 */
export function parseJson(body: string | undefined): { value: unknown } | undefined {
	if (body === undefined) return undefined;
	try {
		const text = body.startsWith('\uFEFF') ? body.slice(1) : body;
		// A reviver is slow, and only a long row of digits can lose precision.
		const value: unknown = /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}

/** An integer too large for a number, such as a long ID, stays as written. */
function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
	const exact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
	return exact ? value : (context?.source ?? value);
}

/**
 * Whether the success flag of a body says that the call succeeded or failed; undefined if there is no clear flag. It may
 * be in any envelope.
 * @example successFlag({ data: { success: 'false' } }) // false
 */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const flags = envelopesOf(body).map((part) => part.success);
	if (flags.some((flag) => flag === false || flag === 'false' || flag === 0)) return false;
	if (flags.some((flag) => flag === true || flag === 'true' || flag === 1)) return true;
	return undefined;
}

/**
 * Finds the result of an endpoint in a body whose envelope is undocumented.
 * @returns the value for the endpoint's output schema; undefined if there is none
 */
export function extractOutput({ response, output }: Endpoint, body: unknown): unknown {
	if (response.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	const found = output instanceof ZodObject ? findFields(body, output.shape, { aliases: response.aliases }) : body;
	// A field of that name may belong to the record, as in a contact, so only a yes is copied from the envelope.
	const whole = successFlag(body) === true ? { ...found, success: true } : found;
	if (!response.derived) return whole;
	const derived = Object.entries(response.derived).map(([key, conclude]) => [key, conclude(body)] as const);
	return { ...whole, ...Object.fromEntries(derived) };
}
