import { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { factsBeside, type Verdict } from '../contract/verdict';
import { errorCodeOfText } from './errorBody';
import type { ServiceError } from './errors';

/**
 * Why a code that a person entered can fail. If several apply, the first is reported.
 * @example CODE_REASONS.includes('expired_code') // true
 */
export const CODE_REASONS = [
	'wrong_code',
	'expired_code',
	'too_many_tries',
	'used_code',
] as const satisfies ErrorCode[];

/**
 * Why a code is not valid. `unclear`: the response does not say whether it is correct.
 * @example if (reason === 'expired_code') await client.verification.start(input);
 */
export type CodeReason = (typeof CODE_REASONS)[number] | 'not_valid' | 'unclear';

/**
 * Whether a code is valid, and if not, why.
 * @example const wrong: CheckedCode = { valid: false, reason: 'wrong_code' };
 */
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
 * @example const options: CheckOptions = { acceptSuccess: false, optionName: 'Accept Success' };
 */
export interface CheckOptions {
	/** Whether `success: true` means a correct code if it is the only sign in the response. */
	readonly acceptSuccess: boolean;
	/** Name of that option in the user interface. */
	readonly optionName: string;
}

/**
 * The result of a check: the verdict first, then the service's facts. No other field means success.
 * @example const { valid, tries_left }: CodeCheck = readCheckedCode(response, options);
 */
export type CodeCheck = CheckedCode & Readonly<Record<string, unknown>>;

/**
 * Reads the response to POST /verify/check (docs/api.md#check-a-code). Only an explicit verdict makes a code valid.
 * @example
 * const { valid } = readCheckedCode(await client.verification.check(input), { acceptSuccess: false, optionName: '...' });
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

function checkedBy(verdict: Verdict, response: object, { acceptSuccess, optionName }: CheckOptions): CheckedCode {
	if (verdict === 'right' || (verdict === 'only_success' && acceptSuccess)) return { valid: true };
	if (verdict === 'wrong') return { valid: false, reason: reasonOf(response) };
	const because = 'The response does not say whether the code is correct, so it counts as not valid.';
	const next =
		verdict === 'only_success'
			? `It says only that the request succeeded. Turn on ${optionName} only if your service responds differently to a wrong code.`
			: 'Ask the service how it responds to a correct code.';
	return { valid: false, reason: 'unclear', message: `${because} ${next}` };
}

function reasonOf(response: object): CodeReason {
	const words = textsIn(response);
	const said = words.map((text) => errorCodeOfText(contract.verification.check, text));
	// Other words may have another reason. Without any words, the code was wrong.
	return CODE_REASONS.find((reason) => said.includes(reason)) ?? (words.length > 0 ? 'not_valid' : 'wrong_code');
}

/** Keys whose texts may give the reason for a wrong code. */
const WHY = /^(reason|status|state|result|code|message|msg|detail|description|error)|(status|code|message|reason)$/i;

/** Words of a response that say nothing about the code. */
const NEUTRAL = /^\s*(success(ful)?|ok|done|completed?|true|false|no|yes|\d*)\s*$/i;

function textsIn(value: unknown, depth = 0): string[] {
	if (typeof value !== 'object' || value === null || depth > 4) return [];
	const entries = Object.entries(value).slice(0, 50);
	const own = entries.flatMap(([key, text]) =>
		typeof text === 'string' && (WHY.test(key) || Array.isArray(value)) && !NEUTRAL.test(text) ? [text] : [],
	);
	return [...own, ...entries.flatMap(([, inner]) => textsIn(inner, depth + 1))];
}
