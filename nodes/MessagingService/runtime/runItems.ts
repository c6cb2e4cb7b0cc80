import type { INodeExecutionData } from 'n8n-workflow';
import {
	countSegments,
	InputError,
	mapCalls,
	recipientsOf,
	ServiceError,
	type CallOptions,
	type Outcome,
} from '../../../shared';
import { reserve, type Reservation } from './reservation';
import { alreadySentRow } from './alreadySent';
import { calledByAgent } from './calledByAgent';
import { callRemembered, earlierOutcome, wasCalled, type Finish } from './callOnce';
import type { PlannedSend } from './guards';
import { SkippedRow, toItems, type Item, type Known, type Result } from './outputItems';
import type { Call, ItemOperation, Run } from './operation';
import { readOrError, sendOnceKey } from './parameters';
import { sentSummary } from './sentSummary';
import { usedKeyRow } from './sendOnce';
import { errorToStopWith } from './stop';

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
	const { context, stops } = run;
	const read: Item[] = [];
	for (const itemIndex of context.getInputData().keys()) read.push(await readItem(run, operation, itemIndex));
	stopAtUnfit(run, read);
	const candidates = read.map((item, itemIndex) => (isNewMessage(run, item, itemIndex) ? item : undefined));
	const messages = new Messages(candidates);
	const reservation = await reserve(run, candidates, (maySend) => messages.intended(maySend));
	const items = read.map((item, index) =>
		candidates[index] && reservation instanceof InputError ? reservation : item,
	);
	stopAtUnfit(run, items);

	const results = await doAll(run, operation, items, reservation);
	if (!(reservation instanceof InputError)) {
		const outcomes = results.map((result) =>
			wasSkipped(result) || result.outcome === 'not_attempted' ? undefined : result,
		);
		await reservation.settle(outcomes, messages.unsent(outcomes));
	}
	const failed = results.find(({ outcome }) => outcome === 'rejected' || outcome === 'unknown');
	if (stops && failed && 'error' in failed) {
		throw errorToStopWith(run, failed.error, failed.index, sentSummary(run, results, failed));
	}
	return [results.flatMap((result) => toItems(run, result))];
}

/** If the run stops at a failure and an item cannot be sent, throws before the first message is sent. */
function stopAtUnfit(run: Run, items: readonly Item[]): void {
	const { stops, client } = run;
	const unfit = items.findIndex((item) => item instanceof ServiceError);
	const wrong = items[unfit];
	if (!stops || !(wrong instanceof ServiceError)) return;
	const earlier = knownResults(items);
	throw errorToStopWith(run, wrong, wrong === client ? undefined : unfit, sentSummary(run, earlier));
}

async function doAll(
	run: Run,
	operation: ItemOperation,
	items: readonly Item[],
	reservation: Reservation | InputError,
): Promise<Result[]> {
	const { context, parallel, stops } = run;
	/** The outcome of the first message of this run under each key. If it was rejected, the next item may use the key. */
	const usedKeys = new Map<string, Outcome<unknown>>();
	const make = async (item: Item, itemIndex: number, options: CallOptions) => {
		const used = reservation instanceof InputError ? undefined : reservation.skippedRow(itemIndex);
		if (used) return skipped(new SkippedRow(used));
		const key = isCall(item) ? item.sendOnceKey : undefined;
		const first = key === undefined ? undefined : usedKeys.get(key);
		if (key !== undefined && first) return skipped(new SkippedRow(usedKeyRow(run, key, first)));
		const outcome = await perform(run, operation, item, itemIndex, options);
		if (key !== undefined && outcome.outcome !== 'rejected') usedKeys.set(key, outcome);
		return outcome;
	};
	// Items that share one of these names run one after the other.
	const alike = (item: Item) => {
		if (!isCall(item)) return [];
		const { input, sendOnceKey: key } = item;
		return [...recipientsOf(input), ...(key === undefined ? [] : [`key ${key}`])];
	};
	const results = knownResults(items);
	const toDo = [...items.entries()].filter(([, item]) => !isKnown(item));
	const failed = stops ? results.find(({ outcome }) => outcome === 'unknown') : undefined;
	if (failed && 'error' in failed) {
		const reason = failed.error;
		for (const [index, input] of toDo) results.push({ index, input, outcome: 'not_attempted', reason });
	} else {
		// Known outcomes are left out, so that they stay the same however the run ends.
		const options = { concurrency: parallel, signal: context.getExecutionCancelSignal(), stopOnFailure: stops };
		const makeOne = async ([index, item]: [number, Item], _: number, call: CallOptions) =>
			await make(item, index, call);
		for await (const { input, ...result } of mapCalls(makeOne, toDo, ([, item]) => alike(item), options)) {
			results.push({ ...result, index: input[0], input: input[1] });
			if (results.length % PROGRESS_STEP === 0 && results.length < items.length) {
				context.sendMessageToUI(`${results.length} of ${items.length} items done`);
			}
		}
	}
	return results.sort((one, other) => one.index - other.index);
}

