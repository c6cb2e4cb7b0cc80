import { mapCalls, recipientsOf, type MakeCall, type MapOptions, type MapResult } from '../client/map';
import type { contract } from '../contract';
import type { InputOf, OutputOf } from '../contract/endpoint';
import type { Recipient } from './recipients';

/** What POST /sms/bulk takes (service.md, Bulk-send request). */
export type BulkInput = InputOf<typeof contract.sms.sendBulk>;

/** What it answers. */
export type BulkAnswer = OutputOf<typeof contract.sms.sendBulk>;

/** Recipients that go out in one request. */
export interface Batch {
	/** Stable within one plan, also when a batch is split: 0, 1, 1.0, 1.1 and so on. */
	readonly name: string;
	readonly input: BulkInput;
	readonly recipients: readonly Recipient[];
}

/** What became of one batch. */
export type BatchResult = MapResult<Batch, BulkAnswer>;

/** How batches are sent. */
export interface BatchOptions extends MapOptions {
	/** Whether a batch that the service refuses as a whole (422) is sent again in halves, down to the numbers at fault. */
	readonly splitRefused?: boolean;
}

/** Recipients of one request where nothing else is asked for; the interface names no limit. */
export const DEFAULT_BATCH_SIZE = 1000;

/**
 * Puts recipients into batches.
 * @param size most recipients of one request
 * @param first number of the first batch, where other batches go before
 */
export function planBatches(
	recipients: readonly Recipient[],
	text: Omit<BulkInput, 'to'>,
	size: number = DEFAULT_BATCH_SIZE,
	first = 0,
): Batch[] {
	return Array.from({ length: Math.ceil(recipients.length / size) }, (_, index) =>
		batchOf(String(first + index), recipients.slice(index * size, (index + 1) * size), text),
	);
}

/** Leaves recipients out of batches that are planned; a batch keeps its name, and goes where nobody is left of it. */
export function keepRecipients(
	batches: readonly Batch[],
	goes: (recipient: Recipient, text: BulkInput) => boolean,
): Batch[] {
	return batches
		.map(({ name, input, recipients }) =>
			batchOf(
				name,
				recipients.filter((one) => goes(one, input)),
				input,
			),
		)
		.filter(({ recipients }) => recipients.length > 0);
}

/**
 * Sends batches, several at a time, and gives what became of each, in order; halves of a refused batch follow at the end
 * in its place. Nothing is sent twice: only what was certainly refused as a whole is split, and only where asked.
 * @param make makes the call of one batch; never throws
 */
export async function* sendBatches(
	make: MakeCall<Batch, BulkAnswer>,
	batches: readonly Batch[],
	{ splitRefused = false, ...options }: BatchOptions = {},
): AsyncGenerator<BatchResult, void, undefined> {
	let waiting = batches;
	while (waiting.length > 0) {
		const refused: BatchResult[] = [];
		let over = false;
		const results = mapCalls(make, waiting, ({ input }) => recipientsOf(input), options);
		for await (const result of results) {
			if (splitRefused && mayBeOneRecipient(result) && result.input.recipients.length > 1) {
				refused.push(result);
				continue;
			}
			over ||= result.outcome === 'not_tried';
			yield result;
		}
		if (over || options.signal?.aborted) {
			yield* refused;
			return;
		}
		waiting = refused.flatMap(({ input }) => halvesOf(input));
	}
}

/** Whether a refusal of a batch (422) may be due to one of its recipients, so that the others would be taken alone. */
export function mayBeOneRecipient(result: BatchResult): boolean {
	return (
		result.outcome === 'rejected' &&
		result.error.status === 422 &&
		result.error.meaning !== 'insufficient_balance' &&
		result.error.meaning !== 'sender_not_approved'
	);
}

function halvesOf({ name, input, recipients }: Batch): Batch[] {
	const middle = Math.ceil(recipients.length / 2);
	return [
		batchOf(`${name}.0`, recipients.slice(0, middle), input),
		batchOf(`${name}.1`, recipients.slice(middle), input),
	];
}

function batchOf(name: string, recipients: readonly Recipient[], text: Omit<BulkInput, 'to'>): Batch {
	return { name, recipients, input: { ...text, to: recipients.map(({ to }) => to) } };
}
