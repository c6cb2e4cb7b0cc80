import {
	AuthError,
	contract,
	firstMessage,
	InputError,
	InsufficientBalanceError,
	keepRecipients,
	mayBeOneRecipient,
	RateLimitError,
	recipientResults,
	sendBatches,
	ServiceError,
	skippedResults,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type MakeCall,
	type MapOptions,
	type MapResult,
	type Outcome,
	type RecipientResult,
	type SkippedRecipient,
} from '../../../../shared';
import type { PlannedSend } from '../guards';
import { reserveForAgent, sentByAgent, type AgentRecipients } from '../idempotency/agentRecipients';
import { callOnce, earlierOutcome } from '../idempotency/callOnce';
import { rankRecipients } from '../idempotency/messageNames';
import { relayKeysOfBatch } from '../idempotency/relayKeys';
import { SENT_UNDER_KEY, type KeyedContent } from '../idempotency/relayOutcomes';
import { makeCall, type Run } from '../operation';
import type { NotReserved, Reservation } from '../reservation';
import type { Sending } from '../sendUnits';
import type { BulkAttempt } from './attempts';
import { BulkKeys } from './bulkKeys';
import { nameOfText, planBulk, type BulkItems, type BulkRunOptions, type BulkPlan } from './bulkPlan';
import { outcomesByItem } from './bulkRows';

/**
 * Sends the recipients of all items in requests. The first wave has all items that may go out at once. The next ones
 * have items that waited for the outcome of others, because they share a Send Once Key.
 */
export class BulkSending implements Sending<Batch, BulkSendOutput> {
	/** The results of the requests, in order. */
	readonly results: BatchResult[] = [];
	/** Why the run ended before all items were sent. */
	over: 'canceled' | ServiceError | undefined;
	readonly keys: BulkKeys;
	/** By item index. */
	readonly #textNames: readonly string[];
	/** The items of the planned wave. */
	#wave: ReadonlySet<number> = new Set();
	#plan: BulkPlan = { batches: [], skipped: [] };
	/** Items whose recipients were planned. */
	readonly #planned = new Set<number>();
	#nextNumber: number;
	/** Requests that an earlier try made. The guards have already counted them. */
	readonly #counted = new Set<string>();
	/** Number of results that the guards know. */
	#settled = 0;
	readonly #skipped: SkippedRecipient[] = [];
	#agentRecipients: AgentRecipients | undefined;
	/** Recipients to whom an earlier call of an agent sent the same message. */
	readonly #repeated: RecipientResult[] = [];

	constructor(
		private readonly run: Run,
		private readonly bulk: BulkItems,
		private readonly before: BulkAttempt | undefined,
	) {
		this.keys = new BulkKeys(run, bulk, before);
		this.#nextNumber = before?.nextNumber ?? 0;
		this.#textNames = bulk.items.map((item) => (item instanceof InputError ? '' : nameOfText(item.text)));
	}

	get candidates() {
		return this.keys.candidates;
	}

	get units(): readonly Batch[] {
		return this.#plan.batches;
	}

