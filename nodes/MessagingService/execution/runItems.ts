import type { INodeExecutionData } from 'n8n-workflow';
import { countSegments, InputError, recipientsOf, ServiceError, withSentFields, type Outcome } from '../../../shared';
import { readOrError, sendOnceKey } from '../host/parameters';
import { OutsideHoursError } from '../host/sendingHours';
import { recipientParameter } from './recipientParameter';
import { predictedItems } from './dryRun';
import type { PlannedSend } from './guards';
import { earlierOutcome, earlierOutcomeOfItem, itemCaller, type Finish } from './idempotency/callOnce';
import type { Call, ItemOperation, Run } from './operation';
import { skipped, SkippedRow, toItems, type Item, type ItemUnit, type Known, type Result } from './outputItems';
import type { NotReserved, Reservation } from './reservation';
import { mapUnits, sendUnits, type Sending } from './sendUnits';
import { errorToStopWith, sentSummary } from './stop';

/** Number of results between two progress messages. */
const PROGRESS_STEP = 100;

/**
 * Runs an operation for every input item, several at a time. The outputs are linked to their items and keep their
 * order. An item that an earlier try of the run sent, or may have sent, keeps its outcome, even if its fields, the
 * guards, the credential or the key store no longer fit. All other items are read, and the guards are checked, before
 * the first message is sent. A failed item becomes a row with the error, unless the run has to stop. A rejected API key
 * and an empty wallet always end the run.
 * @throws NodeApiError, NodeOperationError for the first item that fails, if the run has to stop; its description lists
 * the messages that were sent, including those of earlier tries
 */
export async function runItems(run: Run, operation: ItemOperation): Promise<INodeExecutionData[][]> {
	const { stops, client } = run;
	const items: Item[] = [];
	for (const itemIndex of run.context.getInputData().keys()) items.push(await readItem(run, operation, itemIndex));
	const sending = new ItemSending(
		run,
		items,
		(outcome, call, index) => finish(run, operation, outcome, call, index),
		(index) => recipientParameter(run, index),
	);
	const stop = (error: ServiceError, itemIndex: number | undefined) =>
		errorToStopWith(run, error, itemIndex, sentSummary(run, sending.known));
	const unfit = items.findIndex((item) => item instanceof ServiceError);
	const wrong = items[unfit];
	if (stops && wrong instanceof ServiceError) throw stop(wrong, wrong === client ? undefined : unfit);
	const rejection = await sendUnits(run, sending);
	// A limit is about the run, not about an item.
	if (rejection) throw stop(rejection, undefined);
	const { results } = sending;

	const failed = results.find(({ outcome }) => outcome === 'rejected' || outcome === 'unknown');
	if (stops && failed && 'error' in failed) {
		throw errorToStopWith(run, failed.error, failed.input.index, sentSummary(run, results, failed));
	}
	if (run.dryRun) return [await predictedItems(run, run.dryRun, results)];
	return [results.flatMap((result) => toItems(run, result))];
}

/** Sends the items of a run, each with one call. They make one wave. */
export class ItemSending implements Sending<ItemUnit, unknown> {
	readonly map = mapUnits<ItemUnit, unknown>;
	/** The items that send a message in this try. */
	readonly candidates: ReadonlyArray<Call | undefined>;
	/** In the order of the items. */
	results: readonly Result[] = [];
	units: readonly ItemUnit[];
	/** The candidates that may be sent. Of those that share a Send Once Key, at most one is sent. */
	#groups: ReadonlyArray<readonly number[]> = [];
	#usedBefore: Reservation['skippedRow'] = () => undefined;

	constructor(
		private readonly run: Run,
		items: readonly Item[],
		private readonly finish: Finish = (outcome) => outcome,
		/** Returns the recipient of an item that cannot be read; undefined if it has none. */
		recipientOfUnread: (index: number) => string | undefined = () => undefined,
	) {
		this.units = items.map((item, index) => ({
			index,
			item,
			names: namesOf(item),
			to: item instanceof ServiceError ? recipientOfUnread(index) : recipientOf(item),
			blocked: item === run.client || item instanceof OutsideHoursError ? item : undefined,
		}));
		this.candidates = items.map((item, index) => (isNewMessage(run, item, index) ? item : undefined));
	}

	/** The results of earlier tries. */
	get known(): Result[] {
		return this.units.flatMap((input) =>
			isKnown(input.item) ? [{ index: input.index, input, ...input.item.outcome }] : [],
		);
	}

	plan(maySend: (index: number) => boolean): PlannedSend[] {
		const groups = new Map<string, number[]>();
		for (const [index, call] of this.candidates.entries()) {
			if (!call || !maySend(index)) continue;
			const name = call.sendOnceKey === undefined ? `item ${index}` : `key ${call.sendOnceKey}`;
			const group = groups.get(name);
			if (group) group.push(index);
			else groups.set(name, [index]);
		}
		this.#groups = [...groups.values()];
		return this.#costliestOf(() => true);
	}

