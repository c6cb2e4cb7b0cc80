import { ZodObject } from 'zod/v4';
import type { Endpoint } from '../contract/endpoint';
import { envelopesOf, isObject, type JsonObject } from '../contract/find';
import { isNothing, signsIn, type Sign, type Signs } from '../contract/signs';
import { kindOfKey } from '../contract/words';
import { successFlag } from './response';
import { errorCodeOfText } from './errorBody';

/** What a 2xx says of a call, as far as it speaks of a failure; `words` are the ones that say so. */
export type Judgment =
	/** Nothing in it speaks of a failure. */
	| { readonly kind: 'fine' }
	/** It says in so many words that the call failed, and nothing in it says that it was accepted. */
	| { readonly kind: 'refusal'; readonly words?: string }
	/** Something in it speaks of a failure: the call may have been accepted or not. */
	| { readonly kind: 'doubt'; readonly words?: string }
	/** Nothing in it says that the call was accepted. */
	| { readonly kind: 'silent' };

/**
 * Judges the 2xx of a call that is not repeated. A sign of failure anywhere keeps it from being accepted, and so does the
 * lack of any sign that it was: an ID, a status such as `queued`, `success: true`, a cost (decision 7).
 * @param body parsed
 * @param found the result in it, as the endpoint's schema looks for it
 * @param input of the call: a response that repeats it says nothing by that
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
			endpoint.successFalse === 'refused' && !signs.unjudged && !signs.worked && !namesMessage(signs, found);
		return { kind: certain && saysNo(body, failures) ? 'refusal' : 'doubt', words };
	}
	return { kind: accepted ? 'fine' : 'silent' };
}

/**
 * Judges the 2xx of a call that lists records. Only what stands above the list counts: a record in it may have failed.
 */
export function judgeList(body: unknown): Judgment {
	if (!isObject(body)) return { kind: 'fine' };
	for (const scope of [body, ...holdersOf(body)]) {
		const about = Object.entries(scope).filter(([key]) => ABOUT_THE_CALL.has(kindOfKey(key)));
		const { failures } = signsIn(Object.fromEntries(about.filter(([key]) => key !== '__proto__')));
		if (failures.length > 0) return { kind: 'refusal', words: wordsOfSigns(failures) };
	}
	return { kind: 'fine' };
}

/** The objects in a body that hold a list, as `findList` looks for it. */
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
 * Judges the 2xx of a call that reads one record. A status and an error in it may be those of the record, so only an
 * envelope that says that the call failed counts, and words that there is no such record.
 * @param found the result in it
 */
export function judgeRead(endpoint: Endpoint, body: unknown, found: unknown): Judgment {
	if (successFlag(body) === false) return { kind: 'refusal' };
	if (!isObject(body) || !isObject(found) || ['message_id', 'id', 'reference'].some((id) => !isNothing(found[id])))
		return { kind: 'fine' };
	const { failures } = signsIn(body);
	const ofEnvelope = typeof found.status === 'string' && /^\s*(error|fail)\s*$/i.test(found.status);
	const words = wordsOfSigns(failures);
	const missing = failures.some(({ text }) => errorCodeOfText(endpoint, text) === 'not_found');
	return ofEnvelope || missing ? { kind: 'refusal', words } : { kind: 'fine' };
}

/** Whether a success flag in an envelope says no. */
function saysNo(body: unknown, failures: readonly Sign[]): boolean {
	const envelopes = isObject(body) ? envelopesOf(body) : [];
	return failures.some(
		({ kind, key, holder }) =>
			kind === 'flag' && key === 'success' && NO.has(holder.success) && envelopes.includes(holder),
	);
}

/** Other values than these are no clear answer. */
const NO = new Set<unknown>([false, 'false', 0]);

/** The result of some calls may be a no, such as a number that is not valid: the words about it are no failure. */
function explained({ answer }: Endpoint, found: unknown, failures: readonly Sign[]): readonly Sign[] {
	if (answer.kind !== 'record' || answer.mayBeFalse === undefined) return failures;
	if (!isObject(found) || found[answer.mayBeFalse] !== false) return failures;
	return failures.filter(({ kind, text }) => !(kind === 'text' || (kind === 'status' && isAboutNumber(text))));
}

function isAboutNumber(text = ''): boolean {
	return /invalid|not[\s_-]?valid|unknown|inactive|unreach|unalloc|not[\s_-]?(found|reach|exist)/i.test(text);
}

const NO_EVIDENCE = new Set(['success', 'status', 'balance', 'currency']);

/** Whether the result has what only an accepted call has. */
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
 * as `queued`. Such a call is unknown, since sending it again without the rejected numbers could pay for the others twice.
 * @param body parsed
 * @param found the result in it, as the endpoint's schema looks for it
 * @param input of the call: a response that repeats it says nothing by that
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
