import type { Endpoint } from '../contract/endpoint';
import { sms } from '../contract/sms';
import type { InputIssue } from './errors';

/** Most characters of an idempotency key (docs/relay.md#requests). */
const MOST_CHARACTERS = 255;

/** Most recipients of a bulk send with a key for each (docs/relay.md#requests). */
const MOST_RECIPIENTS = 10_000;

/** Highest maximum age of a key, in seconds (docs/relay.md#requests). */
const MOST_SECONDS = 999_999;

/** The idempotency keys that a caller gives with a call. */
export interface GivenKeys {
	/** 1 to 255 visible ASCII characters. */
	readonly idempotencyKey?: string;
	/** The same, by the recipient. Only together with `idempotencyKey`. */
	readonly recipientKey?: string;
	/** For a bulk send: one for each entry of `to`, all different. */
	readonly idempotencyKeys?: readonly string[];
	/** 1 to 999,999: the age after which the send of an earlier call does not keep the key. */
	readonly keyMaxAgeSeconds?: number;
	/** `now`, or a time as in `schedule_at`: the time that the sender gave, if something else moved it. */
	readonly movedFrom?: string;
}

/** The part of a request that carries idempotency keys. */
export interface KeyedParts {
	readonly headers: Readonly<Record<string, string>>;
	/** Fields of the body, beside the input. */
	readonly body: Readonly<Record<string, unknown>>;
	/** The keys belong to this call alone, because it made them. */
	readonly own: boolean;
	/** Whether each recipient has a key. */
	readonly perRecipient: boolean;
}

/**
 * Makes the part of a request that carries the given keys, or a new random key.
 * @param input of the call, already parsed
 * @returns the issue if the keys do not fit. It does not repeat them, because they may hold a customer's data
 */
export function keyedParts(
	endpoint: Endpoint,
	input: Readonly<Record<string, unknown>>,
	{ idempotencyKey, recipientKey, idempotencyKeys, keyMaxAgeSeconds, movedFrom }: GivenKeys,
): KeyedParts | { readonly issue: InputIssue } {
	const ageProblem = maxAgeProblem(keyMaxAgeSeconds, idempotencyKey ?? idempotencyKeys);
	if (ageProblem !== undefined) return { issue: { field: 'keyMaxAgeSeconds', message: ageProblem } };
	const movedProblem = movedFromProblem(movedFrom, idempotencyKey ?? idempotencyKeys);
	if (movedProblem !== undefined) return { issue: { field: 'movedFrom', message: movedProblem } };
	const about: KeyedParts['headers'] = {
		...(keyMaxAgeSeconds !== undefined && { 'Relay-Key-Max-Age': String(keyMaxAgeSeconds) }),
		...(movedFrom !== undefined && { 'Relay-Moved-From': movedFrom }),
	};
	if (recipientKey !== undefined) {
		const problem = idempotencyKey === undefined ? WITHOUT_KEY : keyProblem(recipientKey);
		if (problem !== undefined) return { issue: { field: 'recipientKey', message: problem } };
	}
	if (idempotencyKeys !== undefined) {
		const issue = listIssue(endpoint, input.to, idempotencyKeys, idempotencyKey);
		if (issue) return { issue };
		return { headers: about, body: { idempotency_keys: idempotencyKeys }, own: false, perRecipient: true };
	}
	const problem = idempotencyKey === undefined ? undefined : keyProblem(idempotencyKey);
	if (problem !== undefined) return { issue: { field: 'idempotencyKey', message: problem } };
	const key = idempotencyKey ?? crypto.randomUUID();
	const keys = [key, ...(recipientKey === undefined ? [] : [recipientKey])];
	const headers = { 'Idempotency-Key': keys.map(structured).join(', '), ...about };
	return { headers, body: {}, own: idempotencyKey === undefined, perRecipient: false };
}

const WITHOUT_KEY = 'is without a key: give idempotencyKey too, or leave it out';

/** A structured field string (RFC 9651, 3.3.3). A bare key that begins with a quote would be another key. */
function structured(key: string): string {
	return `"${key.replace(/["\\]/g, String.raw`\$&`)}"`;
}

