import { z } from 'zod/v4';
import { HttpError } from './httpError';

/**
 * Checks outside data against a schema.
 * @returns the parsed data
 * @throws HttpError 422 `validation` that names each invalid field (docs/api.md#errors)
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
	const parsed = z.safeParse(schema, data);
	if (parsed.success) return parsed.data;
	const issues = parsed.error.issues.map((issue) => describeIssue(issue, data));
	throw new HttpError(422, 'validation', issues.join('; '));
}

/** Parses a JSON body. @throws HttpError 422 `validation` if it is not JSON */
export function parseRequestJson(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		throw new HttpError(422, 'validation', 'The body is not JSON.');
	}
}

/**
 * Describes the problem of a field for users.
 * @param data the value that was checked
 */
export function describeIssue(issue: z.core.$ZodIssue, data: unknown): string {
	if (issue.code === 'unrecognized_keys') return `unknown fields: ${issue.keys.join(', ')}`;
	const field = issue.path.map(String).join('.');
	if (field === '') return issue.message;
	if (issue.path.reduce<unknown>(step, data) === undefined) return `${field} is missing`;
	if (/^(is|has) /.test(issue.message)) return `${field} ${issue.message}`;
	return `${field}: ${issue.message}`;
}

function step(value: unknown, key: PropertyKey): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
