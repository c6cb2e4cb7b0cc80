import { createHash } from 'crypto';
import type { CallOptions, Outcome } from '../../../shared';
import { calledByAgent } from './calledByAgent';
import { Ledger } from './ledger';
import type { Call, Run } from './operation';

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxEntries: 20_000, runningMs: 10 * 60 * 1000 });

/**
 * Makes a call of the run, once: where it was made before in the same run, gives what became of it then.
 * @param place tells the calls of one run apart: the item, or the batch of a bulk send
 * @returns for an agent that asks again for the same message, the row says `already_sent`
 */
export async function callOnce(
	run: Run,
	call: Call,
	place: number | string,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	const { context, client } = run;
	const { endpoint, input } = call;
	const make = async () => await client.call(endpoint, input, options);
	const executionId = context.getExecutionId();
	// Without an execution's id two different messages could share a name, and one would be lost.
	if (endpoint.repeat === 'safe' || !executionId) return await make();
	const { outcome, repeated } = await ledger.once(executionId, nameOf(run, call, place), make);
	if (!repeated || outcome.outcome !== 'accepted' || !calledByAgent(context)) return outcome;
	return { outcome: 'accepted', output: { ...Object(outcome.output), already_sent: true } as unknown };
}

/** Whether {@link callOnce} would give an earlier outcome instead of calling. */
export function wasCalled(run: Run, call: Call, place: number | string): boolean {
	const executionId = run.context.getExecutionId();
	return executionId ? ledger.knows(executionId, nameOf(run, call, place)) : false;
}

/**
 * Names one intended message within an execution. In a workflow it is the place: node, run and item, since a text with
 * the time in it must not look like another message. For an agent's calls n8n keeps no place apart (parallel calls
 * share run and item, and then even the text of the first), so there the content is the name.
 */
function nameOf({ context, name }: Run, { endpoint, input }: Call, place: number | string): string {
	if (!calledByAgent(context)) return `${name}/${place}`;
	const content = createHash('sha256').update(JSON.stringify(input)).digest('hex');
	return `${context.getNode().id}/${endpoint.id}/${content}`;
}
