import { createHash, randomUUID } from 'node:crypto';
import type { Bundle, ZObject } from 'zapier-platform-core';
import { z as zod } from 'zod/v4';
import { ServiceError } from '../../shared';
import { KEPT_DAYS } from '../fields';
import type { Intent, Output } from './intent';
import { connect, TIMEOUT_MS } from './perform';
import { keyReused, MAY_HAVE_SENT } from './sendOnceTexts';

const KEPT_SECONDS = KEPT_DAYS * 86_400;
/** Zapier keeps the values of each connection apart. */
const SCOPE = ['auth'];
/** Timeouts for Zapier's cache. Together with {@link KEYED_TIMEOUT_MS} they end before Zapier ends the step. */
const CLAIM_MS = 4_000;
const RECORD_MS = 2_000;
const KEYED_TIMEOUT_MS = TIMEOUT_MS - CLAIM_MS;

/** `z.cache` with the scope parameter of all its methods, which its own type omits. */
interface Cache {
	readonly get: (key: string, scope?: string[]) => Promise<unknown>;
	readonly set: (key: string, value: unknown, ttl?: number, scope?: string[], nx?: boolean) => Promise<unknown>;
	readonly delete: (key: string, scope?: string[]) => Promise<unknown>;
}

/** Cache entry of a Send Once Key: digests and the output. The output of a bulk send holds numbers. */
const entrySchema = zod.object({
	/** The run that claimed the key. */
	run: zod.string(),
	/** Digest of the message and its recipients. */
	message: zod.string(),
	/** Unknown from the moment of the claim, because a run that crashes may have sent. */
	state: zod.enum(['unknown', 'accepted']),
	/** Output of the run, if it was accepted. */
	output: zod.record(zod.string(), zod.unknown()).optional(),
});
type Entry = Readonly<zod.output<typeof entrySchema>>;

/** The first run with a Send Once Key, as far as it is known. */
export type EarlierRun =
	| { readonly kind: 'none' }
	| { readonly kind: 'not known' }
	| { readonly kind: 'accepted'; readonly output: Output };

/**
 * Finds the run that holds a Send Once Key in Zapier's cache, without claiming the key.
 * @throws z.errors.HaltedError as {@link sendWithCache}
 */
export async function findInCache(
	z: ZObject,
	bundle: Bundle,
	key: string,
	intent: Omit<Intent<Output>, 'send' | 'keep'>,
): Promise<EarlierRun> {
	const cache: Cache = z.cache;
	const read = await within(CLAIM_MS, cache.get(nameOf(bundle, intent.action, key), SCOPE)).catch(
		(): unknown => NO_RESPONSE,
	);
	if (read === NO_RESPONSE) return { kind: 'not known' };
	const found = readEntry(read);
	if (!found) return { kind: 'none' };
	return { kind: 'accepted', output: earlierOutput(z, found, key, intent) };
}

const NO_RESPONSE = Symbol('no response');

/**
 * Sends a message whose Send Once Key is stored in Zapier's cache. The key is claimed before any request, and released
 * only if certainly nothing was accepted. A cache is no ledger: Zapier may forget a key, and then a second run sends
 * again.
 * @param key not empty
 * @returns the output, with `already_sent` true if it comes from an earlier run
 * @throws ServiceError if the send was not accepted
 * @throws z.errors.HaltedError if an earlier run may have sent the message, or the key belongs to another message or recipient
 * @throws z.errors.Error, which allows a replay, if the cache cannot be reached (nothing was sent)
 */
export async function sendWithCache<Sent extends Output>(
	z: ZObject,
	bundle: Bundle,
	key: string,
	{ send, keep = (output) => output, ...intent }: Intent<Sent>,
): Promise<Output> {
	const client = connect(z, bundle, KEYED_TIMEOUT_MS);
	const cache: Cache = z.cache;
	const name = nameOf(bundle, intent.action, key);
	const mine: Entry = { run: randomUUID(), message: digest(intent.content), state: 'unknown' };
	const found = await claim(z, cache, name, mine);
	if (found.run !== mine.run) return earlierOutput(z, found, key, intent);
	try {
		const { output } = await send(client);
		await record(cache.set(name, { ...mine, state: 'accepted', output: keep(output) }, KEPT_SECONDS, SCOPE));
		return { ...output, already_sent: false };
	} catch (error) {
		// After any other error the message may have been accepted, so the claim stays.
		if (error instanceof ServiceError && error.sent === 'no') await record(cache.delete(name, SCOPE));
		throw error;
	}
}

/** Names a key in the cache: unique per connection, even if Zapier did not keep the scopes apart. */
function nameOf({ authData: { base_url, api_key } }: Pick<Bundle, 'authData'>, action: string, key: string): string {
	return `send_once/${digest([base_url, api_key, action, key])}`;
}

/** Claims a key. @returns the entry that holds the key afterwards: ours, or an earlier run's */
async function claim(z: ZObject, cache: Cache, name: string, mine: Entry): Promise<Entry> {
	const requested = (async () => {
		const before = readEntry(await cache.get(name, SCOPE));
		if (before) return before;
		await cache.set(name, mine, KEPT_SECONDS, SCOPE, true);
		// The result of `set` does not prove whose entry it is, because Zapier's client retries after a lost response.
		return readEntry(await cache.get(name, SCOPE));
	})();
	const entry = await within(CLAIM_MS, requested).catch(() => undefined);
	if (entry) return entry;
	const message =
		'Zapier could not store the Send Once Key. Nothing was sent or charged. Replay this step, or clear the key.';
	throw new z.errors.Error(message, 'SendOnceKeyNotKept');
}

/** The output of the earlier run that holds the key. @throws z.errors.HaltedError if it may not be returned */
function earlierOutput(
	z: ZObject,
	found: Entry,
	key: string,
	{ recipients, content }: Omit<Intent<Output>, 'send' | 'keep'>,
): Output {
	if (found.message !== '' && found.message !== digest(content)) {
		throw new z.errors.HaltedError(keyReused(key, recipients));
	}
	if (found.state === 'accepted') return { ...found.output, already_sent: true };
	throw new z.errors.HaltedError(
		`${MAY_HAVE_SENT} Look for it in the message history of the dashboard. To send it anyway, change the key.`,
	);
}

function readEntry(value: unknown): Entry | undefined {
	if (value === undefined || value === null) return undefined;
	const entry = entrySchema.safeParse(value);
	// An entry that cannot be read was still written by a run with this key.
	return entry.success ? entry.data : { run: '', message: '', state: 'unknown' };
}

/** Records how the send ended. If that fails, the claim stays, and a replay halts instead of sending again. */
async function record(written: Promise<unknown>): Promise<void> {
	await within(RECORD_MS, written).catch(() => undefined);
}

async function within<T>(milliseconds: number, requested: Promise<T>): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error('No response in time')), milliseconds);
	});
	return await Promise.race([requested, late]).finally(() => clearTimeout(timer));
}

function digest(parts: readonly unknown[]): string {
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
