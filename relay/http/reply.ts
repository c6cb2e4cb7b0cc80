import type { Context } from 'hono';
import type { z } from 'zod/v4';
import { bodyKind } from '../../shared/index';
import { Overloaded } from '../database/together';
import { storable } from '../events/jsonbText';
import { logProblem } from '../log';
import { HttpError } from './httpError';
import { issueText } from './issueText';
import { readBytes } from './readBytes';

/** How long a sender waits before it tries again, in seconds. */
const RETRY_AFTER = '5';

/** Makes the response of an error. Whatever is not expected counts as a database that is away, so the sender tries again. */
export function errorResponse(c: Context, error: unknown): Response {
	if (error instanceof HttpError) {
		const { status, code, message, field } = error;
		if (status === 503) c.header('retry-after', RETRY_AFTER);
		// The body was not read to its end. Without this, the sender's next request on the connection would be cut.
		if (status === 413) c.header('connection', 'close');
		return c.json({ error: { code, message, ...(field !== undefined && { field }) } }, status);
	}
	if (!(error instanceof Overloaded)) logProblem('A request failed', error);
	c.header('retry-after', RETRY_AFTER);
	const message =
		error instanceof Overloaded ? error.message : 'The database cannot be used now. Try again in a few seconds.';
	return c.json({ error: { code: 'unavailable', message } }, 503);
}

/** Codes of fields with a code of their own. */
const FIELD_CODES: ReadonlyMap<string, string> = new Map([
	['types', 'unknown_type'],
	['filter', 'unknown_filter'],
]);

/** Most characters of a name that an error repeats. */
const MOST_NAMED = 100;

/**
 * Parses a value from outside.
 * @throws HttpError 422 that names the field
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
	const read = schema.safeParse(value);
	if (!read.success) {
		const [issue] = read.error.issues;
		const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
		const path = [...(issue?.path ?? []), ...unknown];
		throw wrongField(path, issue ? issueText(issue, isMissing(value, path)) : 'is wrong');
	}
	const unstorable = pathOfUnstorable(read.data);
	if (unstorable) throw wrongField(unstorable, 'has a character that cannot be stored. Remove it');
	return read.data;
}

function wrongField(path: readonly PropertyKey[], problem: string): HttpError {
	const field = storable(path.map(String).join('.')).slice(0, MOST_NAMED);
	if (field === '') return new HttpError(422, 'invalid', 'Send one JSON object with the documented fields.');
	return new HttpError(422, FIELD_CODES.get(String(path[0])) ?? 'invalid', `${field} ${problem}.`, field);
}

/** Whether an object of the input lacks a field. A value within a list of the query is never missing. */
function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
	const holder = valueAt(value, path.slice(0, -1));
	return path.length > 0 && typeof holder === 'object' && holder !== null && valueAt(value, path) === undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
	let inner = value;
	for (const name of path) inner = typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined;
	return inner;
}

/** The path of the first text that PostgreSQL rejects: one with U+0000 or a lone surrogate. */
function pathOfUnstorable(value: unknown): string[] | undefined {
	if (typeof value === 'string') return storable(value) === value ? undefined : [];
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [name, inner] of Object.entries(value)) {
		const path = pathOfUnstorable(inner);
		if (path) return [name, ...path];
	}
	return undefined;
}

/**
 * Reads a JSON body.
 * @throws HttpError 413, 415, 422
 */
export async function readJson<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<z.output<Schema>> {
	const type = c.req.header('content-type');
	if (type !== undefined && bodyKind(type) !== 'json') {
		throw new HttpError(415, 'unsupported_media_type', 'The body is not JSON. Set Content-Type to application/json.');
	}
	const text = new TextDecoder().decode(await readBytes(c));
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		throw new HttpError(422, 'invalid', 'The body is not JSON. Send one JSON object.');
	}
	return parseInput(schema, value);
}
