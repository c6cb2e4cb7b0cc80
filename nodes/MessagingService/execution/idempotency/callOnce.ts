import type { IDataObject } from 'n8n-workflow';
import {
	predictCall,
	recipientsOf,
	ServiceError,
	type CallOptions,
	type MakeCall,
	type Outcome,
} from '../../../../shared';
import type { Call, Run } from '../operation';
import { skipped, SkippedRow, type ItemUnit } from '../outputItems';
import { Ledger, once, whenOf, type Remembered } from './ledger';
import { nameOf, placeName } from './messageNames';
import { relayKeys, type RelayKeys } from './relayKeys';
import { readRelayed } from './relayOutcomes';
import { withoutCharges } from './sendOnceKeys';

const ledger = new Ledger<Outcome<unknown>>();

/** Changes the outcome of an item's call before it is kept. */
export type Finish = (outcome: Outcome<unknown>, call: Call, itemIndex: number) => Outcome<unknown>;

/** Returns the function that does the work of an item in its turn. */
export function itemCaller(run: Run, finish: Finish): MakeCall<ItemUnit, unknown> {
	const { client } = run;
	return async ({ item, index }, _, options) => {
		if (item instanceof ServiceError) return { outcome: 'rejected', error: item };
		if (item.kind === 'known') return item.outcome;
		if (item.kind === 'task') {
			return client instanceof ServiceError ? { outcome: 'rejected', error: client } : await item.run(client, options);
		}
		const { outcome, repeated } = await callOnce(run, item, index, options, {
			finish: (made) => finish(made, item, index),
		});
		return repeated && run.byAgent ? repeatedForAgent(run, item, outcome) : outcome;
	};
}

/** How a call is made. */
export interface CallParts {
	/** Changes the service's outcome before it is kept. */
	readonly finish?: (outcome: Outcome<unknown>) => Outcome<unknown>;
	/** Makes the idempotency keys for a relay. Default: one for the call. */
	readonly keys?: () => Promise<RelayKeys | undefined>;
}

/**
 * Makes a call once per run. If the run already made it, returns that outcome. With a relay, the call has a key, so
 * other processes cannot make it either. A dry run only checks the input, and looks for an agent's earlier call.
 * @param place identifies the call within the run: the item, or the batch of a bulk send
 */
export async function callOnce(
	run: Run,
	call: Call,
	place: number | string,
	options: CallOptions,
	{ finish = (outcome) => outcome, keys = async () => await relayKeys(run, call, place) }: CallParts = {},
): Promise<Remembered> {
	const { client, byAgent, executionId } = run;
	const { endpoint, input } = call;
	if (run.dryRun) {
		const first = await earlierOutcome(run, call, place);
		if (first) return { outcome: first, repeated: true };
		return { outcome: predictCall(endpoint, input), repeated: false };
	}
	let replayed = false;
	const make = async (): Promise<Outcome<unknown>> => {
		if (client instanceof ServiceError) return { outcome: 'rejected', error: client };
		const made = await keys();
		const outcome = await client.call(endpoint, input, { ...options, ...made?.options });
		const finished = finish(outcome);
		if (!made) return finished;
		replayed = made.madeFrom === 'content' && outcome.outcome === 'accepted' && outcome.relay?.replayed === true;
		return readRelayed(run, call, made, outcome, finished);
	};
	// Without an execution, two different items could have the same name, and one would be lost. An agent's cannot.
	if (endpoint.repeat === 'safe' || !(executionId || byAgent)) return { outcome: await make(), repeated: false };
	const { outcome, repeated } = await once(ledger.of(executionId), nameOf(run, call, place), make);
	return { outcome, repeated: repeated || replayed };
}

/**
 * The outcome of a call that was already made, and was not certainly rejected.
 * @returns undefined if {@link callOnce} would make the call
 */
export function earlierOutcome(run: Run, call: Call, place: number | string): Promise<Outcome<unknown>> | undefined {
	// A place says nothing about the content, so a dry run would take another message for its own.
	if (run.dryRun && !run.byAgent) return undefined;
	const { executionId } = run;
	if (!executionId && !run.byAgent) return undefined;
	return ledger.of(executionId).get(nameOf(run, call, place));
}

/**
 * The outcome of an item in an earlier try of the run, whatever its fields contain now. An agent's calls have no item
 * of their own, so their fields are read first.
 */
export function earlierOutcomeOfItem(run: Run, itemIndex: number): Promise<Outcome<unknown>> | undefined {
	const { executionId } = run;
	if (!executionId || run.byAgent || run.dryRun) return undefined;
	return ledger.of(executionId).get(placeName(run, itemIndex));
}

/** Marks the outcome of an agent's earlier call, so that the agent sees that nothing was sent now. */
function repeatedForAgent(run: Run, call: Call, first: Outcome<unknown>): Outcome<unknown> {
	if (first.outcome !== 'accepted' || first.output instanceof SkippedRow) return first;
	if (call.endpoint.charges) return skipped(alreadySentRow(run, call, first.output));
	return { outcome: 'accepted', output: { ...Object(first.output), already_sent: true } as unknown };
}

/**
 * Makes the row of an agent's message that was already sent. The row names the recipient: n8n gives parallel calls the
 * fields of the first one, so the agent must see which message each row is about.
 * @param first the fields of the accepted message
 */
function alreadySentRow({ executionId }: Run, { input }: Call, first: unknown): IDataObject {
	const [to] = recipientsOf(input);
	const timed = input.schedule_at === undefined ? '' : ' The time to send it is not compared.';
	const again = input.message === undefined ? '' : ' To send it again on purpose, change its text.';
	return {
		...withoutCharges(first),
		...(to !== undefined && { to }),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `The same message was already sent to this recipient ${whenOf(executionId)}. Nothing was sent or charged now.${timed}${again}`,
	};
}
