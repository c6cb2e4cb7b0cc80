import { z } from 'zod/v4';
import type { contract } from '../../shared/contract';
import { phoneNumber } from '../../shared/contract/fields';
import { isObject } from '../../shared/contract/find';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import type { Services } from '../services';
import { createYield } from '../yieldToEventLoop';

/** Most recipients of one bulk send. */
export const MAX_RECIPIENTS = 100_000;

/** How many of them are dealt with in one go: long enough to be quick, short enough not to be felt. */
const SLICE = 500;

/**
 * Takes a long list apart, with turns for other requests in between.
 * @throws Refusal 500 where the sandbox stops meanwhile
 */
export async function* slicesOf<Item>(
	list: readonly Item[],
	{ stopping }: Pick<Services, 'stopping'>,
): AsyncGenerator<{ readonly first: number; readonly slice: readonly Item[] }> {
	const turn = createYield();
	for (let first = 0; first < list.length; first += SLICE) {
		yield { first, slice: list.slice(first, first + SLICE) };
		await turn();
		if (stopping.aborted) throw new HttpError(500, 'server_error', 'The sandbox is being stopped.');
	}
}

/**
 * Checks the input of a bulk send slice by slice: 100,000 numbers in one go would hold up every other request.
 * @throws Refusal 422 `validation` that names what is wrong in the first slice where anything is
 */
export async function parseBulk<Schema extends typeof contract.sms.sendBulk.input>(
	schema: Schema,
	raw: unknown,
	services: Services,
): Promise<z.output<Schema>> {
	const to: readonly unknown[] = isObject(raw) && Array.isArray(raw.to) ? raw.to : [];
	if (to.length > MAX_RECIPIENTS) {
		const message = `to has ${to.length} numbers, the most that one call takes is ${MAX_RECIPIENTS}.`;
		throw new HttpError(422, 'validation', message);
	}
	if (to.length <= SLICE || !isObject(raw)) return parseInput(schema, raw);
	const input = parseInput(schema, { ...raw, to: to.slice(0, SLICE) });
	const numbers: string[] = [];
	for await (const { first, slice } of slicesOf(to, services)) {
		const parsed = schema.shape.to.safeParse(slice);
		numbers.push(...(parsed.data ?? reject(first, slice)));
	}
	return { ...input, to: numbers };
}

/** Refuses a slice, each wrong number under its place in the whole list. */
function reject(first: number, slice: readonly unknown[]): never {
	const wrong = slice.flatMap((value, index) =>
		phoneNumber.safeParse(value).success ? [] : [[String(first + index), value] as const],
	);
	const schema = z.object({ to: z.object(Object.fromEntries(wrong.map(([place]) => [place, phoneNumber]))) });
	parseInput(schema, { to: Object.fromEntries(wrong) });
	throw new Error('a slice was refused in which nothing is wrong');
}
