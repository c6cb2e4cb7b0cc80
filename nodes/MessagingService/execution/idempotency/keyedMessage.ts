import {
	ApiError,
	KEY_REUSED,
	SEND_ONCE_ADVICE,
	shownSendOnceKey,
	SKIP_ADVICE,
	withSentFields,
	type Endpoint,
	type ServiceError,
} from '../../../../shared';
import { fingerprint } from '../../memory/fingerprint';
import type { Call } from '../operation';

/** A message under a Send Once Key. */
export interface KeyedMessage {
	readonly key: string;
	/** Equal only for messages with the same key, operation, recipients and content. It holds no number and no text. */
	readonly digest: string;
	/** ID of the endpoint. */
	readonly endpoint: string;
	/** The only recipient; undefined if there are several. */
	readonly to: string | undefined;
}

/** @param content what distinguishes the message from others under its key, as JSON */
export function makeKeyedMessage(key: string, { id }: Endpoint, content: string, to: KeyedMessage['to']): KeyedMessage {
	return { key, digest: fingerprint(key, id, content), endpoint: id, to };
}

/**
 * The message of a call under its Send Once Key. Its content is what the user gave: a time to which only Sending Hours
 * moved it does not count, so a later run repeats the same message.
 * @returns undefined without a key
 */
export function keyedMessage({ sendOnceKey: key, given, ...call }: Call): KeyedMessage | undefined {
	if (key === undefined) return undefined;
	const { endpoint, input } = given ?? call;
	const content = JSON.stringify(Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1)));
	return makeKeyedMessage(key, endpoint, content, recipientOf(call));
}

/** The only recipient of a call, or the number that it looks up. */
export function recipientOf({ endpoint, input }: Pick<Call, 'endpoint' | 'input'>): string | undefined {
	const { to } = withSentFields(endpoint, input, {});
	return to ?? (typeof input.phone === 'string' ? input.phone : undefined);
}

/**
 * Finds the items of a run that share a Send Once Key.
 * @param messages by item index
 * @returns for an item with the same message as an earlier one: the index of that item. `reused` for an item whose key
 * belongs to another message of the run. Other items are missing
 */
export function sharedKeys(messages: ReadonlyArray<KeyedMessage | undefined>): ReadonlyMap<number, number | 'reused'> {
	const owners = new Map<string, { readonly index: number; readonly digest: string }>();
	const shared = new Map<number, number | 'reused'>();
	for (const [index, message] of messages.entries()) {
		if (message === undefined) continue;
		const owner = owners.get(message.key);
		if (!owner) owners.set(message.key, { index, digest: message.digest });
		else shared.set(index, owner.digest === message.digest ? owner.index : 'reused');
	}
	return shared;
}

/**
 * The error of a Send Once Key that belongs to another message.
 * @param message its endpoint, its key, and the HTTP status if a relay rejected it
 * @param to its recipient; undefined if it has several
 * @param size how many recipients the rejected request has, each with a key of its own
 */
export function reusedKey(
	{ key, endpoint, status }: Pick<ServiceError, 'endpoint' | 'status'> & { readonly key: string },
	to: string | undefined,
	size = 1,
): ApiError {
	const why =
		size === 1
			? `another message or recipient, so nothing was sent to ${to ?? 'its recipients'}`
			: `another message to ${to}, so nothing was sent to the ${size} recipients of its request`;
	const hint = size === 1 ? HINT : `${HINT} ${SKIP_ADVICE}`;
	const message = `${named(key)} was used before for ${why}`;
	return new ApiError(message, { endpoint, status, sent: 'no', code: KEY_REUSED, hint });
}

/** The error of a recipient to whom nothing was sent when the Send Once Key of a bulk send was used. */
export function notSentUnderKey({ key, endpoint }: KeyedMessage, to: string): ApiError {
	const message = `${named(key)} was used before, but nothing was sent to ${to} under it`;
	return new ApiError(message, { endpoint, sent: 'no', code: KEY_REUSED, hint: HINT });
}

const HINT = `${SEND_ONCE_ADVICE.replace(/^./, (first) => first.toUpperCase())}. Nothing was sent or charged.`;

function named(key: string): string {
	const shown = shownSendOnceKey(key);
	return `Send Once Key "${shown}${shown === key ? '' : '…'}"`;
}
