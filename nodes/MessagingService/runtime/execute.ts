import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { InputError, type Client, type FailedOutcome, type Outcome } from '../../../shared';
import { nodeClient } from './client';
import { explain, toNodeError } from './errors';
import { Ledger } from './ledger';
import type { Operation, OperationTable, PreparedCall } from './operation';

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxOutcomes: 20_000 });

/**
 * Runs the chosen operation for every input item, in order, each output linked to its input. With On Error set to
 * continue, and for an agent, a failed item becomes an item that says why.
 * @throws NodeApiError, NodeOperationError for the first item that fails, where On Error is set to stop; its
 * description names what was sent before
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(context, operations);
	const client = await nodeClient(context);
	const results: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		const call = prepare(context, operation, itemIndex);
		const { outcome: result, repeated } =
			call instanceof InputError
				? { outcome: { outcome: 'rejected' as const, error: call }, repeated: false }
				: await makeCall(context, client, call, itemIndex);
		const pairedItem = { item: itemIndex };
		if (result.outcome !== 'accepted') {
			if (!goesOn(context)) {
				const error = toNodeError(context.getNode(), result.error, itemIndex, operation.labels);
				error.description = [error.description, sentBefore(results)].filter(Boolean).join(' ');
				throw error;
			}
			results.push({ json: failureRow(context, result, operation.labels), pairedItem });
		} else if (!(call instanceof InputError)) {
			const told = repeated && context.isToolExecution() ? { already_sent: true } : {};
			for (const json of toRows(call, result.output)) results.push({ json: { ...json, ...told }, pairedItem });
		}
	}
	return [results];
}

/**
 * Whether a failed item becomes an item. An agent's tool call never throws: n8n would make the call again on an error,
 * as a new run that nothing tells apart from another message, and so pay twice.
 */
function goesOn(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || context.isToolExecution();
}

function sentBefore(results: readonly INodeExecutionData[]): string {
	const sent = results.filter(({ json }) => json.outcome === 'accepted').map(({ json }) => json.message_id);
	if (sent.length === 0) return '';
	const named = sent.length > 5 ? [...sent.slice(0, 5), '…'] : sent;
	const were = sent.length === 1 ? '1 message of this run was' : `${sent.length} messages of this run were`;
	return `${were} already sent (${named.join(', ')}): running the workflow again sends them again.`;
}

function chosenOperation(context: IExecuteFunctions, operations: OperationTable): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations[resource]?.[name];
	if (operation) return operation;
	const issue = { field: 'operation', message: `"${name}" does not exist for resource "${resource}": choose another` };
	throw toNodeError(context.getNode(), new InputError('node', [issue]), undefined);
}

function prepare(context: IExecuteFunctions, operation: Operation, itemIndex: number): PreparedCall | InputError {
	// Where the run stops, n8n's own error for a bad expression shows the builder the field it is in.
	if (!goesOn(context)) return operation.prepare(context, itemIndex);
	try {
		return operation.prepare(context, itemIndex);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return new InputError('node', [{ field: 'A field of this item', message: `cannot be read: ${reason}` }]);
	}
}

async function makeCall(
	context: IExecuteFunctions,
	client: Client,
	call: PreparedCall,
	itemIndex: number,
): Promise<{ outcome: Outcome<unknown>; repeated: boolean }> {
	const { endpoint, input } = call;
	const make = async () => await client.call(endpoint, input, { signal: context.getExecutionCancelSignal() });
	const executionId = context.getExecutionId();
	// Without an execution's id two different messages could share a name, and one would be lost.
	if (endpoint.repeat === 'safe' || !executionId) return { outcome: await make(), repeated: false };
	return await ledger.once(executionId, nameOf(context, call, itemIndex), make);
}

/**
 * Names one intended message within an execution. In a workflow it is the place: node, run and item, since a text with
 * the time in it must not look like another message. For an agent's calls n8n keeps no place apart (parallel calls
 * share run and item, and then even the text of the first), so there the content is the name.
 */
function nameOf(context: IExecuteFunctions, { endpoint, input }: PreparedCall, itemIndex: number): string {
	const nodeId = context.getNode().id;
	if (context.isToolExecution()) {
		const content = createHash('sha256').update(JSON.stringify(input)).digest('hex');
		return `${nodeId}/${endpoint.id}/${content}`;
	}
	return `${nodeId}/${context.getWorkflowDataProxy(itemIndex).$runIndex}/${itemIndex}`;
}

function toRows({ endpoint }: PreparedCall, output: unknown): IDataObject[] {
	const ours = endpoint.repeat === 'once' ? { outcome: 'accepted' } : {};
	const rows = Array.isArray(output) ? output : [output];
	// First for the eye, and last so that no field of the service's can take its place.
	return rows.map((row) => ({ ...ours, ...jsonParse<IDataObject>(JSON.stringify(row)), ...ours }));
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
	// n8n moves an item to the error output only where its json has no other keys than error, message and details.
	if (context.getNode().onError === 'continueErrorOutput') return { error: message, details };
	return { outcome, error: message, details };
}
