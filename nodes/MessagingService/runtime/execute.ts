import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import {
	InputError,
	mapCalls,
	recipientsOf,
	type CallOptions,
	type Client,
	type FailedOutcome,
	type MapResult,
	type Outcome,
	type ServiceError,
} from '../../../shared';
import { nodeClient } from './client';
import { explain, toNodeError } from './errors';
import { Ledger } from './ledger';
import type { Call, Operation, OperationTable, Session, Work } from './operation';

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxOutcomes: 20_000 });

type Result = MapResult<Work | InputError, unknown>;

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
	return [results.flatMap((result) => toItems(context, operation, result))];
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

function isOnce(work: Work | InputError): boolean {
	return !(work instanceof InputError) && work.kind === 'call' && work.endpoint.repeat === 'once';
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
	{ signal }: CallOptions,
): Promise<Outcome<unknown>> {
	if (work instanceof InputError) return { outcome: 'rejected', error: work };
	if (work.kind === 'task') return await work.run(client, signal);
	const outcome = await makeCall(context, client, work, itemIndex, signal);
	return operation.finish?.(outcome) ?? outcome;
}

async function makeCall(
	context: IExecuteFunctions,
	client: Client,
	call: Call,
	itemIndex: number,
	signal: AbortSignal | undefined,
): Promise<Outcome<unknown>> {
	const { endpoint, input } = call;
	const make = async () => await client.call(endpoint, input, { signal });
	const executionId = context.getExecutionId();
	// Without an execution's id two different messages could share a name, and one would be lost.
	if (endpoint.repeat === 'safe' || !executionId) return await make();
	const { outcome, repeated } = await ledger.once(executionId, nameOf(context, call, itemIndex), make);
	if (!repeated || outcome.outcome !== 'accepted' || !context.isToolExecution()) return outcome;
	return { outcome: 'accepted', output: { ...Object(outcome.output), already_sent: true } as unknown };
}

/**
 * Names one intended message within an execution. In a workflow it is the place: node, run and item, since a text with
 * the time in it must not look like another message. For an agent's calls n8n keeps no place apart (parallel calls
 * share run and item, and then even the text of the first), so there the content is the name.
 */
function nameOf(context: IExecuteFunctions, { endpoint, input }: Call, itemIndex: number): string {
	const nodeId = context.getNode().id;
	if (context.isToolExecution()) {
		const content = createHash('sha256').update(JSON.stringify(input)).digest('hex');
		return `${nodeId}/${endpoint.id}/${content}`;
	}
	return `${nodeId}/${context.getWorkflowDataProxy(itemIndex).$runIndex}/${itemIndex}`;
}

function toItems(context: IExecuteFunctions, operation: Operation, result: Result): INodeExecutionData[] {
	const pairedItem = { item: result.index };
	if (result.outcome === 'accepted') {
		const ours = isOnce(result.input) ? { outcome: 'accepted' } : {};
		const rows: unknown[] = Array.isArray(result.output) ? result.output : [result.output];
		// First for the eye, and last so that no field of the service's can take its place.
		const json = (row: unknown) => ({ ...ours, ...jsonParse<IDataObject>(JSON.stringify(row)), ...ours });
		return rows.map((row) => ({ json: json(row), pairedItem }));
	}
	if (result.outcome === 'not_tried') return [{ json: notTriedRow(context, result.reason), pairedItem }];
	return [{ json: failureRow(context, result, operation.labels), pairedItem }];
}

/** An item for a failure: `error` and `details`; beside them `outcome`, except on the error output. */
function failureRow(
	context: IExecuteFunctions,
	{ outcome, error }: FailedOutcome,
	labels: Readonly<Record<string, string>>,
): IDataObject {
	const { message, description } = explain(error, labels);
	const details = {
		outcome,
		sent: error.sent,
		description,
		...(error.code !== undefined && { code: error.code }),
		...(error.status !== undefined && { http_status: error.status }),
	};
	return errorRow(context, outcome, message, details);
}

/** An item that was not tried because the run had ended before it. */
function notTriedRow(context: IExecuteFunctions, reason: 'cancelled' | ServiceError): IDataObject {
	const because = reason === 'cancelled' ? 'the execution was cancelled' : explain(reason).message;
	const details = { outcome: 'not_tried', sent: 'no', description: 'Nothing was sent and nothing was charged.' };
	return errorRow(context, 'not_tried', `Not tried, because the run had ended: ${because}`, details);
}

function errorRow(context: IExecuteFunctions, outcome: string, error: string, details: IDataObject): IDataObject {
	// n8n moves an item to the error output only where its json has no other keys than error, message and details.
	if (context.getNode().onError === 'continueErrorOutput') return { error, details };
	return { outcome, error, details };
}
