import { randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { InputError, type Outcome } from '../../../shared';
import type { Run } from './operation';

/** Keys kept for a node; n8n forgets the oldest beyond it. */
export const MAX_SEND_ONCE_KEYS = 100_000;

/** Each claim leaves a mark beside its keys, so that as many keys are kept where every claim is for one. */
const STORE = { mode: 'entries', maxEntries: 2 * MAX_SEND_ONCE_KEYS } as const;

/** Shortest pause before a claim is looked at again, in milliseconds. */
const SHORTEST_PAUSE_MS = 50;

/** How often a claim may be written over before it is given up. */
const MOST_LOOKS = 10;

/** Outcomes kept in this process to tell what a key was first used for. */
const MAX_FIRST_OUTCOMES = 20_000;
const firstOutcomes = new Map<string, Outcome<unknown>>();

/** Fields that tell what was charged. */
const CHARGES: ReadonlySet<string> = new Set(['cost', 'balance', 'billed_via']);

let turn: Promise<unknown> = Promise.resolve();

/**
 * Claims the Send Once Keys of a run in n8n's own store, all in one call, before anything is sent: what is claimed
 * here is never sent again under its key, not by another execution and not after a restart.
 * @returns those keys that were never used before, or why none could be claimed
 */
export async function claimKeys(
	{ context }: Run,
	keys: ReadonlySet<string>,
): Promise<ReadonlySet<string> | InputError> {
	if (keys.size === 0) return new Set();
	if (keys.size > MAX_SEND_ONCE_KEYS) {
		const message = `has ${keys.size} values in one run, and at most ${MAX_SEND_ONCE_KEYS} can be remembered: send in parts`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
	try {
		return await claimAmongProcesses(context, keys);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		const message = `cannot be recorded (${reason}): save the workflow, then try again, or remove the option`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
}

/**
 * Claims keys where other processes may do so in the same instant. n8n reads all keys of the node, adds ours and writes them
 * back: of two that do so at once, the last one's keys are kept and the other's forgotten. Each claim therefore leaves a
 * mark and looks, when whoever read before it will have written, whether the mark is still there. If not, what is there of
 * its keys is another's, and the rest was claimed anew by the look itself.
 */
async function claimAmongProcesses(
	{ helpers }: IExecuteFunctions,
	keys: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
	const mark = `claim ${randomUUID()}`;
	const record = async (entries: Iterable<string>) => {
		const began = Date.now();
		const { new: added } = await inTurn(() => helpers.checkProcessedAndRecord([mark, ...entries], 'node', STORE));
		return { added: new Set(added.map(String)), ms: Date.now() - began };
	};
	let { added: mine, ms } = await record(keys).catch(async () => await record(keys));
	mine.delete(mark);
	for (let looks = 0; mine.size > 0; looks++) {
		if (looks === MOST_LOOKS) {
			await inTurn(() => helpers.removeProcessed([...mine], 'node', STORE));
			throw new Error('other executions claim at the same time');
		}
		await sleep(Math.max(SHORTEST_PAUSE_MS, 4 * ms));
		const look = await record(mine);
		if (!look.added.has(mark)) return mine;
		mine = new Set([...mine].filter((key) => look.added.has(key)));
		ms = Math.max(ms, look.ms);
	}
	return mine;
}

/**
 * Ends a run's claims: keeps what became of each key, and gives those back for which certainly nothing was accepted,
 * so that they may be used again.
 * @param outcomes what became of each key; undefined where nothing left for it
 */
export async function settleKeys(
	{ context }: Run,
	outcomes: ReadonlyMap<string, Outcome<unknown> | undefined>,
): Promise<void> {
	const unused: string[] = [];
	for (const [key, outcome] of outcomes) {
		if (!outcome || outcome.outcome === 'rejected') unused.push(key);
		else keep(firstKey(context, key), outcome);
	}
	if (unused.length === 0) return;
	try {
		await inTurn(() => context.helpers.removeProcessed(unused, 'node', STORE));
	} catch (error) {
		// Its message may hold the keys, which the builder may have made of numbers.
		const reason = error instanceof Error ? error.name : typeof error;
		context.logger.warn(`Messaging Service: Send Once Keys of messages that were not sent stay used (${reason})`);
	}
}

/** The row of an item whose Send Once Key was used before. */
export interface UsedKeyRow extends IDataObject {
	outcome: 'skipped';
	/** `already_sent` where the first use is known to have been accepted; `key_used` where nobody here knows. */
	reason: 'already_sent' | 'key_used';
	message: string;
}

/** Makes the row of an item whose Send Once Key was used before, with what the first use came to where that is known. */
export function usedKeyRow({ context }: Run, key: string): UsedKeyRow {
	const first = firstOutcomes.get(firstKey(context, key));
	const nothing = 'nothing was sent and nothing was charged now.';
	if (first?.outcome !== 'accepted') {
		const known = first ? { first_outcome: first.outcome } : {};
		const doubt =
			'Whether a message was accepted under it is not known here: look into the message history of the service.';
		return {
			...known,
			outcome: 'skipped',
			reason: 'key_used',
			message: `Its Send Once Key was used before: ${nothing} ${doubt}`,
		};
	}
	// Nothing was charged now: whoever sums the column up must not count the first message twice.
	const told = Object.entries(Object(first.output)).filter(([field]) => !CHARGES.has(field));
	return {
		...Object.fromEntries(told),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `It was sent before under its Send Once Key: ${nothing}`,
	};
}

function firstKey(context: IExecuteFunctions, key: string): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().id, key]);
}

function keep(name: string, outcome: Outcome<unknown>): void {
	firstOutcomes.delete(name);
	firstOutcomes.set(name, outcome);
	for (const oldest of firstOutcomes.keys()) {
		if (firstOutcomes.size <= MAX_FIRST_OUTCOMES) break;
		firstOutcomes.delete(oldest);
	}
}

/** n8n reads, changes and writes its store without a lock: two claims at once would both be granted. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
	const result = turn.then(work);
	turn = result.catch(() => undefined);
	return await result;
}
