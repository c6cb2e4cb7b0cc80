import type { Bundle, ZObject } from 'zapier-platform-core';
import { readSendOnceKey, shownSendOnceKey } from '../../shared';
import { isBaseUrlRelay } from './baseUrlIsRelay';
import { idempotencyKeys, readKeyScope, requireOwnScope } from './idempotencyKeys';
import { invalid, textInput } from './inputs';
import type { Intent, Output } from './intent';
import { requireFilled, singleValue } from './mapped';
import { connect } from './perform';
import { findInCache, sendWithCache, type EarlierRun } from './sendWithCache';

/**
 * Sends the message of a step. If the step has a Send Once Key (an idempotency key), a second run with it (a replay, or
 * a trigger that fired twice) sends nothing and returns the first run's output. If the base URL is a relay's, the relay
 * stores the key (docs/relay.md#sends-once). Otherwise Zapier's cache does.
 * @returns the output, with `already_sent` true if it comes from an earlier run
 * @throws InputError if the key is empty in this run or is no key of one message, or its scope needs a relay (nothing was sent)
 * @throws ServiceError if the send was not accepted
 * @throws z.errors.* as {@link sendWithCache}
 */
export async function sendOnce<Sent extends Output>(z: ZObject, bundle: Bundle, intent: Intent<Sent>): Promise<Output> {
	const key = sendOnceKey(bundle);
	if (isBaseUrlRelay(bundle.authData)) {
		const keyOf = key === undefined ? undefined : idempotencyKeys(readKeyScope(bundle, intent.action), key);
		const { output, isReplay } = await intent.send(connect(z, bundle), keyOf);
		return { ...output, already_sent: isReplay };
	}
	if (key === undefined) return { ...(await intent.send(connect(z, bundle))).output, already_sent: false };
	requireOwnScope(bundle);
	return await sendWithCache(z, bundle, key, intent);
}

/**
 * Finds an earlier run with the Send Once Key of a dry run, without claiming the key. A relay can be asked only by sending.
 * @throws as {@link sendOnce}, if a real run would send nothing
 */
export async function findEarlierRun(
	z: ZObject,
	bundle: Bundle,
	intent: Omit<Intent<Output>, 'send' | 'keep'>,
): Promise<EarlierRun> {
	const key = sendOnceKey(bundle);
	if (isBaseUrlRelay(bundle.authData)) {
		if (key !== undefined) readKeyScope(bundle, intent.action);
		return { kind: key === undefined ? 'none' : 'not known' };
	}
	if (key === undefined) return { kind: 'none' };
	requireOwnScope(bundle);
	return await findInCache(z, bundle, key, intent);
}

/** The key of this run; undefined if the Zap has none, or if this is a test in the editor. */
function sendOnceKey(bundle: Bundle): string | undefined {
	requireFilled(bundle, {
		send_once_key: 'a second run could not be recognized. Map a value that every run has, or clear the field',
	});
	const value = singleValue(bundle.inputData.send_once_key, 'send_once_key');
	const key = value === undefined ? undefined : readSendOnceKey(value, bundle.inputDataRaw.send_once_key);
	if (typeof key === 'object') throw invalid('send_once_key', `“${shownSendOnceKey(textInput(value))}” ${key.message}`);
	// After changing the message, a user tests again and expects the new message to arrive.
	return bundle.meta.isLoadingSample ? undefined : key;
}
