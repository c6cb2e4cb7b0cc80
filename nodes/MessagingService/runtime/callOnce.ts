import { ServiceError, type CallOptions, type Outcome } from '../../../shared';
import { calledByAgent } from './calledByAgent';
import { fingerprint } from './fingerprint';
import { Ledger, RecentMessages, type Remembered } from './ledger';
import type { Call, Run } from './operation';

/**
 * How long the message of a caller without an execution is remembered, in milliseconds. MCP clients repeat a call that
 * times out: after one minute by default, after four in some clients.
 */
export const RECENT_MS = 5 * 60 * 1000;

/** Maximum number of remembered messages of callers without an execution. */
export const MAX_RECENT = 20_000;

const ledger = new Ledger({ maxIdleMs: 60 * 60 * 1000, maxEntries: 20_000, runningMs: 10 * 60 * 1000 });
const recent = new RecentMessages(RECENT_MS, MAX_RECENT);

/** Changes the outcome of a call. */
export type Finish = (outcome: Outcome<unknown>, call: Call) => Outcome<unknown>;

/**
 * Makes a call once per run. If the run already made it, returns that outcome.
 * @param place identifies the call within the run: the item, or the batch of a bulk send
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
 * @param finish changes the service's outcome before it is kept
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
	// Without an execution, two different items could have the same name, and one would be lost. An agent's cannot.
	if (calledByAgent(context)) return await recent.once(nameOf(run, call, place), make);
	return { outcome: await make(), repeated: false };
}

/** Whether {@link callOnce} would return an earlier outcome instead of calling. */
export function wasCalled(run: Run, call: Call, place: number | string): boolean {
	const executionId = run.context.getExecutionId();
	if (executionId) return ledger.knows(executionId, nameOf(run, call, place));
	return calledByAgent(run.context) && recent.knows(nameOf(run, call, place));
}

/**
 * The outcome of an item in an earlier try of the run, whatever its fields contain now. An agent's calls have no item
 * of their own, so their fields are read first.
 */
export async function earlierOutcome(run: Run, place: number): Promise<Outcome<unknown> | undefined> {
	const executionId = run.context.getExecutionId();
	if (!executionId || calledByAgent(run.context)) return undefined;
	return await ledger.get(executionId, placeName(run, place));
}

/**
 * Names one intended message within an execution. In a workflow the name is the place (node, run and item), because a
 * text that contains the time must not look like another message. For an agent's calls the name is the content, because
 * n8n gives them no separate places: parallel calls share run and item, and sometimes even the text of the first. The
 * time is left out, because a time that the node computes differs in each call.
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
