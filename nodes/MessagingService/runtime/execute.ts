import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { InputError, ServiceError } from '../../../shared';
import { calledByAgent } from './calledByAgent';
import { nodeClient } from './client';
import { toNodeError } from './errors';
import { errorRow } from './outputItems';
import { labelsOf } from './labels';
import type { Operation, OperationTable, Run } from './operation';
import { runItems } from './runItems';

/**
 * Runs the chosen operation. If On Error is set to continue, and for an agent, a failed item becomes a row with the
 * error.
 * @throws NodeApiError, NodeOperationError for a failure, if On Error is set to stop
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const agent = calledByAgent(context);
	const running = carryOut(context, operations);
	if (!agent) return await running;
	return await running.catch((error: unknown) => [
		context.getInputData().map((_, item) => ({ json: broken(context, error), pairedItem: { item } })),
	]);
}

async function carryOut(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const { operation, path } = chosenOperation(context, operations);
	const stops = !goesOn(context);
	const made = await nodeClient(context);
	const { client, sandbox, parallel } =
		made instanceof ServiceError ? { client: made, sandbox: false, parallel: 1 } : made;
	const name = JSON.stringify([
		context.getWorkflow().id,
		context.getNode().name,
		path,
		context.getWorkflowDataProxy(0).$runIndex,
	]);
	const labels = labelsOf(operation.fields);
	const run: Run = { context, client, session: { sandbox }, labels, parallel, stops, name };
	return 'run' in operation ? await operation.run(run) : await runItems(run, operation);
}

/**
 * Whether a failed item becomes a row. An agent's tool call never throws. After an error, n8n would call again as a new
 * run that looks like another message, and the message would be charged twice.
 */
function goesOn(context: IExecuteFunctions): boolean {
	return context.continueOnFail() || calledByAgent(context);
}

/**
 * The row for an unexpected exception. If it were thrown, n8n would repeat an agent's call, and something may have been
 * sent.
 */
function broken(context: IExecuteFunctions, error: unknown): IDataObject {
	const message = error instanceof Error ? error.message : String(error);
	const description = 'It is not known whether anything was sent. Check your message history before you send again.';
	return errorRow(context, message, { outcome: 'unknown', sent: 'unknown', description }, { outcome: 'unknown' });
}

function chosenOperation(
	context: IExecuteFunctions,
	operations: OperationTable,
): { readonly operation: Operation; readonly path: string } {
	const resource = context.getNodeParameter('resource', 0);
	const name = context.getNodeParameter('operation', 0);
	const operation = operations[resource]?.[name];
	if (operation) return { operation, path: `${resource}.${name}` };
	const issue = { field: 'operation', message: `"${name}" does not exist for resource "${resource}": choose another` };
	throw toNodeError(context.getNode(), new InputError('node', [issue]), undefined);
}
