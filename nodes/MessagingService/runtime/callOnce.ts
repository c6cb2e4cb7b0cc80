import { ServiceError, type CallOptions, type Outcome } from '../../../shared';
import { calledByAgent } from './calledByAgent';
import { fingerprint } from './fingerprint';
import { Ledger, RecentMessages, type Remembered } from './ledger';
import type { Call, Run } from './operation';

/**
 * How long a message of a caller without an execution is remembered, in milliseconds. MCP clients repeat a call when they
 * get no response in time: after a minute by default, after four in some.
 */
export const RECENT_MS = 5 * 60 * 1000;

/** Most messages of callers without an execution that are remembered. */
export const MAX_RECENT = 20_000;

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxEntries: 20_000, runningMs: 10 * 60 * 1000 });
const recent = new RecentMessages(RECENT_MS, MAX_RECENT);

/** Makes another outcome of a call's. */
export type Finish = (outcome: Outcome<unknown>, call: Call) => Outcome<unknown>;

/**
 * Makes a call of the run, once: if it was made before in the same run, gives what became of it then.
 * @param place tells the calls of one run apart: the item, or the batch of a bulk send
 */
export async function callOnce(
	run: Run,
	call: Call,
	place: number | string,
	options: CallOptions,
): Promise<Outcome<unknown>> {
	return (await callRemembered(run, call, place, options)).outcome;
}

/**
 * Like {@link callOnce}, and says whether the outcome is an earlier one.
 * @param finish makes of the service's outcome the one that is kept
 */
export async function callRemembered(
	run: Run,
	call: Call,
	place: number | string,
	options: CallOptions,
	finish: Finish = (outcome) => outcome,
): Promise<Remembered> {
	const { context, client } = run;
	const { endpoint, input } = call;
	const make = async (): Promise<Outcome<unknown>> =>
		client instanceof ServiceError
			? { outcome: 'rejected', error: client }
			: finish(await client.call(endpoint, input, options), call);
	const executionId = context.getExecutionId();
	if (endpoint.repeat === 'safe') return { outcome: await make(), repeated: false };
	if (executionId) return await ledger.once(executionId, nameOf(run, call, place), make);
	// Without an execution two different items could share a name, and one would be lost; an agent's messages cannot.
	if (calledByAgent(context)) return await recent.once(nameOf(run, call, place), make);
	return { outcome: await make(), repeated: false };
}

/** Whether {@link callOnce} would give an earlier outcome instead of calling. */
export function wasCalled(run: Run, call: Call, place: number | string): boolean {
	const executionId = run.context.getExecutionId();
	if (executionId) return ledger.knows(executionId, nameOf(run, call, place));
	return calledByAgent(run.context) && recent.knows(nameOf(run, call, place));
}

/**
 * What became of an item in an earlier try of the run, whatever its fields say by now. An agent's calls have no place of
 * their own: for them the fields are read first.
 */
export async function earlierOutcome(run: Run, place: number): Promise<Outcome<unknown> | undefined> {
	const executionId = run.context.getExecutionId();
	if (!executionId || calledByAgent(run.context)) return undefined;
	return await ledger.get(executionId, placeName(run, place));
}

/**
 * Names one intended message within an execution. In a workflow it is the place: node, run and item, since a text with
 * the time in it must not look like another message. For an agent's calls n8n keeps no place apart (parallel calls
 * share run and item, and then even the text of the first), so there the content is the name. Its time is not part of it:
 * a time that the node computes is another one in each call.
 */
function nameOf(run: Run, { endpoint, input }: Call, place: number | string): string {
	const { context } = run;
	if (!calledByAgent(context)) return placeName(run, place);
	const content = Object.entries(input).filter(([field]) => field !== 'schedule_at');
	return fingerprint(context.getWorkflow().id, context.getNode().name, endpoint.id, JSON.stringify(content));
}

function placeName({ name }: Run, place: number | string): string {
	return `${name}/${place}`;
}
