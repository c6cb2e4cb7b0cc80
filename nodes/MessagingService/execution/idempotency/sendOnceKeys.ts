import { type IDataObject, type IExecuteFunctions, sleep } from 'n8n-workflow';
import {
	firstMessage,
	InputError,
	SAME_KEY_IN_RUN,
	type FirstMessage,
	type Outcome,
	type RecipientResult,
	type ServiceError,
} from '../../../../shared';
import { BoundedMap } from '../../memory/boundedMap';
import { fingerprint } from '../../memory/fingerprint';
import type { Run } from '../operation';
import { notSentUnderKey, reusedKey, type KeyedMessage } from './keyedMessage';

/** Number of keys that are kept for a node. Above it, n8n removes the oldest. */
const MAX_SEND_ONCE_KEYS = 100_000;

/** Two entries for each key: the key, and the message that it belongs to. */
const STORE = { mode: 'entries', maxEntries: 2 * MAX_SEND_ONCE_KEYS } as const;

/** The latest first messages, by key, with the digest of each. */
const firstMessages = new BoundedMap<{ readonly digest: string; readonly outcome: Outcome<unknown> }>({
	maxSize: 20_000,
});

/**
 * What the recipients of the latest first messages of bulk sends got, without the numbers: memory holds no phone numbers.
 */
const firstOfRecipients = new BoundedMap<Outcome<FirstMessage> | 'nothing'>({ maxSize: 20_000 });

/** What each recipient of an item of a bulk send got, by number in E.164. */
export class BulkItemOutput {
	constructor(readonly recipients: ReadonlyMap<string, Outcome<FirstMessage> | 'nothing'>) {}
}

/** Fields with charges. */
const CHARGES: ReadonlySet<string> = new Set(['cost', 'balance', 'billed_via']);

let queue: Promise<unknown> = Promise.resolve();

/**
 * The state of a key before this run. `new`: it is not known, and belongs to this run now. `same`: it was used for the
 * same message. `reused`: it belongs to another message.
 */
export type KeyState = 'new' | 'same' | 'reused';

/**
 * Claims the Send Once Keys of a run in n8n's own store before anything is sent. A claimed key belongs to one message,
 * and that message is never sent again, not by another execution of this process and not after a restart.
 * A dry run claims nothing.
 * @param messages all with different keys
 * @returns the state of each key, as far as a dry run knows, or an error if none could be claimed
 */
