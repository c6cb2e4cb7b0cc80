import { createHash, randomUUID } from 'node:crypto';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { ServiceError, type Client } from '../../shared';
import { optionalText } from './inputs';
import { requireFilled, singleValue } from './mapped';
import { connect, TIMEOUT_MS } from './perform';

/** How long Zapier is asked to keep a Send Once Key, in days. */
export const KEPT_DAYS = 7;

const KEPT_SECONDS = KEPT_DAYS * 86_400;
/** Only of the same connection: Zapier keeps the values of others apart. */
const SCOPE = ['auth'];
/** Longest waits for Zapier's cache; with {@link KEYED_TIMEOUT_MS} they end before Zapier ends the step. */
const CLAIM_MS = 4_000;
const NOTE_MS = 2_000;
const KEYED_TIMEOUT_MS = TIMEOUT_MS - CLAIM_MS;

/** `z.cache` as it is: its own type leaves out that all of it may be scoped. */
interface Cache {
	readonly get: (key: string, scope?: string[]) => Promise<unknown>;
	readonly set: (key: string, value: unknown, ttl?: number, scope?: string[], nx?: boolean) => Promise<unknown>;
	readonly delete: (key: string, scope?: string[]) => Promise<unknown>;
}

type Output = Readonly<Record<string, unknown>>;

/** What the cache keeps of a Send Once Key: digests, and the output, in which a bulk send names numbers. */
interface Entry {
	/** The run that claimed the key. */
	readonly run: string;
	/** Digest of the recipients. */
	readonly to: string;
	/** Unknown as soon as the key is claimed: a run that ends without a word may have sent. */
	readonly state: 'unknown' | 'accepted';
	/** What the run gave, where that was accepted. */
	readonly output?: Output;
}

/** One intended message. */
export interface Intent<Sent extends Output> {
	/** Key of the step, which keeps the keys of different steps apart. */
	readonly action: string;
	readonly recipients: readonly string[];
	/** Sends, once; throws a `ServiceError` for what was not accepted. */
	readonly send: (client: Client) => Promise<Sent>;
	/** Makes of an output what is kept of it, for outputs that may be large; all of it where this is missing. */
	readonly keep?: (output: Sent) => Output;
}

/**
 * Sends what a step is to send. With a Send Once Key in the step a second run of it (a replay, or a trigger that fired
 * twice) sends nothing: it gets what the first one got. The key is claimed before anything leaves, and given back only
 * where it is certain that nothing was accepted. A cache is no ledger: Zapier may forget a key, and then the second run
 * sends again.
 * @returns the output, with `already_sent` true where it is that of an earlier run
 * @throws InputError for a key that is empty in this run, or that is no single value: nothing was sent; ServiceError
 * where it was not accepted; z.errors.HaltedError where an earlier run may have sent it or the key
 * belongs to another message; z.errors.Error, to be tried again, where the cache cannot be asked: nothing was sent
 */
export async function sendOnce<Sent extends Output>(
	z: ZObject,
	bundle: Bundle,
	{ action, recipients, send, keep = (output) => output }: Intent<Sent>,
): Promise<Output> {
	const key = sendOnceKey(bundle);
	if (key === undefined) return { ...(await send(connect(z, bundle))), already_sent: false };

	const client = connect(z, bundle, KEYED_TIMEOUT_MS);
	const cache: Cache = z.cache;
	const { base_url, api_key } = bundle.authData;
	// Should the scope not be kept apart, at least nobody else's key is the same.
	const name = `send_once/${digest([base_url, api_key, action, key])}`;
	const mine: Entry = { run: randomUUID(), to: digest(recipients), state: 'unknown' };
	const found = await claim(z, cache, name, mine);
	if (found.run !== mine.run) return earlier(z, found, mine);
	try {
		const output = await send(client);
		await note(cache.set(name, { ...mine, state: 'accepted', output: keep(output) }, KEPT_SECONDS, SCOPE));
		return { ...output, already_sent: false };
	} catch (error) {
		// Anything else may have been accepted: the claim stays.
		if (error instanceof ServiceError && error.sent === 'no') await note(cache.delete(name, SCOPE));
		throw error;
	}
}

/** The key of this run; undefined if the Zap has none, or if the step is being tested in the editor. */
function sendOnceKey(bundle: Bundle): string | undefined {
	requireFilled(bundle, {
		send_once_key: 'a second run could not be recognized. Map a value that every run has, or clear the field',
	});
	const key = optionalText(singleValue(bundle.inputData.send_once_key, 'send_once_key'));
	// A person who changes the text and tests again wants to see that text arrive.
	return bundle.meta.isLoadingSample ? undefined : key;
}

/** Claims a key. @returns the entry that holds it then: ours, or that of an earlier run */
async function claim(z: ZObject, cache: Cache, name: string, mine: Entry): Promise<Entry> {
	const requested = (async () => {
		const before = readEntry(await cache.get(name, SCOPE));
		if (before) return before;
		await cache.set(name, mine, KEPT_SECONDS, SCOPE, true);
		// The answer to `set` does not tell whose entry it is: Zapier's client repeats a request that got no answer.
		return readEntry(await cache.get(name, SCOPE));
	})();
	const entry = await within(CLAIM_MS, requested).catch(() => undefined);
	if (entry) return entry;
	const words =
		'Zapier could not keep the Send Once Key, so nothing was sent and nothing was charged. Replay this step, or leave the key out.';
	throw new z.errors.Error(words, 'SendOnceKeyNotKept');
}

function earlier(z: ZObject, found: Entry, mine: Entry): Output {
	if (found.to !== mine.to) {
		throw new z.errors.HaltedError(
			'This Send Once Key was already used for another recipient, so nothing was sent. Use a value that is different for each message, such as the ID of an order.',
		);
	}
	if (found.state === 'accepted') return { ...found.output, already_sent: true };
	throw new z.errors.HaltedError(
		'An earlier run with this Send Once Key may have sent this, so it was not sent again. Look for it in the message history of the dashboard; to send it all the same, change the key.',
	);
}

function readEntry(value: unknown): Entry | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const { run, to, state, output }: { run?: unknown; to?: unknown; state?: unknown; output?: unknown } = value;
	// What cannot be read was still written by a run with this key.
	return {
		run: String(run),
		to: String(to),
		state: state === 'accepted' ? state : 'unknown',
		...(typeof output === 'object' && output !== null && { output: { ...output } }),
	};
}

/** Writes down how it ended. Where that fails, the claim stays, and a replay halts instead of sending again. */
async function note(written: Promise<unknown>): Promise<void> {
	await within(NOTE_MS, written).catch(() => undefined);
}

async function within<T>(milliseconds: number, requested: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error('No answer in time')), milliseconds);
	});
	return await Promise.race([requested, late]).finally(() => clearTimeout(timer));
}

function digest(parts: readonly (string | undefined)[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
