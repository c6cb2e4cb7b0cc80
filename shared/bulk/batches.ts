import { ConnectionError, InputError, type ServiceError } from '../client/errors';
import { mapCalls, recipientsOf, type MakeCall, type MapOptions, type MapResult } from '../client/map';
import type { FailedOutcome, Outcome } from '../client/outcome';
import type { contract } from '../contract';
import type { InputOf, OutputOf } from '../contract/endpoint';
import { namedRecipients } from './namedRecipients';
import type { Recipient } from './recipients';

/** What POST /sms/bulk takes (docs/api.md#send-a-bulk-sms). */
export type BulkInput = InputOf<typeof contract.sms.sendBulk>;

/** What it answers. */
export type BulkSendOutput = OutputOf<typeof contract.sms.sendBulk>;

/** Recipients that go out in one request. */
export interface Batch {
	/** Stable within one plan, also when a batch is split: 0, 1, 1.0, 1.1 and so on. */
	readonly name: string;
	readonly input: BulkInput;
	readonly recipients: readonly Recipient[];
}

/** What became of one batch. */
export type BatchResult = MapResult<Batch, BulkSendOutput> & {
	/**
	 * Requests that left for it; one, if it has left, unless given. Those for a batch that was split count for the first of
	 * its parts, so the sum over all results is the sum of all requests.
	 */
	readonly requests?: number;
};

/** How batches are sent. */
export interface BatchOptions extends MapOptions {
	/**
	 * Whether a batch that the service rejects as a whole (422) is sent again without the numbers that the response names,
	 * or in halves if it names none, down to the numbers at fault. Such a rejection never ends the run.
	 */
	readonly skipRejectedNumbers?: boolean;
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
 * Sends batches, several at a time, and gives what became of each, in order; the parts of a batch that was split follow
 * at the end. Nothing is sent twice: only a batch that was certainly rejected as a whole is split, and only where asked.
 * If the run ends before such a batch can be sent again, its other recipients are `not_attempted`.
 * @param make makes the call of one batch; never throws
 */
export async function* sendBatches(
	make: MakeCall<Batch, BulkSendOutput>,
	batches: readonly Batch[],
	{ skipRejectedNumbers = false, stopOnFailure = false, ...options }: BatchOptions = {},
): AsyncGenerator<BatchResult, void, undefined> {
	const stopsAt = typeof stopOnFailure === 'function' ? stopOnFailure : () => stopOnFailure;
	const stops = (failed: FailedOutcome) => !(skipRejectedNumbers && mayBeOneRecipient(failed)) && stopsAt(failed);
	let waiting = batches;
	const before = new Map<string, number>();
	while (waiting.length > 0) {
		const split: Array<{ readonly result: RejectedBatch; readonly requests: number }> = [];
		let over: 'cancelled' | ServiceError | undefined;
		const results = mapCalls(make, waiting, ({ input }) => recipientsOf(input), {
			...options,
			stopOnFailure: stops,
		});
		for await (const result of results) {
			const requests = (before.get(result.input.name) ?? 0) + (hasLeft(result) ? 1 : 0);
			if (skipRejectedNumbers && mayBeOneRecipient(result) && result.input.recipients.length > 1) {
				split.push({ result, requests });
				continue;
			}
			if (result.outcome === 'not_attempted') over ??= result.reason;
			else if (result.outcome !== 'accepted' && stops(result)) over ??= result.error;
			yield { ...result, requests };
		}
		if (options.signal?.aborted) over ??= 'cancelled';
		const parts: Batch[] = [];
		for (const { result, requests } of split) {
			const { atFault, others } = partsOf(result);
			const [first] = [...atFault, ...others];
			if (first) before.set(first.name, requests);
			for (const input of atFault) yield { ...result, input, requests: before.get(input.name) ?? 0 };
			parts.push(...others);
		}
		if (over !== undefined) {
			for (const [index, input] of parts.entries()) {
				yield { index, input, outcome: 'not_attempted', reason: over, requests: before.get(input.name) ?? 0 };
			}
			return;
		}
		waiting = parts;
	}
}

type RejectedBatch = MapResult<Batch, BulkSendOutput> & FailedOutcome;

/** Whether a rejection of a batch (422) may be due to one of its recipients, so that the others would be accepted alone. */
export function mayBeOneRecipient<Result extends MapResult<Batch, BulkSendOutput> | FailedOutcome>(
	result: Result,
): result is Result & FailedOutcome {
	return (
		result.outcome === 'rejected' &&
		result.error.status === 422 &&
		result.error.meaning !== 'insufficient_balance' &&
		result.error.meaning !== 'sender_not_approved'
	);
}

/** Whether the request of a batch left; one with an input that the contract rejects, or without a connection, did not. */
export function hasLeft(result: Outcome<unknown> | { readonly outcome: 'not_attempted' }): boolean {
	if (result.outcome === 'not_attempted') return false;
	const error = 'error' in result ? result.error : undefined;
	return !(error instanceof InputError || error instanceof ConnectionError);
}

/**
 * Splits a batch that was rejected: into one for each recipient that the response names, who are not sent to again, and
 * one for the others; or into halves if it names nobody. A response that names everybody repeats the request and names
 * nobody.
 */
function partsOf({ input: batch, error }: RejectedBatch): { atFault: readonly Batch[]; others: readonly Batch[] } {
	const { name, input, recipients } = batch;
	const named = new Set(namedRecipients(error.message, recipients));
	if (named.size === 0 || named.size === recipients.length) return { atFault: [], others: halvesOf(batch) };
	const others = recipients.filter((one) => !named.has(one));
	return {
		// Names of their own: whoever remembers batches by name must not take one for another.
		atFault: [...named].map((one, index) => batchOf(`${name}.${index + 1}`, [one], input)),
		others: [batchOf(`${name}.0`, others, input)],
	};
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
