import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import { envelopesOf, isObject, type JsonObject } from '../contract/find';
import { isNothing, signsIn, type Sign, type Signs } from '../contract/signs';
import { kindOfKey } from '../contract/words';
import { successFlag } from './response';
import { errorCodeOfText } from './errorBody';

/** Whether a 2xx indicates a failure; `words` are its own words for it. */
export type Judgment =
	/** Nothing in it indicates a failure. */
	| { readonly kind: 'fine' }
	/** It clearly says that the call failed, and nothing in it says that it was accepted. */
	| { readonly kind: 'rejection'; readonly words?: string }
	/** Something in it indicates a failure: the call may have been accepted or not. */
	| { readonly kind: 'doubt'; readonly words?: string }
	/** Nothing in it says that the call was accepted. */
	| { readonly kind: 'silent' };

/**
 * Judges the 2xx of a call that is not repeated. It is accepted only without any sign of failure, and with at least one
 * sign of acceptance: an ID, a status such as `queued`, `success: true` or a cost (decision 7).
 * @param body parsed
 * @param found the result in it, by the endpoint's schema
 * @param input of the call. Values that the response repeats from it prove nothing
 */
export function judgeOnce(
	endpoint: Endpoint,
	body: unknown,
	found: unknown,
	input: Readonly<Record<string, unknown>>,
): Judgment {
	const signs = signsIn(body, { input, bulk: endpoint.successFalse === 'unknown' });
	const failures = explained(endpoint, found, signs.failures);
	const words = wordsOfSigns(failures);
	const accepted = signs.worked || signs.named || hasEvidence(endpoint, found);
	if (failures.length > 0 || signs.unjudged) {
		const certain =
			endpoint.successFalse === 'rejected' && !signs.unjudged && !signs.worked && !namesMessage(signs, found);
		return { kind: certain && saysNo(body, failures) ? 'rejection' : 'doubt', words };
	}
	return { kind: accepted ? 'fine' : 'silent' };
}

/** Judges the 2xx of a call that lists records. Only fields above the list count, because a record in it may have failed. */
export function judgeList(body: unknown): Judgment {
	if (!isObject(body)) return { kind: 'fine' };
	for (const scope of [body, ...holdersOf(body)]) {
		const about = Object.entries(scope).filter(([key]) => ABOUT_THE_CALL.has(kindOfKey(key)));
		const { failures } = signsIn(Object.fromEntries(about.filter(([key]) => key !== '__proto__')));
		if (failures.length > 0) return { kind: 'rejection', words: wordsOfSigns(failures) };
	}
	return { kind: 'fine' };
}

/** The objects in a body that contain a list, as `findList` finds it. */
function holdersOf(body: JsonObject, depth = 0): JsonObject[] {
	if (depth > 2) return [];
	return Object.values(body)
		.filter(isObject)
		.flatMap((inner) => {
			const within = holdersOf(inner, depth + 1);
			return within.length > 0 || Object.values(inner).some((value) => Array.isArray(value)) ? [inner, ...within] : [];
		});
}

const ABOUT_THE_CALL = new Set(['flag', 'failure', 'status', 'code']);

/**
 * Judges the 2xx of a call that reads one record. A status and an error in it may belong to the record. So only an
 * envelope that says that the call failed counts, or words that say that the record does not exist.
 * @param found the result in it
 */
export function judgeRead(endpoint: Endpoint, body: unknown, found: unknown): Judgment {
	if (successFlag(body) === false) return { kind: 'rejection' };
	if (!isObject(body) || !isObject(found) || ['message_id', 'id', 'reference'].some((id) => !isNothing(found[id])))
		return { kind: 'fine' };
	const { failures } = signsIn(body);
	const ofEnvelope = typeof found.status === 'string' && /^\s*(error|fail)\s*$/i.test(found.status);
	const words = wordsOfSigns(failures);
	const missing = failures.some(({ text }) => errorCodeOfText(endpoint, text) === 'not_found');
	return ofEnvelope || missing ? { kind: 'rejection', words } : { kind: 'fine' };
}

/** Whether a success flag in an envelope says no. */
function saysNo(body: unknown, failures: readonly Sign[]): boolean {
	const envelopes = isObject(body) ? envelopesOf(body) : [];
	return failures.some(
		({ kind, key, holder }) =>
			kind === 'flag' && key === 'success' && NO.has(holder.success) && envelopes.includes(holder),
	);
}

/** Only these values are a clear no. */
const NO = new Set<unknown>([false, 'false', 0]);

/** A no may be the result of a call, such as a number that is not valid. Words about it are then not a failure. */
function explained({ response }: Endpoint, found: unknown, failures: readonly Sign[]): readonly Sign[] {
	if (response.kind !== 'record' || response.mayBeFalse === undefined) return failures;
	if (!isObject(found) || found[response.mayBeFalse] !== false) return failures;
	return failures.filter(({ kind, text }) => !(kind === 'text' || (kind === 'status' && isAboutNumber(text))));
}

function isAboutNumber(text = ''): boolean {
	return /invalid|not[\s_-]?valid|unknown|inactive|unreach|unalloc|not[\s_-]?(found|reach|exist)/i.test(text);
}

const NO_EVIDENCE = new Set(['success', 'status', 'balance', 'currency']);

/** Whether the result has a field that only an accepted call has. */
function hasEvidence({ output }: Endpoint, found: unknown): boolean {
	if (!isObject(found) || !(output instanceof ZodObject)) return true;
	return Object.keys(output.shape).some(
		(key) => !NO_EVIDENCE.has(key) && (typeof found[key] === 'boolean' || !isNothing(found[key])),
	);
}

function namesMessage(signs: Signs, found: unknown): boolean {
	const { message_id, verification_id, cost }: JsonObject = isObject(found) ? found : {};
	return signs.named || !isNothing(message_id) || !isNothing(verification_id) || Number(cost) > 0;
}

/**
 * Whether the rejection of a call to many recipients says that part of it was accepted: a batch ID, a cost, a status such
 * as `queued`. Such a call is unknown, because sending it again without the rejected numbers could charge the others twice.
 * @param body parsed
 * @param found the result in it, by the endpoint's schema
 * @param input of the call. Values that the response repeats from it prove nothing
 */
export function isPartlyAccepted(
	endpoint: Endpoint,
	body: unknown,
	found: unknown,
	input: Readonly<Record<string, unknown>>,
): boolean {
	if (endpoint.successFalse !== 'unknown') return false;
	const { batch_id, cost }: JsonObject = isObject(found) ? found : {};
	return !isNothing(batch_id) || Number(cost) > 0 || signsIn(body, { input, bulk: true }).worked;
}

const STATUS_KINDS: ReadonlySet<Sign['kind']> = new Set(['status', 'code']);

function wordsOfSigns(failures: readonly Sign[]): string | undefined {
	const spoken = failures.filter(({ text }) => text !== undefined && text.trim() !== '');
	const [sign] = [...spoken.filter(({ kind }) => !STATUS_KINDS.has(kind)), ...spoken];
	if (sign?.text === undefined) return undefined;
	const text = sign.text.trim();
	return STATUS_KINDS.has(sign.kind) ? `The service responded with "${text}"` : text;
}
