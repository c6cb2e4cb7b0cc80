import { ApiError, ConnectionError, InputError, type ServiceError } from '../client/errors';
import { mapCalls, recipientsOf, type MakeCall, type MapOptions, type MapResult } from '../client/map';
import type { FailedOutcome, Outcome } from '../client/outcome';
import type { contract } from '../contract';
import type { InputOf, OutputOf } from '../contract/endpoint';
import { namedRecipients } from './namedRecipients';
import { watchForOutage } from './outage';
import type { Recipient } from './recipients';

/**
 * The input of POST /sms/bulk (docs/api.md#send-a-bulk-sms).
 * @example const input: BulkInput = { to: ['+233201234567'], sender_id: 'KOFISHOP', message: 'We are open' };
 */
export type BulkInput = InputOf<typeof contract.sms.sendBulk>;

/**
 * The output of POST /sms/bulk. Undocumented (docs/api.md#send-a-bulk-sms).
 * @example const { batch_id, cost }: BulkSendOutput = await client.sms.sendBulk(input);
 */
export type BulkSendOutput = OutputOf<typeof contract.sms.sendBulk>;

/**
 * The recipients of one request.
 * @example const [batch]: Batch[] = planBatches(recipients, { sender_id: 'KOFISHOP', message: 'We are open' });
 */
export interface Batch {
	/** Unique and stable within one plan, also if a batch is split: 0, 1, 1.0, 1.alone and so on. */
	readonly name: string;
	readonly input: BulkInput;
	readonly recipients: readonly Recipient[];
}

/**
 * The result of one batch.
 * @example for await (const result of sendBatches(make, batches)) rows.push(...recipientResults(result));
 */
export type BatchResult = MapResult<Batch, BulkSendOutput> & {
	/**
	 * Requests that left for it. If not given: one if it left, else none. The requests for a split batch count for its first
	 * part, so the sum over all results is the number of all requests.
	 */
	readonly requests?: number;
};

/** How batches are sent. */
export interface BatchOptions extends MapOptions {
	/**
	 * Whether a batch that the service rejects as a whole (422) is sent again without the numbers that the response names,
	 * or in halves if it names none, until the rejected numbers are found. Such a rejection ends the run only if several single
	 * numbers were rejected in the same words and none was accepted, for example because the gateway is down.
	 */
	readonly skipRejectedNumbers?: boolean;
}

/**
 * Default number of recipients in one request. The maximum is undocumented (docs/api.md#send-a-bulk-sms).
 * @example planBatches(recipients, text, DEFAULT_BATCH_SIZE);
 */
export const DEFAULT_BATCH_SIZE = 1000;

/** End of the name of a part with one number that is sent alone, see `outage.ts`. */
const ALONE = '.alone';

/**
 * Divides recipients into batches.
 * @param size maximum number of recipients in one request
 * @param first number of the first batch, if other batches precede it
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

/**
 * Removes recipients from planned batches. A batch keeps its name; a batch without recipients is removed.
 * @example keepRecipients(batches, ({ to }) => !optedOut.has(to));
 */
export function keepRecipients(
	batches: readonly Batch[],
	keep: (recipient: Recipient, text: BulkInput) => boolean,
): Batch[] {
	return batches
		.map(({ name, input, recipients }) =>
			batchOf(
				name,
				recipients.filter((one) => keep(one, input)),
				input,
			),
		)
		.filter(({ recipients }) => recipients.length > 0);
}

/**
 * Sends batches, several at a time, and gives their results in order. The parts of a split batch follow at the end.
 * Nothing is sent twice: only a batch that was certainly rejected as a whole is split, and only if `skipRejectedNumbers`
 * is set. If the run ends before such a batch can be sent again, its other recipients are `not_attempted`.
 * After a 429 or without time, their reason is the rejection of the batch, which explains more.
 * @param make makes the call of one batch; never throws
 * @example
 * const make = (batch: Batch, _: number, options: CallOptions) => client.call(contract.sms.sendBulk, batch.input, options);
 * for await (const result of sendBatches(make, batches)) console.log(result.outcome);
 */
