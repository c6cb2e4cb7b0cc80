import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an agent calls the node as a tool. Agents of today do so through the engine, which runs the tool like any
 * other node and says no to `isToolExecution`: there the node's type tells. The human-review version is no tool in this
 * sense: it asks a person before the tool is called.
 */
export function calledByAgent(context: IExecuteFunctions): boolean {
	return context.isToolExecution() || /(?<!Hitl)Tool$/.test(context.getNode().type);
}
