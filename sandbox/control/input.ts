import type { Context } from 'hono';
import { z } from 'zod/v4';
import { readJson } from '../http/body';
import type { HonoEnv } from '../http/env';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';

/** Reads a request's JSON body by a schema. @throws HttpError 413 or 422 */
export async function readBodyAs<Schema extends z.ZodType>(
	c: Context<HonoEnv>,
	schema: Schema,
): Promise<z.output<Schema>> {
	return parseInput(schema, await readJson(c.env.incoming));
}

/** Parses a whole number from a path or a query. */
export const wholeNumber = z
	.string()
	.regex(/^\d{1,12}$/, 'is not a whole number')
	.transform(Number);

/** Maximum items of one response. A longer one would block other requests. */
export const MAX_ITEMS = 1000;

const limit = wholeNumber.refine((count) => count <= MAX_ITEMS, `is above ${MAX_ITEMS}`);

/** Limit and offset of a list. The default limit is the maximum of one response. */
export const listInput = z.object({ limit: limit.default(MAX_ITEMS), offset: wholeNumber.default(0) });

/** Limit and offset of a list, 100 items by default. */
export const pageInput = z.object({ limit: limit.default(100), offset: wholeNumber.default(0) });

/** What to search for, in a list. SQLite cannot search for much longer texts. */
export const searchText = z.string().max(1000, 'has more than 1000 characters').optional();

/** Sends a page of a list. The header `x-total-count` has the length of the whole list. */
export function sendPage(c: Context<HonoEnv>, items: readonly unknown[], total: number): Response {
	c.header('x-total-count', String(total));
	return c.json(items);
}

/** Returns the value. @throws HttpError 404 `not_found` if it is undefined */
export function orNotFound<Value>(value: Value | undefined, what: string): Value {
	if (value === undefined) throw new HttpError(404, 'not_found', `There is no ${what}.`);
	return value;
}