export async function* sendBatches(
	make: MakeCall<Batch, BulkSendOutput>,
	batches: readonly Batch[],
	{ skipRejectedNumbers = false, stopOnFailure = false, ...options }: BatchOptions = {},
): AsyncGenerator<BatchResult, void, undefined> {
	const stopsAt = typeof stopOnFailure === 'function' ? stopOnFailure : () => stopOnFailure;
	const outage = watchForOutage();
	/** Names of the parts with a sample. A part of an earlier run is none. */
	const samples = new Set<string>();
	const watched: typeof make = async (batch, index, call) => {
		const result = await make(batch, index, call);
		outage.learn(batch.recipients, result, samples.has(batch.name));
		return result;
	};
	const stops = (failed: FailedOutcome) =>
		skipRejectedNumbers && mayBeOneRecipient(failed) ? outage.isCertain() : stopsAt(failed);
	let waiting = batches;
	const before = new Map<string, number>();
	/** The rejection of the batch that a part comes from, by name of the part. */
	const causes = new Map<string, ServiceError>();
	while (waiting.length > 0) {
		const split: Array<{ readonly result: RejectedBatch; readonly requests: number }> = [];
		let over: 'canceled' | ServiceError | undefined;
		const results = mapCalls(watched, waiting, ({ input }) => recipientsOf(input), {
			...options,
			stopOnFailure: stops,
		});
		for await (const result of results) {
			const requests = (before.get(result.input.name) ?? 0) + (hasLeft(result) ? 1 : 0);
			if (skipRejectedNumbers && mayBeOneRecipient(result) && result.input.recipients.length > 1) {
				if (outage.isCertain()) over ??= result.error;
				split.push({ result, requests });
				continue;
			}
			if (result.outcome === 'not_attempted') over ??= result.reason;
			else if (result.outcome !== 'accepted' && stops(result)) over ??= result.error;
			const cause = causes.get(result.input.name);
			if (cause && explainsLess(result)) {
				yield { index: result.index, input: result.input, outcome: 'not_attempted', reason: cause, requests };
			} else yield { ...(skipRejectedNumbers ? result : withAdvice(result)), requests };
		}
		if (options.signal?.aborted) over ??= 'canceled';
		const parts: Batch[] = [];
		for (const { result, requests } of split) {
			const { atFault, others } = partsOf(result, () => outage.sampleOf(result.input.recipients));
			for (const { name } of others) if (name.endsWith(ALONE)) samples.add(name);
			const [first] = [...atFault, ...others];
			if (first) before.set(first.name, requests);
			for (const part of others) causes.set(part.name, result.error);
			for (const input of atFault) yield { ...result, input, requests: before.get(input.name) ?? 0 };
			parts.push(...others);
		}
		if (over !== undefined) {
			for (const [index, input] of parts.entries()) {
				const reason = isTemporary(over) ? (causes.get(input.name) ?? over) : over;
				yield { index, input, outcome: 'not_attempted', reason, requests: before.get(input.name) ?? 0 };
			}
			return;
		}
		waiting = parts;
	}
}

/** Whether a part ended for a reason that explains less than the rejection of its batch. */
function explainsLess(result: MapResult<Batch, BulkSendOutput>): boolean {
	if (result.outcome === 'not_attempted') return isTemporary(result.reason);
	return result.outcome === 'rejected' && isTemporary(result.error);
}

function isTemporary(reason: 'canceled' | ServiceError): boolean {
	return reason === 'canceled' || reason.status === 429;
}

/**
 * The next step after a batch was rejected for one recipient.
 * @example const hint = `Nothing was sent or charged. ${SKIP_ADVICE}`;
 */
export const SKIP_ADVICE = 'To send to the others, turn on Skip Rejected Numbers.';

/** If only some recipients of a rejected batch may be at fault, names the option that sends to the others. */
function withAdvice(result: MapResult<Batch, BulkSendOutput>): MapResult<Batch, BulkSendOutput> {
	if (!mayBeOneRecipient(result) || result.input.recipients.length < 2) return result;
	const { message, hint: before, endpoint, sent, status, code, meaning, field } = result.error;
	const hint = `${before} ${SKIP_ADVICE}`;
	return { ...result, error: new ApiError(message, { endpoint, sent, status, code, meaning, field, hint }) };
}

type RejectedBatch = MapResult<Batch, BulkSendOutput> & FailedOutcome;

/**
 * Whether a rejection of a batch (422) may be due to single recipients, so that the others would be accepted.
 * @example if (mayBeOneRecipient(result)) console.log(result.error.message);
 */
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

/**
 * Whether the request of a batch left. It did not if the contract rejects its input, without a connection, or if a relay
 * left out all its recipients.
 * @example const requests = results.filter(hasLeft).length;
 */
export function hasLeft(result: Outcome<unknown> | { readonly outcome: 'not_attempted' }): boolean {
	if (result.outcome === 'not_attempted' || result.relay?.replayed === true) return false;
	const error = 'error' in result ? result.error : undefined;
	return !(error instanceof InputError || error instanceof ConnectionError);
}

/**
 * Splits a rejected batch: into one batch for each recipient that the response names, which are not sent again, and one
 * batch for the others. If it names none, or all, which only repeats the request, the batch is halved.
 * @param sample returns the place of the recipient of a halved batch that gets a request of its own
 */
function partsOf(
	{ input: batch, error }: RejectedBatch,
	sample: () => number | undefined,
): { atFault: readonly Batch[]; others: readonly Batch[] } {
	const { name, input, recipients } = batch;
	const named = new Set(namedRecipients(error.message, recipients));
	if (named.size === 0 || named.size === recipients.length) {
		const place = sample();
		const alone = recipients.filter((_, index) => index === place);
		const rest = recipients.filter((_, index) => index !== place);
		const first = alone.length === 0 ? [] : [batchOf(`${name}${ALONE}`, alone, input)];
		return { atFault: [], others: [...first, ...halvesOf({ ...batch, recipients: rest })] };
	}
	const others = recipients.filter((one) => !named.has(one));
	return {
		// Unique names, because callers remember batches by name.
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
