import type { INodeExecutionData } from 'n8n-workflow';
import {
	InputError,
	mapCalls,
	predictCall,
	recipientsOf,
	ServiceError,
	withSentFields,
	type Outcome,
} from '../../../shared';
import { letOthersRun } from '../host/letOthersRun';
import { readOrError, sendOnceKey } from '../host/parameters';
import { OutsideHoursError } from '../host/sendingHours';
import { recipientParameter } from './recipientParameter';
import { predictedItems } from './dryRun';
import type { PlannedSend } from './guards';
import { earlierOutcome, earlierOutcomeOfItem, itemCaller, type Finish } from './idempotency/callOnce';
import { keyedMessage, reusedKey, sharedKeys, type KeyedMessage } from './idempotency/keyedMessage';
import { usedKeyRow, type KeyState } from './idempotency/sendOnceKeys';
import type { Call, ItemOperation, Run } from './operation';
import { skipped, SkippedRow, toItems, type Item, type ItemUnit, type Known, type Result } from './outputItems';
import { notReserved, reserve, type Reservation } from './reservation';
import { sendUnits } from './sendUnits';
import { errorToStopWith, sentSummary, showNothingSent } from './stop';
import { hintAtTexts, sentTexts } from './textHints';

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
	const { stops } = run;
	const items: Item[] = [];
	for (const itemIndex of run.context.getInputData().keys()) {
		await letOthersRun(itemIndex);
		items.push(await readItem(run, operation, itemIndex));
	}
	const { results, rejection } = await sendItems(run, items, {
		finish: (outcome, call, index) => finish(run, operation, outcome, call, index),
		recipientOfUnread: (index) => recipientParameter(run, index),
	});
	if (rejection) throw errorToStopWith(run, rejection.error, rejection.index, sentSummary(run, results));

	const failed = results.find(({ outcome }) => outcome === 'rejected' || outcome === 'unknown');
	if (stops && failed && 'error' in failed) {
		throw errorToStopWith(run, failed.error, failed.input.index, sentSummary(run, results, failed));
	}
	if (run.dryRun) return [await predictedItems(run, run.dryRun, results)];
	hintAtTexts(run, sentTexts(results));
	return [results.flatMap((result) => toItems(run, result, operation))];
}

/** The results of a run, in the order of the items. */
interface SentItems {
	/** If the run has to stop before it sends: those of earlier tries. */
	readonly results: readonly Result[];
	/** Why the run has to stop before it sends, and the item that this is about, if it is about one. */
	readonly rejection?: { readonly error: ServiceError; readonly index: number | undefined };
}

/** How the items of a run are handled. */
interface ItemParts {
	readonly finish?: Finish;
	/** Returns the recipient of an item that cannot be read; undefined if it has none. */
	readonly recipientOfUnread?: (index: number) => string | undefined;
}

/**
 * Sends the items of a run, each with one call. Claims their Send Once Keys and checks the guards before the first call.
 * An item that repeats an earlier one under its key makes no call, and gets the outcome of that one.
 */
