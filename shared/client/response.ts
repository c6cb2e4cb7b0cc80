import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import { envelopesOf, findFields, findList, isObject } from '../contract/find';

/**
 * Parses a body that should be JSON.
 * @returns the value in a box, or undefined where the body is missing, cut off, HTML or anything else
 */
export function parseJson(body: string | undefined): { value: unknown } | undefined {
	if (body === undefined) return undefined;
	try {
		const text = body.startsWith('\uFEFF') ? body.slice(1) : body;
		// Looking at every value is slow, and only a long row of digits can lose any.
		const value: unknown = /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
		return { value };
	} catch {
		return undefined;
	}
}

/** An integer too large for a number, such as a long id, stays as it was written. */
function exactInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
	const exact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
	return exact ? value : (context?.source ?? value);
}

/**
 * Whether a body says in so many words that the call failed, or that it succeeded; undefined if it says neither. The
 * flag may be in any envelope.
 */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const flags = envelopesOf(body).map((part) => part.success);
	if (flags.some((flag) => flag === false || flag === 'false' || flag === 0)) return false;
	if (flags.some((flag) => flag === true || flag === 'true' || flag === 1)) return true;
	return undefined;
}

/**
 * Finds the answer of an endpoint in a body whose envelope the interface does not show.
 * @returns what the endpoint's output schema is then parsed from, or undefined where nothing of the kind is there
 */
export function extractOutput({ answer, output }: Endpoint, body: unknown): unknown {
	if (answer.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	const found = output instanceof ZodObject ? findFields(body, output.shape, { aliases: answer.aliases }) : body;
	// A field of that name may be one that was sent, as in a contact: only a yes is taken from the envelope.
	const whole = successFlag(body) === true ? { ...found, success: true } : found;
	if (!answer.derived) return whole;
	const derived = Object.entries(answer.derived).map(([key, conclude]) => [key, conclude(body)] as const);
	return { ...whole, ...Object.fromEntries(derived) };
}
