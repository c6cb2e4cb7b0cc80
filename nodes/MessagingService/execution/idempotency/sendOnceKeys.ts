import { randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { InputError, SAME_KEY_IN_RUN, type FirstMessage, type Outcome } from '../../../../shared';
import { BoundedMap } from '../../memory/boundedMap';
import { fingerprint } from '../../memory/fingerprint';
import type { Run } from '../operation';

/** Number of keys that are kept for a node. Above it, n8n removes the oldest. */
export const MAX_SEND_ONCE_KEYS = 100_000;

/** Twice as many, because each claim also writes a marker, and a claim may have a single key. */
const STORE = { mode: 'entries', maxEntries: 2 * MAX_SEND_ONCE_KEYS } as const;

/** Shortest pause before a claim is checked again, in milliseconds. */
const SHORTEST_PAUSE_MS = 50;

/** How often a claim may be overwritten before the run gives up. */
const MAX_CHECKS = 10;

/** The outcomes of the latest first messages. */
const firstOutcomes = new BoundedMap<Outcome<unknown>>({ maxSize: 20_000 });

/** The outcomes of the latest first messages of bulk sends, without the numbers: memory holds no phone numbers. */
const firstOfRecipients = new BoundedMap<Outcome<FirstMessage>>({ maxSize: 20_000 });

/** The outcomes of an item of a bulk send, by number in E.164. A recipient who certainly got nothing is missing. */
export class BulkItemOutput {
	constructor(readonly recipients: ReadonlyMap<string, Outcome<FirstMessage>>) {}
}

/** Fields with charges. */
const CHARGES: ReadonlySet<string> = new Set(['cost', 'balance', 'billed_via']);

let queue: Promise<unknown> = Promise.resolve();

/**
 * Claims the Send Once Keys of a run in n8n's own store before anything is sent. A message under a claimed key is never
 * sent again, not by another execution and not after a restart.
 * A dry run claims nothing.
 * @returns the keys that were never used before, as far as a dry run knows, or an error if none could be claimed
 */
export async function claimKeys(
	{ context, dryRun }: Run,
	keys: ReadonlySet<string>,
): Promise<ReadonlySet<string> | InputError> {
	if (keys.size === 0) return new Set();
	if (keys.size > MAX_SEND_ONCE_KEYS) {
		const message = `has ${keys.size} values in one run, but at most ${MAX_SEND_ONCE_KEYS} can be kept: send in several runs`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
	if (dryRun) return new Set([...keys].filter((key) => !firstOutcomes.get(firstKey(context, key))));
	const progress: Progress = { granted: new Set(), claims: [] };
	try {
		await claimAmongProcesses(context, keys, progress);
		return progress.granted;
	} catch (error) {
		const held = [...progress.granted, ...progress.claims.flatMap(({ newKeys }) => [...newKeys])];
		await releaseKeys(context, held).catch(() => undefined);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `cannot be recorded (${reason}): save the workflow and try again, or remove the option`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
}

/**
 * Whether n8n's store holds any key of the node. It cannot tell whether it holds a certain one without recording it.
 * @returns true if the store cannot be read
 */
export async function mayHoldKeys({ context }: Run): Promise<boolean> {
	const count = async () => await context.helpers.getProcessedDataCount('node', STORE);
	return (await count().catch(() => 1)) > 0;
}

/** Keys that one call of n8n's store recorded, and their marker. */
interface Claim {
	readonly marker: string;
	/** The keys that were new. */
	readonly newKeys: ReadonlySet<string>;
}

/** The progress of claiming many keys. */
interface Progress {
	/** Keys that certainly belong to this run. */
	readonly granted: Set<string>;
	/** Claims that still have to be checked. */
	claims: Claim[];
}

/**
 * Claims keys while other processes may do the same. n8n reads all keys of the node, adds ours and writes them back,
 * without a lock, so the last of two concurrent writers wins. Each claim therefore writes a marker, waits until earlier
 * readers have written, and checks whether the marker is still there. If not, keys in the store belong to another
 * claim, and the rest is claimed again.
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
		const marker = newMarker();
		const entries = [marker, ...slice];
		const newKeys = await record(entries).catch(async () => await record(entries));
		newKeys.delete(marker);
		if (newKeys.size > 0) progress.claims.push({ marker, newKeys });
	});
	for (let checks = 0; progress.claims.length > 0; checks++) {
		if (checks === MAX_CHECKS) throw new Error('other executions are recording keys at the same time');
		await sleep(Math.max(SHORTEST_PAUSE_MS, 4 * longestMs));
		// A marker that is still there proves its keys, so only the keys of a lost marker are compared again.
		const markers = progress.claims.map(({ marker }) => marker);
		const lost = await oneAtATime(async () => await record(markers));
		const again: Claim[] = [];
		for (const { marker, newKeys } of progress.claims) {
			if (!lost.has(marker)) for (const key of newKeys) progress.granted.add(key);
			else {
				// The check wrote the lost marker without its keys, so it proves nothing now.
				const another = newMarker();
				const still = await oneAtATime(async () => await record([another, ...newKeys]));
				still.delete(another);
				if (still.size > 0) again.push({ marker: another, newKeys: still });
			}
		}
		progress.claims = again;
	}
}

function newMarker(): string {
	return `claim ${randomUUID()}`;
}

async function releaseKeys({ helpers }: IExecuteFunctions, keys: readonly string[]): Promise<void> {
	await inSlices(keys, async (slice) => await helpers.removeProcessed(slice, 'node', STORE));
}

/** Number of keys in the first call of n8n's store. */
const FIRST_SLICE = 100;

/** Target duration of one call of the store, in milliseconds. */
const SLICE_MS = 200;

/**
 * Processes keys in slices. n8n compares each key with every stored key without a pause. 10,000 keys against 100,000
 * would block the process for many seconds. No other workflow could run, and in queue mode the job would count as lost.
 * The slice size adapts to the time that a slice takes, and other work runs between slices.
 */
async function inSlices(keys: readonly string[], work: (slice: string[]) => Promise<void>): Promise<void> {
	let size = FIRST_SLICE;
	for (let from = 0; from < keys.length; ) {
		const slice = keys.slice(from, from + size);
		const ms = await oneAtATime(async () => {
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
 * Ends the claims of a run. Keeps the outcome of each key, and releases the keys under which certainly nothing was
 * accepted.
 * @param outcomes the outcome of each key; undefined if nothing was sent under it
 */
export async function settleKeys(
	{ context, dryRun }: Run,
	outcomes: ReadonlyMap<string, Outcome<unknown> | undefined>,
): Promise<void> {
	if (dryRun) return;
	const unused: string[] = [];
	for (const [key, outcome] of outcomes) {
		if (!outcome || outcome.outcome === 'rejected') unused.push(key);
		else keepFirst(context, key, outcome);
	}
	if (unused.length === 0) return;
	try {
		await releaseKeys(context, unused);
	} catch (error) {
		// The error message may contain keys, and keys may contain phone numbers.
		const reason = error instanceof Error ? error.name : typeof error;
		context.logger.warn(
			`Messaging Service: the Send Once Keys of messages that were not sent could not be released (${reason})`,
		);
	}
}

function keepFirst(context: IExecuteFunctions, key: string, outcome: Outcome<unknown>): void {
	if (outcome.outcome !== 'accepted' || !(outcome.output instanceof BulkItemOutput)) {
		firstOutcomes.set(firstKey(context, key), outcome, Infinity);
		return;
	}
	for (const [to, first] of outcome.output.recipients) {
		firstOfRecipients.set(recipientKey(context, key, to), first, Infinity);
	}
	firstOutcomes.set(firstKey(context, key), { ...outcome, output: {} }, Infinity);
}

/** The row of an item whose Send Once Key was used before. */
export interface UsedKeyRow extends IDataObject {
	outcome: 'skipped';
	/**
	 * `already_sent` if the first message is known to have been accepted, `key_used` if its outcome is not known here.
	 */
	reason: 'already_sent' | 'key_used';
	message: string;
}

/**
 * Makes the row of an item whose Send Once Key was used before.
 * @param ofRun the outcome of the first message, if this run sent it
 */
export function usedKeyRow({ context, dryRun }: Run, key: string, ofRun?: Outcome<unknown>): UsedKeyRow {
	if (dryRun && ofRun) return { outcome: 'skipped', reason: 'already_sent', message: SAME_KEY_IN_RUN };
	return rowOfFirst(ofRun ?? firstOutcomes.get(firstKey(context, key)), 'the first message');
}

/** Why a recipient of a bulk send is skipped whose Send Once Key was used before. */
export interface UsedRecipient extends Pick<UsedKeyRow, 'reason' | 'message'> {
	/** The outcome of the first message to this number, if it is known. */
	readonly first?: Outcome<FirstMessage>;
}

/** Explains why a recipient (E.164) of an item is skipped whose key was used. */
export type UsedKey = (to: string) => UsedRecipient;

/**
 * Explains why one recipient of an item is skipped whose Send Once Key was used before. The first message may have had
 * other recipients, or the service may have rejected this one.
 * @param to in E.164
 * @param ofRun the outcome of the first item, if this run sent it
 */
export function usedRecipient(run: Run, key: string, to: string, ofRun?: Outcome<unknown>): UsedRecipient {
	const { context, dryRun } = run;
	const item = ofRun ?? firstOutcomes.get(firstKey(context, key));
	const first = item?.outcome === 'accepted' ? recipientOf(context, key, to, item.output) : item;
	if (!first && item?.outcome === 'accepted' && item.output instanceof BulkItemOutput) {
		return { reason: 'key_used', message: dryRun ? SAME_KEY_IN_RUN : USED_FOR_OTHERS };
	}
	const { reason, message } = rowOfFirst(
		first,
		item?.outcome === 'accepted' ? 'a message to this number' : 'the first message',
	);
	if (dryRun && ofRun) return { reason, message: SAME_KEY_IN_RUN };
	return { reason, message, ...(first && { first }) };
}

const USED_FOR_OTHERS =
	'An earlier item of this run has the same Send Once Key, and this number got no message under it. Nothing was sent or charged now. To send to it, use another key.';

/** @param output of the item, as this run has it or as it was kept */
function recipientOf(
	context: IExecuteFunctions,
	key: string,
	to: string,
	output: unknown,
): Outcome<FirstMessage> | undefined {
	if (output instanceof BulkItemOutput) return output.recipients.get(to);
	return firstOfRecipients.get(recipientKey(context, key, to));
}

/**
 * Makes the row of a message that was sent before.
 * @param what the message whose outcome may not be known
 */
function rowOfFirst(first: Outcome<unknown> | undefined, what: string): UsedKeyRow {
	const nothing = 'Nothing was sent or charged now.';
	if (first?.outcome !== 'accepted') {
		const known = first ? { first_outcome: first.outcome } : {};
		const doubt = `It is not known here whether ${what} was accepted. Check your message history.`;
		return {
			...known,
			outcome: 'skipped',
			reason: 'key_used',
			message: `This Send Once Key was used before. ${nothing} ${doubt}`,
		};
	}
	return {
		...withoutCharges(first.output),
		first_outcome: 'accepted',
		outcome: 'skipped',
		reason: 'already_sent',
		message: `This message was already sent under its Send Once Key. ${nothing}`,
	};
}

/**
 * Returns the fields of an accepted message without charges. Nothing was charged now, and a sum over the column must
 * not count the first message twice.
 */
export function withoutCharges(output: unknown): IDataObject {
	const fields = Object.entries(Object(output) as IDataObject);
	return Object.fromEntries(fields.filter(([field]) => !CHARGES.has(field)));
}

/** Uses the node's name. Two nodes with the same ID share their keys in n8n's store, but not their messages. */
function firstKey(context: IExecuteFunctions, key: string): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().name, key]);
}

/** Names a recipient of the first message under a key, without the number. */
function recipientKey(context: IExecuteFunctions, key: string, to: string): string {
	return fingerprint(firstKey(context, key), to);
}

/** Runs work one at a time. n8n updates its store without a lock, so two concurrent claims would both succeed. */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
	const result = queue.then(work);
	queue = result.catch(() => undefined);
	return await result;
}