export async function sendItems(
	run: Run,
	given: readonly Item[],
	{ finish: finishItem = (outcome) => outcome, recipientOfUnread = () => undefined }: ItemParts = {},
): Promise<SentItems> {
	const { client, stops } = run;
	const messages = given.map((item, index) => (isNewMessage(run, item, index) ? item : undefined));
	const allKeyed = messages.map((call) => call && keyedMessage(call));
	const shared = sharedKeys(allKeyed);
	const units = given.map((item, index): ItemUnit => {
		// Only the row of a failure needs it.
		const to = isCall(item) ? recipientOf(item) : isAccepted(item) ? undefined : recipientOfUnread(index);
		const message = allKeyed[index];
		const unit = { index, names: isCall(item) ? recipientsOf(item.input) : [], to };
		return { ...unit, item: message && shared.get(index) === 'reused' ? reusedKey(message, message.to) : item };
	});
	const known = units.flatMap((input): Result[] =>
		isKnown(input.item) ? [{ index: input.index, input, ...input.item.outcome }] : [],
	);
	const unfit = units.find(({ item }) => item instanceof ServiceError);
	if (stops && unfit?.item instanceof ServiceError) {
		const { item: error, index } = unfit;
		return { results: known, rejection: { error, index: error === client ? undefined : index } };
	}

	const candidates = messages.map((call, index) => (shared.has(index) ? undefined : call));
	const keyed = allKeyed.map((message, index) => (shared.has(index) ? undefined : message));
	const isSent = (stateOf: Reservation['stateOf']) => (index: number) =>
		candidates[index] !== undefined && (stateOf(index) ?? 'new') === 'new';
	const intended = (goes: (index: number) => boolean) =>
		candidates.flatMap((call, index) => (call && goes(index) ? [intendedBy(call)] : []));
	const reservation =
		client instanceof ServiceError
			? notReserved(client)
			: await reserve(run, keyed, new Set(), (stateOf) => intended(isSent(stateOf)));
	const { error: blocked, stateOf } = reservation;
	const goes = isSent(stateOf);
	if (blocked) {
		// A limit is about the run, not about an item.
		const isBlocked = reservation.index !== undefined || [...candidates.keys()].some(goes);
		if (stops && isBlocked) return { results: known, rejection: { error: blocked, index: reservation.index } };
		if (candidates.some((call) => call !== undefined)) showNothingSent(run, blocked, known.length > 0);
	}

	const calling = units.filter(({ index }) => typeof shared.get(index) !== 'number');
	const called = await sendUnits(run, calling, {
		earlier: ({ item, index }) => {
			const outcome = outcomeBefore(run, item, keyed[index], stateOf(index));
			return outcome && Promise.resolve(outcome);
		},
		whyNot: ({ item, index }) => {
			if (item === client || item instanceof OutsideHoursError) return item;
			return blocked && goes(index) ? blocked : undefined;
		},
		call: itemCaller(run, finishItem),
		map: (call, inputs, options) => mapCalls(call, inputs, ({ names }) => names, options),
		progress: (done, total) =>
			done % PROGRESS_STEP === 0 && done < total ? `${done} of ${total} items done` : undefined,
	});
	const byIndex = new Map(called.map((result) => [result.input.index, result]));
	const results = units.flatMap((unit): Result[] => {
		const owner = shared.get(unit.index);
		const first = byIndex.get(typeof owner === 'number' ? owner : unit.index);
		if (!first) return [];
		const message = allKeyed[unit.index];
		return typeof owner === 'number' && message ? [repeatOf(run, unit, message, first)] : [first];
	});
	const outcomes = units.map(({ index }) => {
		const result = byIndex.get(index);
		return !result || wasSkipped(result) || result.outcome === 'not_attempted' ? undefined : result;
	});
	const unsent = intended((index) => {
		if (!goes(index)) return false;
		const result = byIndex.get(index);
		// Only the relay knew that it was sent before, so it counts as planned.
		if (run.relay && result && wasSkipped(result)) return false;
		return (outcomes[index]?.outcome ?? 'rejected') === 'rejected';
	});
	await reservation.settle(outcomes, unsent);
	return { results };
}

/** The outcome of an item that makes no call: it has one, it is wrong, or its Send Once Key was used before this run. */
function outcomeBefore(
	run: Run,
	item: Item,
	message: KeyedMessage | undefined,
	state: KeyState | undefined,
): Outcome<unknown> | undefined {
	if (item instanceof ServiceError) {
		if (item === run.client || item instanceof OutsideHoursError) return undefined;
		return { outcome: 'rejected', error: item };
	}
	if (item.kind === 'known') return item.outcome;
	if (message && state === 'same') return skipped(usedKeyRow(run, message));
	if (message && state === 'reused') return { outcome: 'rejected', error: reusedKey(message, message.to) };
	return undefined;
}

/** The result of an item with the same message and the same Send Once Key as an earlier item. */
function repeatOf(run: Run, input: ItemUnit, message: KeyedMessage, first: Result): Result {
	const place = { index: input.index, input };
	if (wasSkipped(first) || (first.outcome !== 'accepted' && first.outcome !== 'unknown')) return { ...first, ...place };
	return { ...place, ...skipped(usedKeyRow(run, message, first)) };
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
	if (!isCall(item)) return item;
	// Now, so that nothing is sent before a wrong field of a later item is found.
	const checked = predictCall(item.endpoint, item.input);
	if (checked.outcome !== 'accepted') return checked.error;
	if (!item.endpoint.charges) return item;
	const key = sendOnceKey(context, itemIndex);
	if (key instanceof InputError) return key;
	return key === undefined ? item : { ...item, sendOnceKey: key };
}

/** Changes the outcome of an item as its operation asks, and names recipient, sender and segments of an accepted send. */
function finish(run: Run, operation: ItemOperation, ...[outcome, call, index]: Parameters<Finish>): Outcome<unknown> {
	const finished = operation.finish?.(outcome, call, run.context, index) ?? outcome;
	if (finished.outcome !== 'accepted') return finished;
	const output = withSentFields(call.endpoint, call.input, Object(finished.output) as object);
	// An earlier call sent it, at a time of its own.
	return { ...finished, output: { ...output, ...(!finished.relay?.replayed && call.about) } };
}

/** The only recipient of a message. */
function recipientOf({ endpoint, input }: Call): string | undefined {
	return withSentFields(endpoint, input, {}).to;
}

function isAccepted(item: Item): boolean {
	return isKnown(item) && item.outcome.outcome === 'accepted';
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
