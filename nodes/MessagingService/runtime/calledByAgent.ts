import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether an agent calls the node as a tool. Current agents call it through the engine, which runs the tool like any
 * other node and returns false from `isToolExecution`. The node's type shows it then. The Human Review version doesn't
 * count: it asks a person before the tool is called.
 */
export function calledByAgent(context: IExecuteFunctions): boolean {
	return context.isToolExecution() || /(?<!Hitl)Tool$/.test(context.getNode().type);
}
