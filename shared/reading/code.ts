import { contract } from '../contract';
import type { ErrorCode } from '../contract/errors';
import { envelopesOf, type JsonObject } from '../contract/find';
import { errorCodeOfText } from '../contract/errorWords';
import { kindOfKey, meaningOf, VALID_NAMES, VALID_WORDS, wordsOf, type Verdict } from '../contract/words';
import { signsIn } from './signs';

/** Why a code that a person entered can fail. If several apply, the first is reported. */
export const CODE_REASONS = [
	'wrong_code',
	'expired_code',
	'too_many_tries',
	'used_code',
] as const satisfies ErrorCode[];

/** Finds the reason in the words of a response. */
export function reasonIn(text: string): (typeof CODE_REASONS)[number] | undefined {
	const meaning = errorCodeOfText(contract.verification.check, text);
	return CODE_REASONS.find((one) => one === meaning);
}

/** A value of a response that is no object, with its place. */
interface Leaf {
	readonly key: string;
	readonly kind: ReturnType<typeof kindOfKey>;
	readonly value: unknown;
	/** Whether it is about the code: at the top, or in an envelope. */
	readonly own: boolean;
}

/** Limits for the depth and size of a response that can be a yes. */
const DEEPEST = 8;
const MOST_LEAVES = 5_000;

/** The values of a response up to the limits. A value beyond them is undefined. */
export function leavesIn(body: JsonObject): Leaf[] {
	const scopes: readonly unknown[] = envelopesOf(body);
	const leaves: Leaf[] = [];
	const walk = (value: object, above: string, depth: number) => {
		for (const [key, inner] of Object.entries(value)) {
			if (leaves.length > MOST_LEAVES) return;
			const name = Array.isArray(value) ? above : key;
			const isLeaf = typeof inner !== 'object' || inner === null || depth >= DEEPEST;
			if (!isLeaf) walk(inner as object, name, depth + 1);
			else leaves.push({ key: name, kind: kindOfKey(name), value: inner, own: scopes.includes(value) });
		}
	};
	walk(body, '', 0);
	return leaves;
}

/** Statuses and texts that only say that the request worked. */
export const NEUTRAL = /^\s*(success(ful)?|ok|okay|true|done|completed?|processed|\d*)\s*$/i;
const TEXT = /^(messages?|msg|reason|details?|description|info|note|text|title|data|body|payload|response)$/;

/** Whether a value is a word of a status or a code that says more than that the request worked. */
export function isWord(kind: Leaf['kind'], value: unknown): value is string {
	return (kind === 'status' || kind === 'code') && typeof value === 'string' && !NEUTRAL.test(value.slice(0, 100));
}

/**
 * Derives from the response to POST /verify/check whether the code is correct. Its shape is undocumented
 * (docs/api.md#check-a-code). Accepting a wrong code would let an attacker in. So a no anywhere in the body, lists
 * included, is a no, and a yes must be about the code itself. Sentences are not read.
 */
export function readVerdict(body: JsonObject): Verdict {
	const signs = signsIn(body, { status: false });
	const seen = {
		yes: false,
		no: signs.no !== undefined,
		doubt: signs.unread || signs.doubt !== undefined,
		alone: true,
	};
	const leaves = leavesIn(body);
	for (const { key, kind, value, own } of leaves) {
		const words = wordsOf(key);
		const isYes = own && typeof value === 'string' && VALID_WORDS.has(value.trim().toLowerCase());
		if (kind !== 'status' && kind !== 'failure' && words.some((word) => VALID_NAMES.has(word))) {
			if (value === null || meaningOf(value) === 'no') seen.no = true;
			else if (!isName(words)) continue;
			else if (value !== true) seen.doubt = true;
			else if (own) seen.yes = true;
		} else if (isWord(kind, value)) {
			if (isYes && kind === 'status') seen.yes = true;
			else if (reasonIn(value) !== undefined) seen.no = true;
			else seen.doubt = true;
		} else if (value === false && kind !== 'failure') seen.alone = false;
		else if (typeof value === 'string' && TEXT.test(words.at(-1) ?? '') && !isYes && !NEUTRAL.test(value.slice(0, 100)))
			seen.alone = false;
	}
	if (seen.no) return 'wrong';
	if (seen.doubt || leaves.length > MOST_LEAVES) return 'unclear';
	if (seen.yes) return 'right';
	return signs.yes && seen.alone && hasFlag(leaves) ? 'only_success' : 'unclear';
}

function hasFlag(leaves: readonly Leaf[]): boolean {
	return leaves.some(({ kind, value, own }) => own && kind === 'flag' && meaningOf(value) === 'yes');
}

/** Whether a key is the name of the verdict: `valid`, `is_valid`, `otpVerified`. Not `phone_verified`, which may be an old fact. */
function isName(words: readonly string[]): boolean {
	const last = words.at(-1) ?? '';
	return (
		VALID_NAMES.has(last) && words.slice(0, -1).every((word) => /^(is|code|otp|pin|token|verification)$/.test(word))
	);
}
