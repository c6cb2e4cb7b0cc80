import { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { errorCodeOfText } from './errorBody';

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
			/** For an unclear response: what it means and what to do. */
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
 * Reads the response to POST /verify/check (docs/api.md#check-a-code). Only an explicit verdict makes a code valid.
 * @example
 * const { valid } = readCheckedCode(await client.verification.check(input), { acceptSuccess: false, optionName: '...' });
 */
export function readCheckedCode(
	{ verdict = 'unclear', ...response }: OutputOf<typeof contract.verification.check>,
	{ acceptSuccess, optionName }: CheckOptions,
): CheckedCode {
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