	begin(reservation: Reservation | NotReserved): boolean {
		this.#usedBefore = (index) => reservation.skippedRow(index);
		const { error } = reservation;
		if (error === undefined) return true;
		const isBlocked = this.candidates.map(
			(call, index) => call !== undefined && reservation.skippedRow(index) === undefined,
		);
		this.units = this.units.map((unit) => (isBlocked[unit.index] ? { ...unit, blocked: error } : unit));
		return !(this.run.stops && isBlocked.includes(true));
	}

	earlier({ item }: ItemUnit): Promise<Outcome<unknown>> | undefined {
		return isKnown(item) ? Promise.resolve(item.outcome) : undefined;
	}

	whyNot({ blocked }: ItemUnit): ServiceError | undefined {
		return blocked;
	}

	caller() {
		return itemCaller(this.run, this.#usedBefore, this.finish);
	}

	progress(done: number, total: number): string | undefined {
		return done % PROGRESS_STEP === 0 && done < total ? `${done} of ${total} items done` : undefined;
	}

	record(results: readonly Result[]): boolean {
		this.results = [...results].sort((one, other) => one.input.index - other.input.index);
		return false;
	}

	outcomes(): ReadonlyArray<Outcome<unknown> | undefined> {
		return this.results.map((result) =>
			wasSkipped(result) || result.outcome === 'not_attempted' ? undefined : result,
		);
	}

	unsent(): PlannedSend[] {
		const outcomes = this.outcomes();
		const certainlyNot = (index: number) => {
			const result = this.results[index];
			// Only the relay knew that it was sent before, so it counts as planned.
			if (this.run.relay && result && wasSkipped(result)) return false;
			return (outcomes[index]?.outcome ?? 'rejected') === 'rejected';
		};
		return this.#costliestOf((indexes) => indexes.every(certainlyNot));
	}

	/** The most expensive message of each group. */
	#costliestOf(counts: (indexes: readonly number[]) => boolean): PlannedSend[] {
		return this.#groups.filter(counts).flatMap((indexes) => {
			const all = indexes.flatMap((index) => this.candidates[index] ?? []).map(intendedBy);
			if (all.length < 2) return all;
			const segments = ({ text }: PlannedSend) => countSegments(text).segment_count;
			return all.reduce((most, one) => (segments(one) > segments(most) ? one : most));
		});
	}
}

async function readItem(run: Run, operation: ItemOperation, itemIndex: number): Promise<Item> {
	const { client } = run;
	const earlier = await earlierOutcomeOfItem(run, itemIndex);
	if (earlier) return { kind: 'known', outcome: earlier };
	const item = readOrError(() => prepare(run, operation, itemIndex));
	if (client instanceof ServiceError && !(isCall(item) && earlierOutcome(run, item, itemIndex))) return client;
	return item;
}

function prepare({ context, session }: Run, operation: ItemOperation, itemIndex: number): Item {
	const item = operation.prepare(context, itemIndex, session);
	if (!(item instanceof InputError) && item.kind === 'skip') return { kind: 'known', outcome: skipped(item.row) };
	if (!isCall(item) || !item.endpoint.charges) return item;
	const key = sendOnceKey(context, itemIndex);
	if (key instanceof InputError) return key;
	return key === undefined ? item : { ...item, sendOnceKey: key };
}

/** Changes the outcome of an item as its operation asks, and names recipient, sender and segments of an accepted send. */
function finish(run: Run, operation: ItemOperation, ...[outcome, call, index]: Parameters<Finish>): Outcome<unknown> {
	const finished = operation.finish?.(outcome, call, run.context, index) ?? outcome;
	if (finished.outcome !== 'accepted') return finished;
	const output = withSentFields(call.endpoint, call.input, Object(finished.output) as object);
	return { ...finished, output: { ...output, ...call.about } };
}

/** Messages to one recipient, and messages with one Send Once Key, are sent one after the other. */
function namesOf(item: Item): string[] {
	if (!isCall(item)) return [];
	const { input, sendOnceKey: key } = item;
	return [...recipientsOf(input), ...(key === undefined ? [] : [`key ${key}`])];
}

/** The only recipient of a message. */
function recipientOf(item: Item): string | undefined {
	return isCall(item) ? withSentFields(item.endpoint, item.input, {}).to : undefined;
}

function isCall(item: Item): item is Call {
	return !(item instanceof ServiceError) && item.kind === 'call';
}

function isKnown(item: Item): item is Known {
	return !(item instanceof ServiceError) && item.kind === 'known';
}

/** Whether an item sends a message in this try, not in an earlier one. */
function isNewMessage(run: Run, item: Item, itemIndex: number): item is Call {
	return isCall(item) && item.endpoint.charges !== false && !earlierOutcome(run, item, itemIndex);
}

function wasSkipped(result: Result): boolean {
	return result.outcome === 'accepted' && result.output instanceof SkippedRow;
}

function intendedBy({ endpoint, input }: Call): PlannedSend {
	// Only an SMS is charged by segments. A call of another endpoint counts as one.
	const text = endpoint.charges === 'segment' && typeof input.message === 'string' ? input.message : '';
	return { text, recipients: recipientsOf(input).length };
}
