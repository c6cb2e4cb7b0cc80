import type { IDataObject } from 'n8n-workflow';
import { recipientsOf, ServiceError, type CallOptions, type MakeCall, type Outcome } from '../../../../shared';
import { fingerprint } from '../../memory/fingerprint';
import type { Call, Run } from '../operation';
import { skipped, type ItemUnit } from '../outputItems';
import { Ledger, once, whenOf, type Remembered } from './ledger';
import { usedKeyRow, withoutCharges, type UsedKeyRow } from './sendOnceKeys';

const ledger = new Ledger<Outcome<unknown>>();

/** Changes the outcome of an item's call before it is kept. */
export type Finish = (outcome: Outcome<unknown>, call: Call, itemIndex: number) => Outcome<unknown>;

/**
 * Returns the function that does the work of an item in its turn. An item is skipped if its Send Once Key was used
 * before this run, or by an item before it that was not certainly rejected.
 * @param usedBefore returns the row of an item whose key was used before this run
 */
export function itemCaller(
	run: Run,
	usedBefore: (index: number) => UsedKeyRow | undefined,
	finish: Finish,
): MakeCall<ItemUnit, unknown> {
	const { client } = run;
	/** The outcome of the first message of this run under each key. */
	const usedKeys = new Map<string, Outcome<unknown>>();
	return async ({ item, index }, _, options) => {
		if (item instanceof ServiceError) return { outcome: 'rejected', error: item };
		if (item.kind === 'known') return item.outcome;
		if (item.kind === 'task') {
			return client instanceof ServiceError ? { outcome: 'rejected', error: client } : await item.run(client, options);
		}
		const used = usedBefore(index);
		if (used) return skipped(used);
		const { sendOnceKey: key } = item;
		const first = key === undefined ? undefined : usedKeys.get(key);
		if (key !== undefined && first) return skipped(usedKeyRow(run, key, first));
		const { outcome, repeated } = await callOnce(run, item, index, options, (made) => finish(made, item, index));
		const result = repeated && run.byAgent ? repeatedForAgent(run, item, outcome) : outcome;
		if (key !== undefined && result.outcome !== 'rejected') usedKeys.set(key, result);
		return result;
	};
}

/**
 * Makes a call once per run. If the run already made it, returns that outcome.
 * @param place identifies the call within the run: the item, or the batch of a bulk send
 * @param finish changes the service's outcome before it is kept
 */
export async function callOnce(
	run: Run,
	call: Call,
	place: number | string,
	options: CallOptions,
	finish: (outcome: Outcome<unknown>) => Outcome<unknown> = (outcome) => outcome,
): Promise<Remembered> {
	const { context, client, byAgent } = run;
	const { endpoint, input } = call;
	const make = async (): Promise<Outcome<unknown>> =>
		client instanceof ServiceError
			? { outcome: 'rejected', error: client }
			: finish(await client.call(endpoint, input, options));
	const executionId = context.getExecutionId();
	// Without an execution, two different items could have the same name, and one would be lost. An agent's cannot.
	if (endpoint.repeat === 'safe' || !(executionId || byAgent)) return { outcome: await make(), repeated: false };
	return await once(ledger.of(executionId), nameOf(run, call, place), make);
}

/**
 * The outcome of a call that was already made, and was not certainly rejected.
 * @returns undefined if {@link callOnce} would make the call
 */
export function earlierOutcome(run: Run, call: Call, place: number | string): Promise<Outcome<unknown>> | undefined {
	const executionId = run.context.getExecutionId();
	if (!executionId && !run.byAgent) return undefined;
	return ledger.of(executionId).get(nameOf(run, call, place));
}

/**
 * The outcome of an item in an earlier try of the run, whatever its fields contain now. An agent's calls have no item
 * of their own, so their fields are read first.
 */
export function earlierOutcomeOfItem(run: Run, itemIndex: number): Promise<Outcome<unknown>> | undefined {
	const executionId = run.context.getExecutionId();
	if (!executionId || run.byAgent) return undefined;
	return ledger.of(executionId).get(placeName(run, itemIndex));
}

/**
 * Names one intended message within an execution. In a workflow the name is the place (node, run and item), because a
 * text that contains the time must not look like another message. For an agent's calls the name is the content, because
 * n8n gives them no separate places: parallel calls share run and item, and sometimes even the text of the first. The
 * time is left out, because a time that the node computes differs in each call.
 */
function nameOf(run: Run, { endpoint, input }: Call, place: number | string): string {
	const { context, byAgent } = run;
	if (!byAgent) return placeName(run, place);
	const content = Object.entries(input).filter(([field]) => field !== 'schedule_at');
	return fingerprint(context.getWorkflow().id, context.getNode().name, endpoint.id, JSON.stringify(content));
}

function placeName({ name }: Run, place: number | string): string {
	return `${name}/${place}`;
}

/** Marks the outcome of an agent's earlier call, so that the agent sees that nothing was sent now. */
function repeatedForAgent(run: Run, call: Call, first: Outcome<unknown>): Outcome<unknown> {
	if (first.outcome !== 'accepted') return first;
	if (call.endpoint.charges) return skipped(alreadySentRow(run, call, first.output));
	return { outcome: 'accepted', output: { ...Object(first.output), already_sent: true } as unknown };
}

/**
 * Makes the row of an agent's message that was already sent. The row names the recipient: n8n gives parallel calls the
 * fields of the first one, so the agent must see which message each row is about.
 * @param first the fields of the accepted message
 */
function alreadySentRow({ context }: Run, { input }: Call, first: unknown): IDataObject {
	const [to] = recipientsOf(input);
	const timed = input.schedule_at === undefined ? '' : ' The time to send it is not compared.';
	const again = input.message === undefined ? '' : ' To send it again on purpose, change its text.';
	return {
		...withoutCharges(first),
		...(to !== undefined && { to }),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `The same message was already sent to this recipient ${whenOf(context.getExecutionId())}. Nothing was sent or charged now.${timed}${again}`,
	};
}