function knownResults(items: readonly Item[]): Result[] {
	return items.flatMap((item, index) => (isKnown(item) ? [{ index, input: item, ...item.outcome }] : []));
}

function isKnown(item: Item): item is Known {
	return !(item instanceof ServiceError) && item.kind === 'known';
}

async function readItem(run: Run, operation: ItemOperation, itemIndex: number): Promise<Item> {
	const { client } = run;
	const earlier = await earlierOutcome(run, itemIndex);
	if (earlier) return { kind: 'known', outcome: earlier };
	const item = readOrError(() => prepare(run, operation, itemIndex));
	if (client instanceof ServiceError && !(isCall(item) && wasCalled(run, item, itemIndex))) return client;
	return item;
}

function prepare({ context, session }: Run, operation: ItemOperation, itemIndex: number): Item {
	const item = operation.prepare(context, itemIndex, session);
	if (!isCall(item) || !item.endpoint.charges) return item;
	const key = sendOnceKey(context, itemIndex);
	if (key instanceof InputError) return key;
	return key === undefined ? item : { ...item, sendOnceKey: key };
}

function isCall(item: Item): item is Call {
	return !(item instanceof ServiceError) && item.kind === 'call';
}

/** Whether an item sends a message in this try, not in an earlier one. */
function isNewMessage(run: Run, item: Item, itemIndex: number): item is Call {
	return isCall(item) && item.endpoint.charges && !wasCalled(run, item, itemIndex);
}

function skipped(row: SkippedRow): Outcome<unknown> {
	return { outcome: 'accepted', output: row };
}

function wasSkipped(result: Result): boolean {
	return result.outcome === 'accepted' && result.output instanceof SkippedRow;
}

async function perform(
	run: Run,
	operation: ItemOperation,
	item: Item,
	itemIndex: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	const { context, client } = run;
	if (item instanceof ServiceError) return { outcome: 'rejected', error: item };
	if (isKnown(item)) return item.outcome;
	if (item.kind === 'task') {
		return client instanceof ServiceError ? { outcome: 'rejected', error: client } : await item.run(client, options);
	}
	const finish: Finish = (made, call) => operation.finish?.(made, call, context, itemIndex) ?? made;
	const { outcome, repeated } = await callRemembered(run, item, itemIndex, options, finish);
	if (!repeated || outcome.outcome !== 'accepted' || !calledByAgent(context)) return outcome;
	if (item.endpoint.charges) return skipped(new SkippedRow(alreadySentRow(run, item, outcome.output)));
	return { outcome: 'accepted', output: { ...Object(outcome.output), already_sent: true } as unknown };
}

/**
 * The messages that the guards count. Of items that share a Send Once Key at most one is sent, so the most expensive one
 * counts.
 */
class Messages {
	readonly #groups = new Map<string, number[]>();

	constructor(private readonly candidates: ReadonlyArray<Call | undefined>) {}

	/** @param maySend whether a candidate may be sent */
	intended(maySend: (index: number) => boolean): PlannedSend[] {
		for (const [index, call] of this.candidates.entries()) {
			if (!call || !maySend(index)) continue;
			const name = call.sendOnceKey === undefined ? `item ${index}` : `key ${call.sendOnceKey}`;
			const group = this.#groups.get(name);
			if (group) group.push(index);
			else this.#groups.set(name, [index]);
		}
		return this.#costliestOf(() => true);
	}

	/** The messages that were certainly not accepted. */
	unsent(outcomes: ReadonlyArray<Outcome<unknown> | undefined>): PlannedSend[] {
		const certainlyNot = (index: number) => (outcomes[index]?.outcome ?? 'rejected') === 'rejected';
		return this.#costliestOf((indexes) => indexes.every(certainlyNot));
	}

	#costliestOf(counts: (indexes: readonly number[]) => boolean): PlannedSend[] {
		return [...this.#groups.values()].filter(counts).flatMap((indexes) => {
			const all = indexes.flatMap((index) => this.candidates[index] ?? []).map(intendedBy);
			if (all.length < 2) return all;
			const segments = ({ text }: PlannedSend) => countSegments(text).segment_count;
			return all.reduce((most, one) => (segments(one) > segments(most) ? one : most));
		});
	}
}

function intendedBy({ endpoint, input }: Call): PlannedSend {
	// Only an SMS is charged by segments. A call or a lookup counts as one.
	const text = endpoint.charges === 'segment' && typeof input.message === 'string' ? input.message : '';
	return { text, recipients: recipientsOf(input).length };
}
