import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { InputError, mapCalls, recipientsOf, type CallOptions, type Outcome } from '../../../shared';
import { admit, type Admission } from './admission';
import { callOnce, wasCalled } from './callOnce';
import { toNodeError } from './errors';
import type { Intended } from './guards';
import { againOf, isOnce, toItems, type Result } from './items';
import type { Call, ItemOperation, Run, Task, Work } from './operation';
import { readable, sendOnceKey } from './parameters';

/** How many results there are between two notes of progress. */
const PROGRESS_STEP = 100;

/** What is to be done for one item, or why it cannot be done. */
type Item = Work | InputError;

/**
 * Does an operation for every input item, several at a time, each output in the order of its item and linked to it.
 * All items are read, and what may be sent is decided, before the first is sent. A failed item becomes an item that says
 * why, unless the run is to stop; a refused key and an empty wallet end the run all the same.
 * @throws NodeApiError, NodeOperationError for the first item that fails, where the run is to stop; its description
 * names what was sent
 */
export async function runItems(run: Run, operation: ItemOperation): Promise<INodeExecutionData[][]> {
	const { context, stops } = run;
	const read = context.getInputData().map((_, itemIndex) => readable(() => prepare(run, operation, itemIndex), stops));
	stopAtUnfit(run, operation, read);
	const candidates = read.map((item, itemIndex) => (isNewMessage(run, item, itemIndex) ? item : undefined));
	const admission = await admit(run, candidates, (leaves) =>
		candidates.filter((_, index) => leaves(index)).flatMap((item) => (item ? intendedBy(item) : [])),
	);
	const items = read.map((item, index) => (candidates[index] ? admitted(admission, item, index) : item));
	stopAtUnfit(run, operation, items);

	const results = await doAll(run, operation, items);
	if (!(admission instanceof InputError)) {
		const unsent = results.filter(({ outcome }) => outcome === 'rejected' || outcome === 'not_tried');
		await admission.settle(
			results.map((result) => (result.outcome === 'not_tried' ? undefined : result)),
			unsent.flatMap(({ index }) => candidates[index] ?? []).flatMap(intendedBy),
		);
	}
	const failed = results.find(({ outcome }) => outcome === 'rejected' || outcome === 'unknown');
	if (stops && failed && 'error' in failed) {
		const error = toNodeError(context.getNode(), failed.error, failed.index, operation.labels);
		error.description = [error.description, sentIn(results)].filter(Boolean).join(' ');
		throw error;
	}
	return [results.flatMap((result) => toItems(context, operation.labels, result))];
}

/** Where the run stops at a failure, one that is known beforehand stops it before anything is sent. */
function stopAtUnfit({ context, stops }: Run, { labels }: ItemOperation, items: readonly Item[]): void {
	const unfit = items.findIndex((item) => item instanceof InputError);
	const wrong = items[unfit];
	if (stops && wrong instanceof InputError) throw toNodeError(context.getNode(), wrong, unfit, labels);
}

async function doAll(run: Run, operation: ItemOperation, items: readonly Item[]): Promise<Result[]> {
	const { context, parallel, stops } = run;
	const make = async (item: Item, itemIndex: number, options: CallOptions) =>
		await perform(run, operation, item, itemIndex, options);
	const recipients = (item: Item) => (isCall(item) ? recipientsOf(item.input) : []);
	const options = { concurrency: parallel, signal: context.getExecutionCancelSignal(), stopOnFailure: stops };
	const results: Result[] = [];
	for await (const result of mapCalls(make, items, recipients, options)) {
		results.push(result);
		if (results.length % PROGRESS_STEP === 0 && results.length < items.length) {
			context.sendMessageToUI(`${results.length} of ${items.length} items done`);
		}
	}
	return results;
}

function sentIn(results: readonly Result[]): string {
	const sent = results.filter(({ outcome, input }) => outcome === 'accepted' && isOnce(input));
	if (sent.length === 0) return '';
	const ids = sent.flatMap((result) => {
		const { message_id } = Object('output' in result ? result.output : {}) as { message_id?: unknown };
		return typeof message_id === 'string' ? [message_id] : [];
	});
	const named = ids.length > 5 ? [...ids.slice(0, 5), '…'] : ids;
	const were = sent.length === 1 ? '1 item of this run was' : `${sent.length} items of this run were`;
	const keyed = sent.every(({ input }) => !(input instanceof InputError) && 'sendOnceKey' in input);
	return `${were} already sent${named.length > 0 ? ` (${named.join(', ')})` : ''}${againOf(sent.length, keyed)}`;
}

function prepare({ context, session }: Run, operation: ItemOperation, itemIndex: number): Item {
	const item = operation.prepare(context, itemIndex, session);
	if (!isCall(item) || !item.endpoint.charges) return item;
	const key = sendOnceKey(context, itemIndex);
	if (key instanceof InputError) return key;
	return key === undefined ? item : { ...item, sendOnceKey: key };
}

function isCall(item: Item): item is Call {
	return !(item instanceof InputError) && item.kind === 'call';
}

/** Whether an item sends a message now; what the run sent in an earlier try is none. */
function isNewMessage(run: Run, item: Item, itemIndex: number): item is Call {
	return isCall(item) && item.endpoint.charges && !wasCalled(run, item, itemIndex);
}

function intendedBy({ input }: Call): Intended[] {
	const text = typeof input.message === 'string' ? input.message : '';
	return [{ text, recipients: recipientsOf(input).length }];
}

function admitted(admission: Admission | InputError, item: Item, index: number): Item {
	if (admission instanceof InputError) return admission;
	const row = admission.instead(index);
	return row ? showing(() => admission.instead(index) ?? row) : item;
}

/** Shows a row that is made when it is its turn: by then it may be known what the first use of a key came to. */
function showing(row: () => IDataObject): Task {
	return { kind: 'task', run: async () => await Promise.resolve({ outcome: 'accepted', output: row() }) };
}

async function perform(
	run: Run,
	operation: ItemOperation,
	item: Item,
	itemIndex: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	if (item instanceof InputError) return { outcome: 'rejected', error: item };
	if (item.kind === 'task') return await item.run(run.client, options);
	const outcome = await callOnce(run, item, itemIndex, options);
	return operation.finish?.(outcome, item) ?? outcome;
}
