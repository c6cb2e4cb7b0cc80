import {
	contract,
	firstMessage,
	InputError,
	keepRecipients,
	KEY_REUSED,
	mayBeOneRecipient,
	recipientResults,
	reusedRecipient,
	sendBatches,
	ServiceError,
	skippedResults,
	type Batch,
	type BatchResult,
	type BulkSendOutput,
	type Outcome,
	type Recipient,
	type RecipientResult,
} from '../../../../shared';
import type { PlannedSend } from '../guards';
import { reserveForAgent, sentByAgent, type AgentRecipients } from '../idempotency/agentRecipients';
import { callOnce, earlierOutcome } from '../idempotency/callOnce';
import { reusedKey } from '../idempotency/keyedMessage';
import { rankRecipients } from '../idempotency/messageNames';
import { relayKeysOfBatch } from '../idempotency/relayKeys';
import { SENT_UNDER_KEY } from '../idempotency/relayOutcomes';
import { repeatedResult, usedRecipient, type UsedKey } from '../idempotency/sendOnceKeys';
import { makeCall, type Run } from '../operation';
import { notReserved, reserve, type Reservation } from '../reservation';
import { sendUnits } from '../sendUnits';
import { showNothingSent } from '../stop';
import type { BulkAttempt } from './attempts';
import { bulkKeysOf, type BulkKeys } from './bulkKeys';
import {
	isSendable,
	movedFrom,
	nameOfText,
	planBulk,
	recipientsOfItem,
	type BulkItems,
	type BulkPlan,
	type BulkRunOptions,
} from './bulkPlan';
import { outcomesByItem } from './bulkRows';

/** Why a run has to stop, and the item that this is about, if it is about one. */
export interface SendingRejection {
	readonly error: ServiceError;
	readonly index: number | undefined;
}

/** Sends the recipients of all items of a bulk send in requests. */
export class BulkSending {
	/** The results of the requests, in order. */
	readonly results: BatchResult[] = [];
	readonly keys: BulkKeys;
	/** By item index. */
	readonly #textNames: readonly string[];
	/** Why each recipient of an item gets nothing, whose key was used before the run or belongs to another message of it. */
	readonly #used: Map<number, UsedKey>;
	/** The items whose Send Once Keys the run has. */
	#held: ReadonlySet<number>;
	#plan: BulkPlan = { batches: [], skipped: [] };
	/** Items whose recipients were planned. */
	readonly #planned: Set<number>;
	#nextNumber: number;
	/** Recipients to whom an earlier call of an agent sent the same message. */
	readonly #repeated: RecipientResult[] = [];

	constructor(
		private readonly run: Run,
		private readonly bulk: BulkItems,
		private readonly before: BulkAttempt | undefined,
	) {
		this.keys = bulkKeysOf(run, bulk);
		this.#used = new Map(before?.used);
		this.#held = before?.held ?? new Set();
		this.#planned = new Set(before?.planned);
		this.#nextNumber = before?.nextNumber ?? 0;
		this.#textNames = bulk.items.map((item) => (item instanceof InputError ? '' : nameOfText(item.text)));
	}

