import type { Context } from 'hono';
import { z } from 'zod/v4';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';

/** Reads a request's JSON body by a schema. @throws Refusal 413 or 422 */
export async function readBodyAs<Schema extends z.ZodType>(
	c: Context<HonoEnv>,
	schema: Schema,
): Promise<z.output<Schema>> {
	return parseInput(schema, await readJson(c.env.incoming));
}

/** Reads a number that came as text in a path or a query. */
export const wholeNumber = z
	.string()
	.regex(/^\d{1,12}$/, 'is not a whole number')
	.transform(Number);

/** Most items of one answer: more would hold up every other request. */
export const MAX_ITEMS = 1000;

const limit = wholeNumber.refine((count) => count <= MAX_ITEMS, `is above ${MAX_ITEMS}`);

/** Which part of a long list is asked for; everything is told as far as one answer goes. */
export const listInput = z.object({ limit: limit.default(MAX_ITEMS), offset: wholeNumber.default(0) });

/** Which part of a long list is asked for, 100 items unless told. */
export const pageInput = z.object({ limit: limit.default(100), offset: wholeNumber.default(0) });

/** Answers with a part of a list, and in a header with how long the whole of it is. */
export function sendPage(c: Context<HonoEnv>, items: readonly unknown[], total: number): Response {
	c.header('x-total-count', String(total));
	return c.json(items);
}

/** Gives what was found. @throws Refusal 404 `not_found` where it is undefined */
export function orNotFound<Value>(value: Value | undefined, what: string): Value {
	if (value === undefined) throw new HttpError(404, 'not_found', `There is no ${what}.`);
	return value;
}