	/** The results of all recipients of the planned items. */
	get recipients(): RecipientResult[] {
		const sent = this.results.flatMap(recipientResults).map((one) => this.#sentBefore(one));
		return [...sent, ...skippedResults(this.#skipped), ...this.#repeated];
	}

	/** This try, for the next one. */
	get attempt(): BulkAttempt {
		const plan = { batches: this.results.map(({ input }) => input), skipped: this.#skipped };
		const { held, used } = this.keys;
		return { bulk: this.bulk, plan, planned: this.#planned, nextNumber: this.#nextNumber, held, used };
	}

	/** Plans the next wave. Recipients that an earlier try planned stay in their requests, whose outcomes may be known. */
	plan(maySend: (index: number) => boolean): PlannedSend[] {
		const { run, bulk, before } = this;
		const wave = this.#nextWave(maySend);
		const goes = ({ source }: { readonly source: number }) => wave.has(source);
		const earlier = keepRecipients(before?.plan.batches ?? [], goes);
		const fresh = planBulk(bulk, (index) => wave.has(index) && !before?.planned.has(index), this.#nextNumber);
		this.#nextNumber += fresh.batches.length;
		if (run.relay) rankRecipients(fresh.batches);
		for (const index of wave) this.#planned.add(index);
		this.#wave = wave;
		this.#plan = this.#withoutRepeated({
			batches: [...earlier, ...fresh.batches],
			skipped: [...(before?.plan.skipped.filter(goes) ?? []), ...fresh.skipped],
		});
		if (run.byAgent) {
			this.#agentRecipients = reserveForAgent(run, this.#plan.batches);
			this.#plan = { ...this.#plan, batches: this.#agentRecipients.batches };
		}
		for (const batch of this.#plan.batches) {
			if (earlierOutcome(run, callOf(batch), placeOf(batch))) this.#counted.add(batch.name);
		}
		return this.#plan.batches.filter((batch) => !this.#counted.has(batch.name)).map(intendedBy);
	}

	/**
	 * The next items. An item whose numbers are all invalid or excluded holds no key, so limits and Check Balance count the
	 * item after it before anything is sent. A duplicate counts as sent with the item that it repeats.
	 */
	#nextWave(maySend: (index: number) => boolean): ReadonlySet<number> {
		const empty = new Set<number>();
		if (!this.keys.areShared) return this.keys.next(maySend);
		for (;;) {
			const wave = this.keys.next(maySend, empty);
			const { batches, skipped } = planBulk(this.bulk, (index) => wave.has(index));
			const repeated = skipped.filter(({ reason }) => reason === 'duplicate');
			const kept = new Set(
				[...batches.flatMap(({ recipients }) => recipients), ...repeated].map(({ source }) => source),
			);
			const more = [...wave].filter((index) => !kept.has(index) && !empty.has(index));
			if (more.length === 0) return wave;
			for (const index of more) empty.add(index);
		}
	}

	begin(reservation: Reservation | NotReserved): boolean {
		this.keys.addUsed(reservation);
		if (reservation.error === undefined) return true;
		// An agent's call may contain recipients to whom an earlier call sent the message. A run that continues has a row for
		// each recipient.
		return this.before !== undefined || this.run.byAgent || !this.run.stops;
	}

	earlier(batch: Batch): Promise<Outcome<BulkSendOutput>> | undefined {
		return earlierOutcome(this.run, callOf(batch), placeOf(batch))?.then(readBulkOutcome);
	}

	whyNot(_: Batch, blocked: ServiceError | undefined): ServiceError | undefined {
		return blocked;
	}

	caller(): MakeCall<Batch, BulkSendOutput> {
		return async (batch, _, options) => {
			const keys = async () => await relayKeysOfBatch(this.run, batch, (item) => this.#sendOnceKeyOf(item));
			const keyed = this.#keyedContents(batch);
			const { outcome } = await callOnce(this.run, callOf(batch), placeOf(batch), options, { keys, keyed });
			return readBulkOutcome(outcome);
		};
	}

	map(call: MakeCall<Batch, BulkSendOutput>, batches: readonly Batch[], options: MapOptions) {
		const { skipRejectedNumbers } = this.bulk.options;
		return sendBatches(call, batches, { ...options, skipRejectedNumbers });
	}

	progress(done: number, total: number): string | undefined {
		return total > 1 ? `${done} of ${total} requests done` : undefined;
	}

	async record(results: ReadonlyArray<MapResult<Batch, BulkSendOutput>>): Promise<boolean> {
		for (const one of (await this.#agentRecipients?.finish(results)) ?? []) this.#repeated.push(one);
		for (const result of results) this.results.push(result);
		for (const one of this.#plan.skipped) this.#skipped.push(one);
		this.keys.markSent(this.#wave, this.#outcomesByItem());
		if (this.keys.next().size === 0) return false;
		this.over = this.#whyOver();
		return this.over === undefined;
	}

	unsent(): PlannedSend[] {
		const results = this.results.slice(this.#settled);
		this.#settled = this.results.length;
		return results
			.filter(
				({ outcome, input }) =>
					(outcome === 'rejected' || outcome === 'not_attempted') && !this.#counted.has(input.name),
			)
			.map(({ input }) => intendedBy(input));
	}

	outcomes(): ReadonlyArray<Outcome<unknown> | undefined> {
		const outcomes = this.#outcomesByItem();
		return this.bulk.items.map((_, index) => outcomes.get(index));
	}

	/**
	 * The row of a recipient whom the relay left out. Without a Send Once Key, this execution sent the message, so it keeps
	 * its row.
	 */
	#sentBefore(one: RecipientResult): RecipientResult {
		if (one.outcome !== 'accepted' || !one.already_sent) return one;
		const { to, source, position } = one;
		const keyed = this.#sendOnceKeyOf(source) !== undefined;
		if (!keyed && !this.run.byAgent) return one;
		const message = keyed ? SENT_UNDER_KEY : sentByAgent(this.run.executionId);
		return {
			to,
			source,
			position,
			outcome: 'skipped',
			reason: 'already_sent',
			message,
			first: { outcome: 'accepted', output: firstMessage(one) },
		};
	}

	#sendOnceKeyOf(index: number): string | undefined {
		const item = this.bulk.items[index];
		return item === undefined || item instanceof InputError ? undefined : item.sendOnceKey;
	}

	/** The messages of a batch under Send Once Keys. Each recipient has a key, made from that of the item and the number. */
	#keyedContents({ input, recipients }: Batch): KeyedContent[] {
		const content = JSON.stringify({ ...input, to: undefined });
		return recipients.flatMap(({ source, to }) => {
			const key = this.#sendOnceKeyOf(source);
			return key === undefined ? [] : [{ key: JSON.stringify([key, to]), content }];
		});
	}

	#outcomesByItem(): ReadonlyMap<number, Outcome<unknown>> {
		return outcomesByItem(this.recipients, (index) => this.#textNames[index] ?? '');
	}

	/** Why the run has ended, so that no other wave is sent. Undefined if it has not ended. */
	#whyOver(): 'canceled' | ServiceError | undefined {
		const { context, stops } = this.run;
		if (context.getExecutionCancelSignal()?.aborted) return 'canceled';
		for (const result of this.results) {
			if (result.outcome === 'not_attempted') return result.reason;
			if (!('error' in result)) continue;
			const { error } = result;
			if (stops && fails(result, this.bulk.options)) return error;
			if ([AuthError, InsufficientBalanceError, RateLimitError].some((kind) => error instanceof kind)) return error;
		}
		return undefined;
	}

	/** Removes recipients who got the same message in an earlier wave. */
	#withoutRepeated({ batches, skipped }: BulkPlan): BulkPlan {
		if (this.results.length === 0) return { batches, skipped };
		const nameOf = (text: Batch['input'], to: string) => `${nameOfText(text)}${to}`;
		const sent = new Set(
			this.results.flatMap((result) =>
				recipientResults(result)
					.filter(({ outcome }) => outcome === 'accepted' || outcome === 'unknown')
					.map(({ to }) => nameOf(result.input.input, to)),
			),
		);
		const repeated: SkippedRecipient[] = [];
		const left = keepRecipients(batches, (one, text) => {
			if (!sent.has(nameOf(text, one.to))) return true;
			repeated.push({ ...one, reason: 'duplicate', message: 'This number is already in the list.' });
			return false;
		});
		return { batches: left, skipped: [...skipped, ...repeated] };
	}
}

/**
 * Whether a result is a failure of the run. With Skip Rejected Numbers on, the run continues without the rejected
 * numbers.
 */
export function fails(result: BatchResult, { skipRejectedNumbers }: BulkRunOptions): boolean {
	if (result.outcome === 'unknown') return true;
	return result.outcome === 'rejected' && !(skipRejectedNumbers && mayBeOneRecipient(result));
}

/** Restores the type: the ledger keeps outcomes of any call. This output has passed the same schema before. */
function readBulkOutcome(outcome: Outcome<unknown>): Outcome<BulkSendOutput> {
	if (outcome.outcome !== 'accepted') return outcome;
	return { ...outcome, output: contract.sms.sendBulk.output.parse(outcome.output) };
}

function callOf({ input }: Batch) {
	return makeCall(contract.sms.sendBulk, input);
}

function placeOf({ name }: Batch): string {
	return `batch ${name}`;
}

function intendedBy({ input }: Batch): PlannedSend {
	return { text: input.message, recipients: input.to.length };
}