function maxAgeProblem(seconds: number | undefined, keys: GivenKeys[keyof GivenKeys]): string | undefined {
	if (seconds === undefined) return undefined;
	if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) {
		return `is not a whole number from 1 to ${MOST_SECONDS}: give the seconds, or leave it out`;
	}
	return keys === undefined ? 'is without a key: give idempotencyKey or idempotencyKeys, or leave it out' : undefined;
}

function movedFromProblem(time: string | undefined, keys: GivenKeys[keyof GivenKeys]): string | undefined {
	if (time === undefined) return undefined;
	if (time !== 'now' && !sms.sendBulk.input.shape.schedule_at.safeParse(time).success) {
		return 'is neither now nor a time: give a time as in schedule_at, or leave it out';
	}
	return keys === undefined ? 'is without a key: give idempotencyKey or idempotencyKeys, or leave it out' : undefined;
}

function keyProblem(key: string): string | undefined {
	if (key === '') return 'is empty: give 1 to 255 visible ASCII characters, or leave it out';
	if (key.length > MOST_CHARACTERS) return `has ${key.length} characters: give at most ${MOST_CHARACTERS}`;
	return /^[!-~]+$/.test(key) ? undefined : 'has a space or another character that is not visible ASCII: remove it';
}

function listIssue(
	endpoint: Endpoint,
	to: unknown,
	keys: readonly string[],
	single: string | undefined,
): InputIssue | undefined {
	const say = (message: string, field = 'idempotencyKeys') => ({ field, message });
	if (endpoint.id !== sms.sendBulk.id) return say('is only for a bulk send: give idempotencyKey');
	if (single !== undefined) return say('cannot be given together with idempotencyKey: leave one of them out');
	if (!Array.isArray(to) || to.length !== keys.length) {
		return say('does not have the same length as the recipients: give one key for each entry of to');
	}
	if (keys.length > MOST_RECIPIENTS) return say(`has more than ${MOST_RECIPIENTS} keys: send fewer at once`);
	const seen = new Map<string, number>();
	for (const [place, key] of keys.entries()) {
		const problem = keyProblem(key);
		if (problem !== undefined) return say(problem, `idempotencyKeys.${place}`);
		const before = seen.get(key);
		if (before !== undefined) {
			return say(`repeats entry ${before}: give each recipient a key of its own`, `idempotencyKeys.${place}`);
		}
		seen.set(key, place);
	}
	return undefined;
}

/**
 * Where a Send Once Key is unique: in the whole account, or in one place, such as a node of a workflow.
 * @example const scope: SendOnceScope = { kind: 'place', place: ['n8n', workflowId, nodeId] };
 */
export type SendOnceScope =
	| { readonly kind: 'account' }
	| { readonly kind: 'place'; readonly place: readonly string[] };

/**
 * Makes the idempotency key of a user's Send Once Key. It is a digest, so the relay and its logs get no order number, and
 * any text fits. In the scope of the account, equal texts have equal keys on all hosts. White space around the text does
 * not count.
 * @param key as the user gave it; not empty
 * @returns 74 visible ASCII characters
 * @example await sendOnceIdempotencyKey({ kind: 'account' }, 'order-7') // 'send-once-…'
 */
export async function sendOnceIdempotencyKey(scope: SendOnceScope, key: string): Promise<string> {
	const place = scope.kind === 'account' ? [] : ['place', ...scope.place];
	const text = JSON.stringify(['send-once', place, key.trim().normalize('NFC')]);
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
	const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
	return `send-once-${hex.join('')}`;
}

/**
 * Makes the idempotency key of one recipient of a bulk send from a user's Send Once Key, which all its recipients share.
 * @param to in E.164
 * @param nth 2 for the second different message to this recipient under the key, and so on
 * @example await sendOnceRecipientKey({ kind: 'account' }, 'sale-2026', '+233201234567') // 'send-once-…'
 */
export async function sendOnceRecipientKey(scope: SendOnceScope, key: string, to: string, nth = 1): Promise<string> {
	const parts = [key.trim().normalize('NFC'), to, ...(nth > 1 ? [String(nth)] : [])];
	return await sendOnceIdempotencyKey(scope, JSON.stringify(parts));
}
