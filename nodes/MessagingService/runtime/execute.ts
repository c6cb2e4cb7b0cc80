import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { InputError } from '../../../shared';
import { calledByAgent } from './calledByAgent';
import { nodeClient } from './client';
import { toNodeError } from './errors';
import { errorRow } from './items';
import type { Operation, OperationTable } from './operation';
import { runItems } from './runItems';

/**
 * Runs the chosen operation. With On Error set to continue, and for an agent, a failed item becomes an item that says
 * why.
 * @throws NodeApiError, NodeOperationError for a failure, where On Error is set to stop
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const operation = chosenOperation(context, operations);
	const stops = !goesOn(context);
	const made = await nodeClient(context).catch((error: unknown) => unusable(context, error));
	if (made instanceof NodeOperationError) {
		if (stops) throw made;
		// Thrown, n8n would let the items through as if all were well.
		return [context.getInputData().map((_, item) => ({ json: notSent(context, made), pairedItem: { item } }))];
	}
	const { client, sandbox, parallel } = made;
	const name = `${context.getNode().id}/${context.getWorkflowDataProxy(0).$runIndex}`;
	const run = { context, client, session: { sandbox }, parallel, stops, name };
	return 'run' in operation ? await operation.run(run) : await runItems(run, operation);
}

/**
 * Whether a failed item becomes an item. An agent's tool call never throws: n8n would make the call again on an error,
 * as a new run that nothing tells apart from another message, and so pay twice.
 */
function goesOn(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || calledByAgent(context);
}

function unusable(context: IExecuteFunctions, error: unknown): NodeOperationError {
	if (error instanceof NodeOperationError) return error;
	return new NodeOperationError(context.getNode(), error instanceof Error ? error : String(error));
}

function notSent(context: IExecuteFunctions, { message, description }: NodeOperationError): IDataObject {
	const details = { outcome: 'rejected', sent: 'no', ...(description && { description }) };
	return errorRow(context, message, details, { outcome: 'rejected' });
}

function chosenOperation(context: IExecuteFunctions, operations: OperationTable): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations[resource]?.[name];
	if (operation) return operation;
	const issue = { field: 'operation', message: `"${name}" does not exist for resource "${resource}": choose another` };
	throw toNodeError(context.getNode(), new InputError('node', [issue]), undefined);
}