	/** The results of all recipients of the planned items. */
	get recipients(): RecipientResult[] {
		const sent = this.results.flatMap(recipientResults).map((one) => this.#sentBefore(one));
		return [...sent, ...skippedResults(this.#plan.skipped), ...this.#repeated];
	}

	/**
	 * The results of recipients to whom nothing is sent because of their Send Once Keys.
	 * @param sent the results of the planned items
	 */
	ofUsedKeys(sent: readonly RecipientResult[]): RecipientResult[] {
		const { messages, shared, reused } = this.keys;
		const rows: RecipientResult[] = reused.map(({ key, to, source, position }) => ({
			...{ to, source, position, outcome: 'rejected' },
			error: reusedKey({ key, endpoint: contract.sms.sendBulk.id }, to),
		}));
		const byItem = new Map<number, Map<string, RecipientResult>>();
		for (const one of shared.size > 0 ? sent : []) {
			const ofItem = byItem.get(one.source) ?? new Map<string, RecipientResult>();
			byItem.set(one.source, ofItem.set(one.to, one));
		}
		for (const [index, item] of this.bulk.items.entries()) {
			const owner = shared.get(index);
			const message = messages[index];
			if (item instanceof InputError || !message) continue;
			const whySkipped =
				owner === 'reused'
					? (to: string) => usedRecipient(this.run, message, owner, to)
					: this.#used.get(owner ?? index);
			if (!whySkipped && owner === undefined) continue;
			const { recipients, skipped } = recipientsOfItem(this.bulk, item);
			const first = typeof owner === 'number' ? byItem.get(owner) : undefined;
			for (const { to, position } of recipients) {
				const place = { to, source: index, position };
				const known = first?.get(to);
				if (whySkipped) rows.push({ ...place, ...whySkipped(to) });
				else if (known) rows.push({ ...repeatedResult(this.run, known), ...place });
			}
			for (const one of skippedResults(skipped)) rows.push({ ...one, source: index });
		}
		return rows;
	}

	/** This try, for the next one. */
	get attempt(): BulkAttempt {
		const plan = { batches: this.results.map(({ input }) => input), skipped: this.#plan.skipped };
		const used = this.#used;
		return { bulk: this.bulk, plan, planned: this.#planned, nextNumber: this.#nextNumber, held: this.#held, used };
	}

	/**
	 * Claims the keys, checks the guards, and makes the requests. Requests of an earlier try keep their outcomes.
	 * @returns why the run has to stop; undefined if it goes on
	 */
	async send(): Promise<SendingRejection | undefined> {
		const { run, before } = this;
		const { client, stops, byAgent } = run;
		const { messages, shared } = this.keys;
		const [other] = this.keys.reused;
		const reused = [...shared].find(([, owner]) => owner === 'reused')?.[0];
		const message = reused === undefined ? undefined : messages[reused];
		if (stops && message) return { error: reusedKey(message, message.to), index: reused };
		if (stops && other) {
			const endpoint = contract.sms.sendBulk.id;
			return { error: reusedKey({ key: other.key, endpoint }, other.to), index: other.source };
		}
		const keyed = messages.map((one, index) => (shared.has(index) || this.#used.has(index) ? undefined : one));
		let agentRecipients: AgentRecipients | undefined;
		let planned: Batch[] | undefined;
		const plan = (stateOf: Reservation['stateOf']) => {
			for (const [index, one] of keyed.entries()) {
				const state = stateOf(index);
				if (!one || state === undefined || state === 'new') continue;
				this.#used.set(index, (to) => usedRecipient(run, one, state, to));
			}
			this.#planAll();
			if (byAgent) {
				agentRecipients = reserveForAgent(run, this.#plan.batches);
				this.#plan = { ...this.#plan, batches: agentRecipients.batches };
			}
			planned = this.#plan.batches.filter((batch) => !earlierOutcome(run, callOf(batch), placeOf(batch)));
			return planned.map(intendedBy);
		};
		const reservation =
			client instanceof ServiceError ? notReserved(client) : await reserve(run, keyed, this.#held, plan);
		const { error: blocked, index } = reservation;
		const rejection = blocked && stops ? { error: blocked, index } : undefined;
		// An agent's call may contain recipients to whom an earlier call sent the message. A run that continues has a row for
		// each recipient.
		if (rejection && !before && !byAgent) return rejection;
		if (!planned) plan(reservation.stateOf);
		const isEarlier = (batch: Batch) => !planned?.includes(batch);
		if (blocked && this.bulk.items.some((item, place) => isSendable(item) && !this.#used.has(place))) {
			showNothingSent(run, blocked, this.#plan.batches.some(isEarlier));
		}
		const results = await sendUnits<Batch, BulkSendOutput>(run, this.#plan.batches, {
			earlier: (batch) => earlierOutcome(run, callOf(batch), placeOf(batch))?.then(readBulkOutcome),
			whyNot: () => blocked,
			call: async (batch, _, options) => {
				// All items of a batch have the same.
				const moved = movedFrom(this.bulk.items[batch.recipients[0]?.source ?? -1]);
				const keys = async () => await relayKeysOfBatch(run, batch, (item) => this.#sendOnceKeyOf(item), moved);
				const { outcome } = await callOnce(run, callOf(batch), placeOf(batch), options, { keys });
				return readBulkOutcome(outcome);
			},
			map: (call, batches, options) => {
				const { skipRejectedNumbers } = this.bulk.options;
				return sendBatches(call, batches, { ...options, skipRejectedNumbers });
			},
			progress: (done, total) => (total > 1 ? `${done} of ${total} requests done` : undefined),
		});
		for (const one of (await agentRecipients?.finish(results)) ?? []) this.#repeated.push(one);
		for (const result of results) this.results.push(this.#withKey(result));
		await this.#settle(reservation, planned ?? []);
		return rejection;
	}

	/** Plans all requests. Recipients that an earlier try planned stay in their requests, whose outcomes may be known. */
	#planAll(): void {
		const { run, bulk, before, keys } = this;
		const goes = (index: number) => {
			const item = bulk.items[index];
			return item !== undefined && isSendable(item) && !this.#used.has(index) && !keys.shared.has(index);
		};
		const reused = new Set(keys.reused.map(({ source, position }) => `${source} ${position}`));
		const keep = ({ source, position }: Recipient) => goes(source) && !reused.has(`${source} ${position}`);
		const earlier = keepRecipients(before?.plan.batches ?? [], keep);
		const fresh = planBulk(bulk, (index) => goes(index) && !before?.planned.has(index), this.#nextNumber);
		this.#nextNumber += fresh.batches.length;
		const batches = keepRecipients(fresh.batches, keep);
		if (run.relay) rankRecipients(batches);
		for (const index of bulk.items.keys()) if (goes(index)) this.#planned.add(index);
		const skipped = [...(before?.plan.skipped.filter(({ source }) => goes(source)) ?? []), ...fresh.skipped];
		this.#plan = { batches: [...earlier, ...batches], skipped };
	}

	/** @param planned the requests that were not made by an earlier try */
	async #settle(reservation: Reservation, planned: readonly Batch[]): Promise<void> {
		const outcomes = outcomesByItem(this.recipients, (index) => this.#textNames[index] ?? '');
		this.#held = new Set([...outcomes.keys()].filter((index) => this.keys.messages[index]));
		const earlier = new Set(this.#plan.batches.filter((batch) => !planned.includes(batch)).map(({ name }) => name));
		const unsent = this.results.filter(
			({ outcome, input }) => (outcome === 'rejected' || outcome === 'not_attempted') && !earlier.has(input.name),
		);
		await reservation.settle(
			this.bulk.items.map((_, index) => outcomes.get(index)),
			unsent.map(({ input }) => intendedBy(input)),
		);
	}

	/** Names the key that a relay rejected, and its recipient. */
	#withKey(result: BatchResult): BatchResult {
		if (result.outcome !== 'rejected' || result.error.code !== KEY_REUSED) return result;
		const { endpoint, status } = result.error;
		const { recipients } = result.input;
		const reused = recipients.length === 1 ? recipients[0] : reusedRecipient(result.error, recipients);
		const key = reused && this.#sendOnceKeyOf(reused.source);
		if (!reused || key === undefined) return result;
		return { ...result, error: reusedKey({ key, endpoint, status }, reused.to, recipients.length) };
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
