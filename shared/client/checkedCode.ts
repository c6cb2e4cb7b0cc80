import { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';
import { isObject, type JsonObject } from '../contract/find';
import { kindOfKey, VALID_WORDS, type Verdict } from '../contract/words';
import { CODE_REASONS, isWord, leavesIn, NEUTRAL, reasonIn } from '../reading/code';
import { parseErrorBody, redact } from './errorBody';
import type { ServiceError } from './errors';

/** Why a code is not valid. `unclear`: the response does not say whether it is correct. */
export type CodeReason = (typeof CODE_REASONS)[number] | 'not_valid' | 'unclear';

/** Whether a code is valid, and if not, why. */
export type CheckedCode =
	| { readonly valid: true }
	| {
			readonly valid: false;
			readonly reason: CodeReason;
			/** The service's words, or for an unclear response what it means and what to do. */
			readonly message?: string;
	  };

/**
 * How to treat a response without a verdict.
 * @example const options: CheckOptions = { acceptSuccess: false, optionName: 'Accept Success', code: '493021' };
 */
export interface CheckOptions {
	/** Whether `success: true` means a correct code if the response says nothing else. */
	readonly acceptSuccess: boolean;
	/** Name of that option in the user interface. */
	readonly optionName: string;
	/** The code that was checked. It is removed from the service's words. */
	readonly code: string;
}

/** The result of a check: the verdict first, then the service's facts. No other field means success. */
export type CodeCheck = CheckedCode & Readonly<Record<string, unknown>>;

/**
 * Reads the response to POST /verify/check (docs/api.md#check-a-code). Only an explicit verdict makes a code valid.
 * @example
 * const { valid } = readCheckedCode(await client.verification.check(input), { acceptSuccess: false, optionName, code });
 */
export function readCheckedCode(
	{ verdict = 'unclear', ...response }: OutputOf<typeof contract.verification.check>,
	options: CheckOptions,
): CodeCheck {
	const checked = checkedBy(verdict, response, options);
	// First, because users look there. Last, so that no field of the service overwrites it.
	return { ...checked, ...factsBeside(response, checked.valid), ...checked };
}

/**
 * Reads a rejection of POST /verify/check that means that the code is not valid.
 * @returns undefined if the check itself failed
 * @example const wrong = readRejectedCode(outcome.error);
 */
export function readRejectedCode({ sent, meaning, message }: ServiceError): CheckedCode | undefined {
	const reason = CODE_REASONS.find((one) => one === meaning);
	return reason === undefined || sent !== 'no' ? undefined : { valid: false, reason, message };
}

function checkedBy(
	verdict: Verdict,
	response: JsonObject,
	{ acceptSuccess, optionName, code }: CheckOptions,
): CheckedCode {
	if (verdict === 'right' || (verdict === 'only_success' && acceptSuccess)) return { valid: true };
	if (verdict === 'wrong') return { valid: false, reason: reasonOf(response, code) };
	const words = wordsIn(response, code);
	const said = words === undefined ? '' : ` The service says: "${words}".`;
	const because = `The response does not say whether the code is correct, so it counts as not valid.${said}`;
	const next =
		verdict === 'only_success'
			? `It says only that the request succeeded. Turn on ${optionName} only if your service responds differently to a wrong code.`
			: 'Ask the service how it responds to a correct code.';
	return { valid: false, reason: 'unclear', message: `${because} ${next}` };
}

/** The reason for a code that is not valid, found as in a rejection: in its machine-readable words, or in its text. */
function reasonOf(response: JsonObject, code: string): CodeReason {
	const text = wordsIn(response, code) ?? [];
	const words = leavesIn(response).flatMap(({ kind, value }) => (isWord(kind, value) ? [value] : []));
	const found = words.concat(text).map(reasonIn);
	// Other words may have another reason. Without any words, the code was wrong.
	return CODE_REASONS.find((reason) => found.includes(reason)) ?? (text.length > 0 ? 'not_valid' : 'wrong_code');
}

/** The service's words about a code; undefined if they only say that the request worked, or repeat the code. */
function wordsIn(response: JsonObject, code: string): string | undefined {
	const { message, hasReason } = parseErrorBody(200, JSON.stringify(response), (text) => redact(text, { code }));
	return hasReason && !NEUTRAL.test(message) && message !== '…' ? message : undefined;
}

/** Depth beyond which the facts of a response are left out. */
const DEEPEST_FACT = 20;

/**
 * The facts of a response beside its verdict. Leaves out everything that means success, at any depth: one could mistake it
 * for the verdict.
 * @param valid whether the code is valid. If not, statuses such as `ok` are left out too
 */
function factsBeside(body: JsonObject, valid: boolean, depth = 0): JsonObject {
	const facts: JsonObject = {};
	for (const [key, value] of Object.entries(body)) {
		const kind = kindOfKey(key);
		if (key === '__proto__' || key === 'verdict' || key === 'outcome' || kind === 'flag') continue;
		const fact = factIn(value, valid, depth);
		if (fact === undefined || (!valid && kind !== 'failure' && meansSuccess(fact))) continue;
		facts[key] = fact;
	}
	return facts;
}

function factIn(value: unknown, valid: boolean, depth: number): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST_FACT) return undefined;
	if (Array.isArray(value)) return value.flatMap((entry: unknown) => factIn(entry, valid, depth + 1) ?? []);
	if (!isObject(value)) return undefined;
	const inner = factsBeside(value, valid, depth + 1);
	return Object.keys(inner).length > 0 ? inner : undefined;
}

function meansSuccess(value: unknown): boolean {
	if (typeof value !== 'string') return value === true;
	const word = value.trim().toLowerCase();
	return VALID_WORDS.has(word) || (/[a-z]/.test(word) && NEUTRAL.test(word));
}
