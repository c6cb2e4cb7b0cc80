import type { INodeExecutionData } from 'n8n-workflow';
import { InputError, mapCalls, recipientsOf, type CallOptions, type Outcome } from '../../../shared';
import { callOnce } from './callOnce';
import { toNodeError } from './errors';
import { isOnce, toItems, type Result } from './items';
import type { ItemOperation, Run, Work } from './operation';

/**
 * Does an operation for every input item, several at a time, each output in the order of its item and linked to it.
 * All items are read before the first is sent. A failed item becomes an item that says why, unless the run is to stop;
 * a refused key and an empty wallet end the run all the same.
 * @throws NodeApiError, NodeOperationError for the first item that fails, where the run is to stop; its description
 * names what was sent
 */
export async function runItems(run: Run, operation: ItemOperation): Promise<INodeExecutionData[][]> {
	const { context, parallel, stops } = run;
	const works = context.getInputData().map((_, itemIndex) => prepare(run, operation, itemIndex));
	const unfit = works.findIndex((work) => work instanceof InputError);
	const wrong = works[unfit];
	// Where the run stops at a failure, one that is known beforehand stops it before anything is sent.
	if (stops && wrong instanceof InputError) throw toNodeError(context.getNode(), wrong, unfit, operation.labels);

	const make = async (work: Work | InputError, itemIndex: number, options: CallOptions) =>
		await perform(run, operation, work, itemIndex, options);
	const recipients = (work: Work | InputError) =>
		!(work instanceof InputError) && work.kind === 'call' ? recipientsOf(work.input) : [];
	const options = { concurrency: parallel, signal: context.getExecutionCancelSignal(), stopOnFailure: stops };
	const results: Result[] = [];
	for await (const result of mapCalls(make, works, recipients, options)) results.push(result);

	const failed = results.find(({ outcome }) => outcome === 'rejected' || outcome === 'unknown');
	if (stops && failed && 'error' in failed) {
		const error = toNodeError(context.getNode(), failed.error, failed.index, operation.labels);
		error.description = [error.description, sentIn(results)].filter(Boolean).join(' ');
		throw error;
	}
	return [results.flatMap((result) => toItems(context, operation.labels, result))];
}

function sentIn(results: readonly Result[]): string {
	const sent = results.flatMap((result) =>
		result.outcome === 'accepted' && isOnce(result.input) ? [Object(result.output) as { message_id?: unknown }] : [],
	);
	if (sent.length === 0) return '';
	const ids = sent.map(({ message_id }) => message_id).filter((id) => id !== undefined);
	const named = ids.length > 5 ? [...ids.slice(0, 5), '…'] : ids;
	const were = sent.length === 1 ? '1 item of this run was' : `${sent.length} items of this run were`;
	return `${were} already sent${named.length > 0 ? ` (${named.join(', ')})` : ''}: running the workflow again sends them again.`;
}

function prepare({ context, session, stops }: Run, operation: ItemOperation, itemIndex: number): Work | InputError {
	// Where the run stops, n8n's own error for a bad expression shows the builder the field it is in.
	if (stops) return operation.prepare(context, itemIndex, session);
	try {
		return operation.prepare(context, itemIndex, session);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return new InputError('node', [{ field: 'A field of this item', message: `cannot be read: ${reason}` }]);
	}
}

async function perform(
	{ context, client }: Run,
	operation: ItemOperation,
	work: Work | InputError,
	itemIndex: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	if (work instanceof InputError) return { outcome: 'rejected', error: work };
	if (work.kind === 'task') return await work.run(client, options);
	const outcome = await callOnce(context, client, work, itemIndex, options);
	return operation.finish?.(outcome) ?? outcome;
}
