import type { Context } from 'hono';
import { z } from 'zod/v4';
import { readJson } from '../http/body';
import type { Exchange } from '../http/exchange';
import { parseInput } from '../http/parse';
import { Refusal } from '../http/refusal';

/** Reads a request's JSON body by a schema. @throws Refusal 413 or 422 */
export async function readBodyAs<Schema extends z.ZodType>(
	c: Context<Exchange>,
	schema: Schema,
): Promise<z.output<Schema>> {
	return parseInput(schema, await readJson(c.env.incoming));
}

/** Reads a number that came as text in a path or a query. */
export const wholeNumber = z
	.string()
	.regex(/^\d{1,12}$/, 'is not a whole number')
	.transform(Number);

/** Which part of a long list is asked for. */
export const pageInput = z.object({
	limit: wholeNumber.default(100),
	offset: wholeNumber.default(0),
});

/** Gives what was found. @throws Refusal 404 `not_found` where it is undefined */
export function found<Value>(value: Value | undefined, what: string): Value {
	if (value === undefined) throw new Refusal(404, 'not_found', `There is no ${what}.`);
	return value;
}
