import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { CallOptions, Client, Outcome } from '../../../shared';
import { Ledger } from './ledger';
import type { Call } from './operation';

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxOutcomes: 20_000 });

/**
 * Makes the call of an item, once: where the same item of the same run was called before, gives what became of it then.
 * @returns for an agent that asks again for the same message, the row says `already_sent`
 */
export async function callOnce(
	context: IExecuteFunctions,
	client: Client,
	call: Call,
	itemIndex: number,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	const { endpoint, input } = call;
	const make = async () => await client.call(endpoint, input, options);
	const executionId = context.getExecutionId();
	// Without an execution's id two different messages could share a name, and one would be lost.
	if (endpoint.repeat === 'safe' || !executionId) return await make();
	const { outcome, repeated } = await ledger.once(executionId, nameOf(context, call, itemIndex), make);
	if (!repeated || outcome.outcome !== 'accepted' || !context.isToolExecution()) return outcome;
	return { outcome: 'accepted', output: { ...Object(outcome.output), already_sent: true } as unknown };
}

/**
 * Names one intended message within an execution. In a workflow it is the place: node, run and item, since a text with
 * the time in it must not look like another message. For an agent's calls n8n keeps no place apart (parallel calls
 * share run and item, and then even the text of the first), so there the content is the name.
 */
function nameOf(context: IExecuteFunctions, { endpoint, input }: Call, itemIndex: number): string {
	const nodeId = context.getNode().id;
	if (context.isToolExecution()) {
		const content = createHash('sha256').update(JSON.stringify(input)).digest('hex');
		return `${nodeId}/${endpoint.id}/${content}`;
	}
	return `${nodeId}/${context.getWorkflowDataProxy(itemIndex).$runIndex}/${itemIndex}`;
}
