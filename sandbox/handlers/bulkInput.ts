import { z } from 'zod/v4';
import type { contract } from '../../shared/contract';
import { phoneNumber } from '../../shared/contract/fields';
import { isObject } from '../../shared/contract/find';
import { parseInput } from '../http/parse';
import { HttpError } from '../http/httpError';
import { SLICE_LENGTH, slicesOf } from '../performance';
import type { Services } from '../services';

/** Maximum recipients of one bulk send. */
export const MAX_RECIPIENTS = 100_000;

/**
 * Splits the recipients into slices. Other requests run between them.
 * @throws HttpError 500 if the sandbox stops meanwhile
 */
export async function* recipientSlices<Item>(
	recipients: readonly Item[],
	{ stopping }: Pick<Services, 'stopping'>,
): ReturnType<typeof slicesOf<Item>> {
	for await (const part of slicesOf(recipients)) {
		if (stopping.aborted) throw new HttpError(500, 'server_error', 'The sandbox is stopping.');
		yield part;
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
	if (to.length <= SLICE_LENGTH || !isObject(raw)) return parseInput(schema, raw);
	const input = parseInput(schema, { ...raw, to: to.slice(0, SLICE_LENGTH) });
	const numbers: string[] = [];
	for await (const { first, slice } of recipientSlices(to, services)) {
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
