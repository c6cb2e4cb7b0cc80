import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

/*
 * The differences of older n8n versions, down to the oldest one that docs/compatibility.md lists. n8n does not tell a node its
 * version, so each function looks for the feature itself.
 */

/** Shows a hint above the node's output. n8n before 1.119 has no hints for the tool of an agent, which reads the rows. */
export function addHint(
	context: IExecuteFunctions,
	type: NonNullable<NodeExecutionHint['type']>,
	message: string,
): void {
	if ('addExecutionHints' in context) context.addExecutionHints({ message, type, location: 'outputPane' });
}

/** Whether n8n itself says that an agent calls the node. Before 1.116, n8n does not say it. */
export function saysToolExecution(context: IExecuteFunctions): boolean {
	return 'isToolExecution' in context && context.isToolExecution();
}

/**
 * Makes n8n check the signature of this execution's response links. Since 2.14, n8n always checks it, and has no such
 * function. Before, it checks nothing unless the node asks for it, so a changed link would count as another approver's.
 */
export function requireSignature(context: IExecuteFunctions): void {
	if (!('setSignatureValidationRequired' in context)) return;
	const { setSignatureValidationRequired: turnOn } = context;
	if (typeof turnOn === 'function') Reflect.apply(turnOn, context, []);
}

/**
 * Whether an execution can continue on the second or third output of a node that waited. n8n before 2.39 continues on the
 * first output only, and drops the items of the others. The constant came with that version.
 */
export function continuesOnAnyOutput(): boolean {
	return 'N8N_NODES_API_VERSION' in n8nWorkflow;
}
