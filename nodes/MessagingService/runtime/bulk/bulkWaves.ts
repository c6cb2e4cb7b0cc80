import {
	AuthError,
	contract,
	InsufficientBalanceError,
	keepRecipients,
	mayBeOneRecipient,
	RateLimitError,
	recipientResults,
	sendBatches,
	ServiceError,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type CallOptions,
	type Outcome,
	type RecipientResult,
	type SkippedRecipient,
} from '../../../../shared';
import { calledByAgent } from '../calledByAgent';
import { callOnce, wasCalled } from '../callOnce';
import type { PlannedSend } from '../guards';
import { makeCall, type Run } from '../operation';
import { reserveForAgent, type AgentRecipients } from './agentDedupe';
import { nameOfText, planBulk, type BulkItems, type BulkRunOptions, type BulkPlan } from './bulkPlan';
import type { BulkAttempt } from './attempts';

/**
 * Sends the items of a bulk send in waves. The first wave has all items that may go out at once. The next ones have
 * items that waited for the outcome of others.
 */
export class BulkWaves {
	/** The results of the requests, in order. */
	readonly results: BatchResult[] = [];
	/** Recipients that were skipped. */
	readonly skipped: SkippedRecipient[] = [];
	/** Recipients to whom an earlier call of an agent sent the same message. */
	readonly repeated: RecipientResult[] = [];
	readonly #planned = new Set<number>();
	/** Requests that an earlier try made. The guards have already counted them. */
	readonly #counted = new Set<string>();
	#plan: BulkPlan = { batches: [], skipped: [] };
	#agentTexts: AgentRecipients | undefined;
	#nextNumber: number;
	/** Number of results that the guards know. */
	#settled = 0;

	constructor(
		private readonly run: Run,
		private readonly bulk: BulkItems,
		private readonly before: BulkAttempt | undefined,
	) {
		this.#nextNumber = before?.nextNumber ?? 0;
	}

	/** The requests of this try, for the next one. */
	get carriedOut(): Pick<BulkAttempt, 'plan' | 'planned' | 'nextNumber'> {
		const plan = { batches: this.results.map(({ input }) => input), skipped: this.skipped };
		return { plan, planned: this.#planned, nextNumber: this.#nextNumber };
	}

	/**
	 * Plans the next wave. Recipients that an earlier try planned stay in their requests, whose outcomes may be known.
	 * @returns the messages that are about to be sent
	 */
	plan(wave: ReadonlySet<number>): PlannedSend[] {
		const { run, bulk, before } = this;
		const goes = ({ source }: { readonly source: number }) => wave.has(source);
		const earlier = keepRecipients(before?.plan.batches ?? [], goes);
		const fresh = planBulk(bulk, (index) => wave.has(index) && !before?.planned.has(index), this.#nextNumber);
		this.#nextNumber += fresh.batches.length;
		for (const index of wave) this.#planned.add(index);
		this.#plan = this.#withoutRepeated({
			batches: [...earlier, ...fresh.batches],
			skipped: [...(before?.plan.skipped.filter(goes) ?? []), ...fresh.skipped],
		});
		if (calledByAgent(run.context)) {
			this.#agentTexts = reserveForAgent(run.context, this.#plan);
			this.#plan = this.#agentTexts.plan;
		}
		for (const batch of this.#plan.batches) if (this.#isKnown(batch)) this.#counted.add(batch.name);
		return this.#plan.batches.filter((batch) => !this.#counted.has(batch.name)).map(intendedBy);
	}

	/**
	 * Sends the wave that was planned last.
	 * @param blocked why nothing new may be sent; requests of an earlier try keep their outcomes
	 */
	async send(blocked: ServiceError | undefined): Promise<void> {
		const { context, parallel, stops } = this.run;
		const { skipRejectedNumbers } = this.bulk.options;
		const { batches } = this.#plan;
		const make = async (batch: Batch, _: number, callOptions: CallOptions): Promise<Outcome<BulkSendOutput>> => {
			if (blocked) return { outcome: 'rejected', error: blocked };
			return readBulkOutcome(await callOnce(this.run, callOf(batch), placeOf(batch), callOptions));
		};
		const signal = context.getExecutionCancelSignal();
		const results: BatchResult[] = [];
		// Known outcomes are left out, so that they stay the same however the run ends.
		const known = new Set(batches.filter((batch) => this.#isKnown(batch)));
		for (const [index, input] of [...known].entries()) {
			const outcome = readBulkOutcome(await callOnce(this.run, callOf(input), placeOf(input), { signal }));
			results.push({ index, input, ...outcome });
		}
		const toDo = batches.filter((batch) => !known.has(batch));
		const failed = stops ? results.find(({ outcome }) => outcome === 'unknown') : undefined;
		if (failed && 'error' in failed) {
			const reason = failed.error;
			for (const [index, input] of toDo.entries()) results.push({ index, input, outcome: 'not_attempted', reason });
		} else {
			const options = { concurrency: parallel, signal, stopOnFailure: stops, skipRejectedNumbers };
			for await (const result of sendBatches(make, toDo, options)) {
				results.push(result);
				if (batches.length > 1) context.sendMessageToUI(`${results.length} of ${batches.length} requests done`);
			}
		}
		for (const one of (await this.#agentTexts?.finish(results)) ?? []) this.repeated.push(one);
		for (const result of results) this.results.push(result);
		for (const one of this.#plan.skipped) this.skipped.push(one);
	}

	/** The messages that were certainly not accepted since the last call of this method. */
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

	/** Why the run has ended, so that no other wave is sent. Undefined if it has not ended. */
	over(): 'canceled' | ServiceError | undefined {
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

	#isKnown(batch: Batch): boolean {
		return wasCalled(this.run, callOf(batch), placeOf(batch));
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
	return { outcome: 'accepted', output: contract.sms.sendBulk.output.parse(outcome.output) };
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
