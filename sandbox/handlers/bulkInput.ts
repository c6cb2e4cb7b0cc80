import { z } from 'zod/v4';
import type { contract } from '../../shared/contract';
import { phoneNumber } from '../../shared/contract/fields';
import { isObject } from '../../shared/contract/find';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import type { Services } from '../services';
import { createYield } from '../yieldToEventLoop';

/** Maximum recipients of one bulk send. */
export const MAX_RECIPIENTS = 100_000;

/** Recipients handled at once: large enough to be fast, small enough not to block other requests. */
const SLICE = 500;

/**
 * Splits a long list into slices. Other requests run between them.
 * @throws HttpError 500 if the sandbox stops meanwhile
 */
export async function* slicesOf<Item>(
	list: readonly Item[],
	{ stopping }: Pick<Services, 'stopping'>,
): AsyncGenerator<{ readonly first: number; readonly slice: readonly Item[] }> {
	const turn = createYield();
	for (let first = 0; first < list.length; first += SLICE) {
		yield { first, slice: list.slice(first, first + SLICE) };
		await turn();
		if (stopping.aborted) throw new HttpError(500, 'server_error', 'The sandbox is stopping.');
	}
}

/**
 * Checks the input of a bulk send slice by slice, because 100,000 numbers at once would block other requests.
 * @throws HttpError 422 `validation` that names each invalid number of the first slice that has one
 */
export async function parseBulk<Schema extends typeof contract.sms.sendBulk.input>(
	schema: Schema,
	raw: unknown,
	services: Services,
): Promise<z.output<Schema>> {
	const to: readonly unknown[] = isObject(raw) && Array.isArray(raw.to) ? raw.to : [];
	if (to.length > MAX_RECIPIENTS) {
		const message = `to has ${to.length} numbers. One request accepts at most ${MAX_RECIPIENTS}.`;
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

/** Rejects a slice. The message names each invalid number by its position in the whole list. */
function reject(first: number, slice: readonly unknown[]): never {
	const wrong = slice.flatMap((value, index) =>
		phoneNumber.safeParse(value).success ? [] : [[String(first + index), value] as const],
	);
	const schema = z.object({ to: z.object(Object.fromEntries(wrong.map(([place]) => [place, phoneNumber]))) });
	parseInput(schema, { to: Object.fromEntries(wrong) });
	throw new Error('a slice was rejected without an invalid number');
}
