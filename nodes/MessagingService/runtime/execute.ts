import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError, mapCalls, recipientsOf, type CallOptions, type Client, type Outcome } from '../../../shared';
import { callOnce } from './callOnce';
import { nodeClient } from './client';
import { toNodeError } from './errors';
import { isOnce, toItems, type Result } from './items';
import type { Operation, OperationTable, Session, Work } from './operation';

/**
 * Runs the chosen operation for every input item, several at a time, each output in the order of its item and linked
 * to it. All items are read before the first is sent. With On Error set to continue, and for an agent, a failed item
 * becomes an item that says why; a refused key and an empty wallet end the run all the same.
 * @throws NodeApiError, NodeOperationError for the first item that fails, where On Error is set to stop; its
 * description names what was sent
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(context, operations);
	const { client, sandbox, parallel } = await nodeClient(context);
	const works = context.getInputData().map((_, itemIndex) => prepare(context, operation, itemIndex, { sandbox }));
	const stops = !goesOn(context);
	const unfit = works.findIndex((work) => work instanceof InputError);
	const wrong = works[unfit];
	// Where the run stops at a failure, one that is known beforehand stops it before anything is sent.
	if (stops && wrong instanceof InputError) throw toNodeError(context.getNode(), wrong, unfit, operation.labels);

	const make = async (work: Work | InputError, itemIndex: number, options: CallOptions) =>
		await perform(context, operation, client, work, itemIndex, options);
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

/**
 * Whether a failed item becomes an item. An agent's tool call never throws: n8n would make the call again on an error,
 * as a new run that nothing tells apart from another message, and so pay twice.
 */
function goesOn(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || context.isToolExecution();
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

function chosenOperation(context: IExecuteFunctions, operations: OperationTable): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations[resource]?.[name];
	if (operation) return operation;
	const issue = { field: 'operation', message: `"${name}" does not exist for resource "${resource}": choose another` };
	throw toNodeError(context.getNode(), new InputError('node', [issue]), undefined);
}

function prepare(
	context: IExecuteFunctions,
	operation: Operation,
	itemIndex: number,
	session: Session,
): Work | InputError {
	// Where the run stops, n8n's own error for a bad expression shows the builder the field it is in.
	if (!goesOn(context)) return operation.prepare(context, itemIndex, session);
	try {
		return operation.prepare(context, itemIndex, session);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return new InputError('node', [{ field: 'A field of this item', message: `cannot be read: ${reason}` }]);
	}
}

async function perform(
	context: IExecuteFunctions,
	operation: Operation,
	client: Client,
	work: Work | InputError,
	itemIndex: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	if (work instanceof InputError) return { outcome: 'rejected', error: work };
	if (work.kind === 'task') return await work.run(client, options);
	const outcome = await callOnce(context, client, work, itemIndex, options);
	return operation.finish?.(outcome) ?? outcome;
}
