import type { IDataObject, IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';
import { continuesOnAnyOutput } from '../../host/olderN8n';

/** The outputs of Send and Wait, by their index. The last one exists only with the Reminder option. */
export const outputs = { response: 0, noResponse: 1, reminder: 2 } as const;

/** The name of an output. */
export type OutputName = keyof typeof outputs;

/** Whether the node has these outputs. The Human Review version has one, which leads to the agent. */
export function hasOutputs(context: IExecuteFunctions): boolean {
	return !context.getNode().type.endsWith('HitlTool');
}

/**
 * Checks whether an execution can continue on No Response or Reminder after the wait.
 * @returns the end of an error that begins with the option that needs the outputs; undefined if they work
 */
export function missingOutputs(context: IExecuteFunctions): string | undefined {
	if (!hasOutputs(context) || continuesOnAnyOutput()) return undefined;
	return 'needs n8n 2.39 or later, because older versions drop an item without a response: update n8n, or remove the option';
}

/** Puts items on an output. The Human Review version has only the first one. */
export function onOutput(
	context: IExecuteFunctions,
	name: OutputName,
	items: INodeExecutionData[],
): INodeExecutionData[][] {
	const before = hasOutputs(context) ? outputs[name] : 0;
	return [...Array.from({ length: before }, () => []), items];
}

/**
 * Returns the output of an earlier run of the node.
 * @param run from 0
 * @returns undefined if the run did not end, or ended in an error
 */
export function endOfRun(
	context: IExecuteFunctions | IWebhookFunctions,
	run: number,
): { readonly name: OutputName; readonly row: IDataObject } | undefined {
	for (const name of ['response', 'noResponse', 'reminder'] as const) {
		const row = rowOn(context, outputs[name], run);
		if (row) return { name, row };
	}
	return undefined;
}

function rowOn(context: IExecuteFunctions | IWebhookFunctions, output: number, run: number): IDataObject | undefined {
	try {
		const node = JSON.stringify(context.getNode().name);
		const row: unknown = context.evaluateExpression(`{{ $items(${node}, ${output}, ${run})[0].json }}`, 0);
		return typeof row === 'object' && row !== null ? (row as IDataObject) : undefined;
	} catch {
		// n8n has no item there.
		return undefined;
	}
}