export async function claimKeys(
	{ context, dryRun }: Run,
	messages: readonly KeyedMessage[],
): Promise<ReadonlyMap<string, KeyState> | InputError> {
	if (messages.length > MAX_SEND_ONCE_KEYS) {
		const message = `has ${messages.length} values in one run, but at most ${MAX_SEND_ONCE_KEYS} can be kept: send in several runs`;
		return new InputError('node', [{ field: 'sendOnceKey', message }]);
	}
	const states = new Map<string, KeyState>();
	if (dryRun) {
		for (const { key, digest } of messages) {
			const first = firstMessages.get(firstKey(context, key));
			states.set(key, !first ? 'new' : first.digest === digest ? 'same' : 'reused');
		}
		return states;
	}
	try {
		await claimInProcess(context, messages, states);
		return states;
	} catch (error) {
		const claimed = messages.filter(({ key }) => states.get(key) === 'new');
		await releaseKeys(context, claimed).catch(() => undefined);
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

/** Binds a key to its message. The store keeps texts without values, and shows only by recording whether it holds one. */
function messageEntry({ digest }: KeyedMessage): string {
	return `message ${digest}`;
}

/**
 * Claims keys that no other execution of this process claims at the same time. n8n's store has no lock, so executions in
 * other processes (queue mode) need a relay to share keys.
 * @param states receives the state of each key that was recorded
 */
async function claimInProcess(
	{ helpers }: IExecuteFunctions,
	messages: readonly KeyedMessage[],
	states: Map<string, KeyState>,
): Promise<void> {
	const recordOnce = async (entries: string[]) => await helpers.checkProcessedAndRecord(entries, 'node', STORE);
	await inSlices(messages, async (slice) => {
		const entries = slice.flatMap((message) => [message.key, messageEntry(message)]);
		const recorded = await recordOnce(entries).catch(async () => await recordOnce(entries));
		const fresh = new Set(recorded.new.map(String));
		for (const message of slice) {
			const isBound = fresh.has(messageEntry(message));
			states.set(message.key, fresh.has(message.key) ? 'new' : isBound ? 'reused' : 'same');
		}
		const reused = slice.filter(({ key }) => states.get(key) === 'reused');
		if (reused.length > 0) await helpers.removeProcessed(reused.map(messageEntry), 'node', STORE);
	});
}

async function releaseKeys({ helpers }: IExecuteFunctions, messages: readonly KeyedMessage[]): Promise<void> {
	await inSlices(messages, async (slice) => {
		const entries = slice.flatMap((message) => [message.key, messageEntry(message)]);
		await helpers.removeProcessed(entries, 'node', STORE);
	});
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
async function inSlices<T>(keys: readonly T[], work: (slice: readonly T[]) => Promise<void>): Promise<void> {
	let size = FIRST_SLICE;
	for (let from = 0; from < keys.length;) {
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
 * Ends the claims of a run. Keeps the outcome of each message, and releases the keys under which certainly nothing was
 * accepted.
 * @param outcomes the outcome of each message; undefined if nothing was sent
 */
export async function settleKeys(
	{ context, dryRun }: Run,
	outcomes: ReadonlyMap<KeyedMessage, Outcome<unknown> | undefined>,
): Promise<void> {
	if (dryRun) return;
	const unused: KeyedMessage[] = [];
	for (const [message, outcome] of outcomes) {
		if (!outcome || outcome.outcome === 'rejected') unused.push(message);
		else keepFirst(context, message, outcome);
	}
	if (unused.length === 0) return;
	for (const { key } of unused) firstMessages.delete(firstKey(context, key));
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

function keepFirst(context: IExecuteFunctions, message: KeyedMessage, outcome: Outcome<unknown>): void {
	const { key, digest } = message;
	const isBulk = outcome.outcome === 'accepted' && outcome.output instanceof BulkItemOutput;
	if (isBulk && outcome.output instanceof BulkItemOutput) {
		for (const [to, first] of outcome.output.recipients) {
			firstOfRecipients.set(recipientKey(context, message, to), first, Infinity);
		}
	}
	const kept: Outcome<unknown> = isBulk ? { ...outcome, output: {} } : outcome;
	firstMessages.set(firstKey(context, key), { digest, outcome: kept }, Infinity);
}

/** The outcome of the same message in an earlier run; undefined if it is not known here. */
function firstOutcome(context: IExecuteFunctions, { key, digest }: KeyedMessage): Outcome<unknown> | undefined {
	const first = firstMessages.get(firstKey(context, key));
	return first?.digest === digest ? first.outcome : undefined;
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
 * Makes the row of an item whose message was sent before under its Send Once Key.
 * @param ofRun the outcome of the first message, if this run sent it
 */
export function usedKeyRow({ context, dryRun }: Run, message: KeyedMessage, ofRun?: Outcome<unknown>): UsedKeyRow {
	const { to } = message;
	const about = to === undefined ? {} : { to };
	if (dryRun && ofRun) return { ...about, outcome: 'skipped', reason: 'already_sent', message: SAME_KEY_IN_RUN };
	return { ...about, ...rowOfFirst(ofRun ?? firstOutcome(context, message), 'the first message') };
}

/** Why a recipient of a bulk send gets nothing now. */
export type KeyResult =
	| {
			readonly outcome: 'skipped';
			readonly reason: UsedKeyRow['reason'];
			readonly message: string;
			/** The outcome of the first message to this number, if it is known. */
			readonly first?: Outcome<FirstMessage>;
	  }
	| { readonly outcome: 'rejected'; readonly error: ServiceError };

/** Explains why a recipient (E.164) of an item whose key was used gets nothing now. */
export type UsedKey = (to: string) => KeyResult;

/**
 * Explains why a recipient of an item gets nothing now. A recipient who got nothing under the key is an error, because
 * a skipped row would look like a message that was sent.
 * @param state of the key of the item
 */
export function usedRecipient(
	{ context }: Run,
	message: KeyedMessage,
	state: Exclude<KeyState, 'new'>,
	to: string,
): KeyResult {
	if (state === 'reused') return { outcome: 'rejected', error: reusedKey(message, to) };
	const item = firstOutcome(context, message);
	const first = item?.outcome === 'accepted' ? firstOfRecipients.get(recipientKey(context, message, to)) : item;
	if (first === 'nothing') return { outcome: 'rejected', error: notSentUnderKey(message, to) };
	const what = item?.outcome === 'accepted' ? 'a message to this number' : 'the first message';
	return recipientRow(first, what);
}

/** The result of a recipient whose item repeats an earlier one of this run. @param first its result in that item */
export function repeatedResult({ dryRun }: Run, first: RecipientResult): RecipientResult {
	const { to, source, position } = first;
	if (first.outcome !== 'accepted' && first.outcome !== 'unknown') return first;
	if (dryRun) return { to, source, position, outcome: 'skipped', reason: 'already_sent', message: SAME_KEY_IN_RUN };
	const outcome = first.outcome === 'accepted' ? { outcome: first.outcome, output: firstMessage(first) } : first;
	return { to, source, position, ...recipientRow(outcome, 'the first message') };
}

function recipientRow(
	first: Outcome<FirstMessage> | undefined,
	what: string,
): Extract<KeyResult, { outcome: 'skipped' }> {
	const { reason, message } = rowOfFirst(first, what);
	return { outcome: 'skipped', reason, message, ...(first && { first }) };
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
function recipientKey(context: IExecuteFunctions, { key, digest }: KeyedMessage, to: string): string {
	return fingerprint(firstKey(context, key), digest, to);
}

/** Runs work one at a time. n8n updates its store without a lock, so two concurrent claims would both succeed. */
async function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
	const result = queue.then(work);
	queue = result.catch(() => undefined);
	return await result;
}
