import { contract } from '../contract';
import type { OutputOf } from '../contract/endpoint';
import type { ErrorCode } from '../contract/errors';
import { errorCodeOfText } from './errorBody';

/** What a person can have done wrong with a code, in the order in which it is told. */
export const CODE_REASONS = [
	'wrong_code',
	'expired_code',
	'too_many_tries',
	'used_code',
] as const satisfies ErrorCode[];

/** Why a code does not count as right. `unclear`: the response does not say whether it is. */
export type CodeReason = (typeof CODE_REASONS)[number] | 'not_valid' | 'unclear';

/** Whether a code counts as right, and if not, why. */
export type CheckedCode =
	| { readonly valid: true }
	| {
			readonly valid: false;
			readonly reason: CodeReason;
			/** Of an unclear response: what that means and what to do. */
			readonly message?: string;
	  };

/** What an owner decides about services whose responses give no verdict. */
export interface CheckOptions {
	/** Whether `success: true` means a right code if it is the only sign in the response. */
	readonly acceptSuccess: boolean;
	/** Name of that option, as the surface shows it. */
	readonly optionName: string;
}

/**
 * Says what the response to POST /verify/check (docs/api.md#check-a-code) means for the person who typed the code. Only
 * an explicit verdict counts as a yes.
 * @example
 * const { valid } = readCheckedCode(await client.verification.check(input), { acceptSuccess: false, optionName: '...' });
 */
export function readCheckedCode(
	{ verdict = 'unclear', ...response }: OutputOf<typeof contract.verification.check>,
	{ acceptSuccess, optionName }: CheckOptions,
): CheckedCode {
	if (verdict === 'right' || (verdict === 'only_success' && acceptSuccess)) return { valid: true };
	if (verdict === 'wrong') return { valid: false, reason: reasonOf(response) };
	const because = 'The response does not say whether the code is right, so it counts as not valid.';
	const next =
		verdict === 'only_success'
			? `It only says that the request was a success. Turn on ${optionName} only if your service responds with something else to a wrong code.`
			: 'Ask the service what it responds to a right code.';
	return { valid: false, reason: 'unclear', message: `${because} ${next}` };
}

function reasonOf(response: object): CodeReason {
	const words = textsIn(response);
	const said = words.map((text) => errorCodeOfText(contract.verification.check, text));
	// Words that say something else are not to be taken for a wrong code; without any, that is what it was.
	return CODE_REASONS.find((reason) => said.includes(reason)) ?? (words.length > 0 ? 'not_valid' : 'wrong_code');
}

/** Keys whose texts say why a code is not right. */
const WHY = /^(reason|status|state|result|code|message|msg|detail|description|error)|(status|code|message|reason)$/i;

/** What a response says of itself also when the code is wrong. */
const NEUTRAL = /^\s*(success(ful)?|ok|done|completed?|true|false|no|yes|\d*)\s*$/i;

function textsIn(value: unknown, depth = 0): string[] {
	if (typeof value !== 'object' || value === null || depth > 4) return [];
	const entries = Object.entries(value).slice(0, 50);
	const own = entries.flatMap(([key, text]) =>
		typeof text === 'string' && (WHY.test(key) || Array.isArray(value)) && !NEUTRAL.test(text) ? [text] : [],
	);
	return [...own, ...entries.flatMap(([, inner]) => textsIn(inner, depth + 1))];
}
