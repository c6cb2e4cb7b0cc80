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
	const progress: Progress = { granted: new Set(), claims: [] };
	try {
		await claimAmongProcesses(context, keys, progress);
		return progress.granted;
	} catch (error) {
		const held = [...progress.granted, ...progress.claims.flatMap(({ mine }) => [...mine])];
		await giveBackKeys(context, held).catch(() => undefined);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `cannot be recorded (${reason}): save the workflow, then try again, or remove the option`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
}

/** Keys that were recorded in one call of n8n's store, and the mark that was recorded beside them. */
interface Claim {
	readonly mark: string;
	/** Those that were new. */
	readonly mine: ReadonlySet<string>;
}

/** How far a claim of many keys has come. */
interface Progress {
	/** Keys that are certainly this run's. */
	readonly granted: Set<string>;
	/** Claims that are still to be looked at. */
	claims: Claim[];
}

/**
 * Claims keys while other processes may do so in the same instant. n8n reads all keys of the node, adds ours and writes
 * them back: of two that do so at once, the last one's keys are kept and the other's forgotten. Each claim therefore leaves
 * a mark and looks, when whichever read before it will have written, whether the mark is still there. If not, another
 * claim has the keys that are there by then, and the rest is claimed again.
 */
async function claimAmongProcesses(
	{ helpers }: IExecuteFunctions,
	keys: ReadonlySet<string>,
	progress: Progress,
): Promise<void> {
	let longestMs = 0;
	const record = async (entries: string[]) => {
		const began = Date.now();
		const { new: added } = await helpers.checkProcessedAndRecord(entries, 'node', STORE);
		longestMs = Math.max(longestMs, Date.now() - began);
		return new Set(added.map(String));
	};
	await inSlices([...keys], async (slice) => {
		const mark = newMark();
		const entries = [mark, ...slice];
		const mine = await record(entries).catch(async () => await record(entries));
		mine.delete(mark);
		if (mine.size > 0) progress.claims.push({ mark, mine });
	});
	for (let looks = 0; progress.claims.length > 0; looks++) {
		if (looks === MOST_LOOKS) throw new Error('other executions claim at the same time');
		await sleep(Math.max(SHORTEST_PAUSE_MS, 4 * longestMs));
		// A mark stands for the keys that were written with it, so that only keys of a lost one are compared again.
		const marks = progress.claims.map(({ mark }) => mark);
		const lost = await inTurn(async () => await record(marks));
		const again: Claim[] = [];
		for (const { mark, mine } of progress.claims) {
			if (!lost.has(mark)) for (const key of mine) progress.granted.add(key);
			else {
				// The look wrote the lost mark without its keys: it stands for nothing any more.
				const another = newMark();
				const still = await inTurn(async () => await record([another, ...mine]));
				still.delete(another);
				if (still.size > 0) again.push({ mark: another, mine: still });
			}
		}
		progress.claims = again;
	}
}

function newMark(): string {
	return `claim ${randomUUID()}`;
}

async function giveBackKeys({ helpers }: IExecuteFunctions, keys: readonly string[]): Promise<void> {
	await inSlices(keys, async (slice) => await helpers.removeProcessed(slice, 'node', STORE));
}

/** How many keys go into the first call of n8n's store. */
const FIRST_SLICE = 100;

/** How long one call of the store should keep the process busy, in milliseconds. */
const SLICE_MS = 200;

/**
 * Does work on keys slice by slice. n8n compares each key with every one that it keeps, without a pause: 10,000 keys out of
 * 100,000 would stand still for many seconds, in which no other workflow runs and, in queue mode, the job is taken for
 * lost. Slices grow and shrink with the time that they take, and between them others have their turn.
 */
async function inSlices(keys: readonly string[], work: (slice: string[]) => Promise<void>): Promise<void> {
	let size = FIRST_SLICE;
	for (let from = 0; from < keys.length; ) {
		const slice = keys.slice(from, from + size);
		const ms = await inTurn(async () => {
			const began = Date.now();
			await work(slice);
			return Date.now() - began;
		});
		from += slice.length;
		if (ms < SLICE_MS / 2) size *= 2;
		else if (ms > SLICE_MS * 2) size = Math.max(1, Math.floor(size / 2));
		if (from < keys.length) await sleep(0);
	}
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
		await giveBackKeys(context, unused);
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

/**
 * Makes the row of an item whose Send Once Key was used before.
 * @param first what the first use came to, if it is known
 */
export function usedKeyRow(
	{ context }: Run,
	key: string,
	first: Outcome<unknown> | undefined = firstOutcomes.get(firstKey(context, key)),
): UsedKeyRow {
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
	return {
		...withoutCharges(first.output),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `It was sent before under its Send Once Key: ${nothing}`,
	};
}

/**
 * The fields of an accepted message without those that say what was charged: nothing was charged now, and a sum over the
 * column must not count the first message twice.
 */
export function withoutCharges(output: unknown): IDataObject {
	const fields = Object.entries(Object(output) as IDataObject);
	return Object.fromEntries(fields.filter(([field]) => !CHARGES.has(field)));
}

/** By the node's name: two nodes with one ID share their keys in n8n's store, and one did not send what the other did. */
function firstKey(context: IExecuteFunctions, key: string): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().name, key]);
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
