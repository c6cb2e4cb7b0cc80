import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { jsonParse } from 'n8n-workflow';
import { InputError, type Client, type Outcome, type ServiceError } from '../../../shared';
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
		const call = operation.prepare(context, itemIndex);
		const outcome = await makeCall(context, client, call, itemIndex);
		if (outcome.outcome !== 'accepted' && !context.continueOnFail()) {
			throw toNodeError(context.getNode(), outcome.error, itemIndex, operation.labels);
		}
		for (const json of toRows(call, outcome, operation)) results.push({ json, pairedItem: { item: itemIndex } });
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

function toRows(call: PreparedCall, outcome: Outcome<unknown>, operation: Operation): IDataObject[] {
	const once = call.endpoint.repeat === 'once';
	if (outcome.outcome !== 'accepted') return [failureRow(outcome.outcome, outcome.error, operation.labels)];
	const rows = Array.isArray(outcome.output) ? outcome.output : [outcome.output];
	return rows.map((row) => ({ ...(once && { outcome: 'accepted' }), ...jsonParse<IDataObject>(JSON.stringify(row)) }));
}

function failureRow(
	outcome: 'rejected' | 'unknown',
	error: ServiceError,
	labels: Readonly<Record<string, string>>,
): IDataObject {
	const { message, description } = explain(error, labels);
	return {
		outcome,
		error: message,
		description,
		sent: error.sent,
		...(error.code !== undefined && { code: error.code }),
		...(error.status !== undefined && { http_status: error.status }),
	};
}
