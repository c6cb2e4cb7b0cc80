import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { InputError, type Client, type Outcome } from '../../../shared';
import { nodeClient } from './client';
import { explain, toNodeError } from './errors';
import { Ledger } from './ledger';
import type { Operation, OperationTable, PreparedCall } from './operation';

const ledger = new Ledger({ maxAgeMs: 60 * 60 * 1000, maxEntries: 20_000 });

/**
 * Runs the chosen operation for every input item, in order, each output linked to its input. With On Error set to
 * continue, a failed item becomes an item that says why.
 * @throws NodeApiError, NodeOperationError for the first item that fails, where On Error is set to stop
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(context, operations);
	const client = await nodeClient(context);
	const results: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < context.getInputData().length; itemIndex++) {
		const call = prepare(context, operation, itemIndex);
		const result: Outcome<unknown> =
			call instanceof InputError
				? { outcome: 'rejected', error: call }
				: await makeCall(context, client, call, itemIndex);
		const pairedItem = { item: itemIndex };
		if (result.outcome !== 'accepted') {
			if (!context.continueOnFail()) {
				throw toNodeError(context.getNode(), result.error, itemIndex, operation.labels);
			}
			results.push({ json: failureRow(context, result, operation.labels), pairedItem });
		} else if (!(call instanceof InputError)) {
			for (const json of toRows(call, result.output)) results.push({ json, pairedItem });
		}
	}
	return [results];
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
	if (!context.continueOnFail()) return operation.prepare(context, itemIndex);
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
	{ endpoint, input }: PreparedCall,
	itemIndex: number,
): Promise<Outcome<unknown>> {
	const make = async () => await client.call(endpoint, input, { signal: context.getExecutionCancelSignal() });
	const executionId = context.getExecutionId();
	// Without an execution's id two different messages could share a key, and one would be lost.
	if (endpoint.repeat === 'safe' || !executionId) return await make();
	const { $runIndex: runIndex } = context.getWorkflowDataProxy(itemIndex);
	return await ledger.once([executionId, context.getNode().id, runIndex, itemIndex].join('/'), make);
}

function toRows({ endpoint }: PreparedCall, output: unknown): IDataObject[] {
	const once = endpoint.repeat === 'once';
	const rows = Array.isArray(output) ? output : [output];
	return rows.map((row) => ({ ...(once && { outcome: 'accepted' }), ...jsonParse<IDataObject>(JSON.stringify(row)) }));
}

/** An item for a failure: `error` and `details`; beside them `outcome`, except on the error output. */
function failureRow(
	context: IExecuteFunctions,
	{ outcome, error }: Exclude<Outcome<unknown>, { outcome: 'accepted' }>,
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
