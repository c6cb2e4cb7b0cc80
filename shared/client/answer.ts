import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import { findFields, findList, isObject, scopesOf } from '../contract/find';

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
 * Whether a body says in so many words that the call failed, or that it succeeded; undefined where it says neither.
 * The words stand at the top or under `data`.
 */
export function successFlag(body: unknown): boolean | undefined {
	if (!isObject(body)) return undefined;
	const flags = [body, body.data].map((part) => (isObject(part) ? part.success : undefined));
	if (flags.some((flag) => flag === false || flag === 'false' || flag === 0)) return false;
	if (flags.some((flag) => flag === true || flag === 'true' || flag === 1)) return true;
	return undefined;
}

const FAILING = /^(error|fail(ed|ure)?|rejected|declined|denied|invalid|undeliver(able|ed)|unsuccessful)$/i;

/** Whether a body speaks of a failure, though not by a success flag: by an error, a status or a code. */
export function tellsFailure(body: unknown): boolean {
	if (!isObject(body)) return false;
	return scopesOf(body).some(({ error, errors, ok, success, status, code, statusCode }) => {
		const complaint = [error, errors].some((value) => !isNothing(value));
		const flag = ok === false || (success !== undefined && ![true, 'true', 1].some((yes) => yes === success));
		const failing = status === false || (typeof status === 'string' && FAILING.test(status));
		return (
			complaint ||
			flag ||
			failing ||
			[code, statusCode, status].some((value) => Number(value) >= 400 && Number(value) < 600)
		);
	});
}

function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === false || value === '' || value === 0) return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether a body has what only an accepted message has: an id, or a cost above zero. */
export function tellsAcceptance(found: unknown): boolean {
	return isObject(found) && (!isNothing(found.message_id) || Number(found.cost) > 0);
}

/**
 * Finds the answer of an endpoint in a body whose envelope the interface does not show.
 * @returns what the endpoint's output schema is then parsed from, or undefined where nothing of the kind is there
 */
export function findAnswer({ answer, output }: Endpoint, body: unknown): unknown {
	if (answer.kind === 'list') return findList(body);
	if (!isObject(body)) return undefined;
	const found = output instanceof ZodObject ? findFields(body, output.shape, { aliases: answer.aliases }) : body;
	const success = successFlag(body);
	const whole = success === undefined ? found : { ...found, success };
	if (!answer.derived) return whole;
	const derived = Object.entries(answer.derived).map(([key, conclude]) => [key, conclude(body)] as const);
	return { ...whole, ...Object.fromEntries(derived) };
}
