import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v4';
import { InputError, LEAST_AHEAD_MS, OUTSIDE_SENDING_HOURS, ServiceError, type SendOnceScope } from '../../../shared';
import { credentialClient } from '../host/client';
import { toNodeError } from '../host/errors';
import { errorRow } from './outputItems';
import { labelsOf } from '../host/labels';
import { addHint, saysToolExecution } from '../host/olderN8n';
import { isOptionSet, numberOption, optionValue, readOrError } from '../host/parameters';
import { readDryRun, startDryRun } from './dryRun';
import { placeOfNode } from './idempotency/relayKeys';
import type { Operation, OperationTable, Run } from './operation';
import { runItems } from './runItems';

const PARALLEL = 10;
const PARALLEL_RANGE = { min: 1, max: 250, whole: true, expected: 'a whole number from 1 to 250' };
/** Requests per second of a slow run without a limit, to estimate how long it takes. */
const SLOW_PER_SECOND = 10;
const PER_SECOND_RANGE = { above: 0, expected: 'a number above 0' };

/**
 * Runs the chosen operation. If On Error is set to continue, and for an agent, a failed item becomes a row with the
 * error.
 * @throws NodeApiError, NodeOperationError for a failure, if On Error is set to stop
 */
export async function execute(context: IExecuteFunctions, operations: OperationTable): Promise<INodeExecutionData[][]> {
	const byAgent = calledByAgent(context);
	const running = carryOut(context, operations, byAgent);
	if (!byAgent) return await running;
	return await running.catch((error: unknown) => [
		context.getInputData().map((_, item) => ({ json: broken(context, error), pairedItem: { item } })),
	]);
}

async function carryOut(
	context: IExecuteFunctions,
	operations: OperationTable,
	byAgent: boolean,
): Promise<INodeExecutionData[][]> {
	const { operation, path } = chosenOperation(context, operations);
	// An agent's tool call never throws. After an error, n8n would call again as a new run that looks like another
	// message, and the message would be charged twice.
	const stops = !byAgent && !context.continueOnFail();
	const pace = readOrError(() => readPace(context));
	const made =
		pace instanceof InputError
			? pace
			: await credentialClient(context, { authHeader: 'host', pace: { perSecond: pace.perSecond } });
	const connected = made instanceof ServiceError ? { client: made, sandbox: false, relay: false } : made;
	const scope = readOrError(() => keyScope(context, connected.relay));
	const labels = labelsOf(operation.fields);
	const dry = readOrError(() => readDryRun(context, labels));
	const wrong = [scope, dry].find((read) => read instanceof InputError);
	const client = made instanceof ServiceError ? made : (wrong ?? connected.client);
	const { sandbox } = connected;
	const parallel = pace instanceof InputError ? 1 : pace.parallel;
	const name = JSON.stringify([
		context.getWorkflow().id,
		context.getNode().name,
		path,
		context.getWorkflowDataProxy(0).$runIndex,
	]);
	const relay = connected.relay && !(scope instanceof InputError) ? { scope } : undefined;
	const executionId = calledByMcpClient(context) ? undefined : context.getExecutionId();
	const perSecond = pace instanceof InputError ? undefined : pace.perSecond;
	const dryRun = dry === true ? startDryRun(client, perSecond) : undefined;
	const runMs = (context.getInputData().length * 1000) / Math.min(perSecond ?? SLOW_PER_SECOND, SLOW_PER_SECOND);
	const run: Run = {
		context,
		client,
		session: { sandbox, now: Date.now(), leastAheadMs: LEAST_AHEAD_MS + runMs },
		relay,
		dryRun,
		labels,
		byAgent,
		executionId,
		parallel,
		perSecond,
		stops,
		name,
	};
	const outputs = 'run' in operation ? await operation.run(run) : await runItems(run, operation);
	if (!dryRun) hintAtMoved(context, outputs[0] ?? []);
	return outputs;
}

/** Says that messages wait for the Sending Hours, because their rows look like those of messages that went out. */
function hintAtMoved(context: IExecuteFunctions, rows: readonly INodeExecutionData[]): void {
	const { length } = rows.filter(({ json }) => json.schedule_reason === OUTSIDE_SENDING_HOURS);
	if (length === 0) return;
	const are = length === 1 ? '1 message is' : `${length} messages are`;
	const message = `${are} scheduled for later because of the Sending Hours. The time is in schedule_at (UTC) and allowed_at.`;
	addHint(context, 'info', message);
}

/** Reads the options that limit the calls of all items. */
function readPace(context: IExecuteFunctions): { parallel: number; perSecond: number | undefined } | InputError {
	const parallel = numberOption(context, 'parallelRequests', 0, PARALLEL_RANGE, 'Parallel Requests');
	if (parallel instanceof InputError) return parallel;
	const perSecond = numberOption(context, 'requestsPerSecond', 0, PER_SECOND_RANGE, 'Requests per Second');
	if (perSecond instanceof InputError) return perSecond;
	return { parallel: parallel ?? PARALLEL, perSecond };
}

/**
 * Reads the Key Scope option, which holds for all items.
 * @param relay whether the base URL is that of a relay
 */
function keyScope(context: IExecuteFunctions, relay: boolean): SendOnceScope | InputError {
	const wrong = (message: string) => new InputError('node', [{ field: 'keyScope', message }]);
	const value = isOptionSet(context, 'keyScope') ? optionValue(context, 'keyScope', 0) : 'node';
	if (value === 'node') return placeOfNode(context);
	if (value !== 'account') {
		return wrong('is neither This Node (node) nor Whole Account (account): choose one, or remove the option');
	}
	if (!relay) {
		return wrong('is Whole Account, which needs a relay: choose This Node, or use a relay as Base URL');
	}
	if (!isOptionSet(context, 'sendOnceKey')) return wrong('needs a Send Once Key: add it, or remove the option');
	return { kind: 'account' };
}

/**
 * Whether an agent calls the node as a tool. Current agents call it through the engine, which runs the tool like any
 * other node and returns false from `isToolExecution`. The node's type shows it then. The Human Review version doesn't
 * count: it asks a person before the tool is called.
 */
function calledByAgent(context: IExecuteFunctions): boolean {
	return saysToolExecution(context) || /(?<!Hitl)Tool$/.test(context.getNode().type);
}

/**
 * Whether an MCP client calls the node as a tool of n8n's MCP Server Trigger. In queue mode, a worker makes the call in an
 * execution, and names the trigger as the parent of the tool. The trigger itself makes other calls, without an execution.
 */
function calledByMcpClient(context: object): boolean {
	const { success, data } = mcpTool.safeParse(context);
	return success && data.parentNode.type.endsWith('.mcpTrigger');
}

/** The context of a tool, which n8n's types do not show. */
const mcpTool = z.object({ parentNode: z.object({ type: z.string() }) });

/**
 * The row for an unexpected exception. If it were thrown, n8n would repeat an agent's call, and something may have been
 * sent.
 */
function broken(context: IExecuteFunctions, error: unknown): IDataObject {
	const reason = error instanceof Error ? error.message : String(error);
	const message = `It is unknown whether this was sent: ${reason}`;
	const description = 'Check your message history before you send again.';
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
