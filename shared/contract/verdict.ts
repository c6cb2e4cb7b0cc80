import { isObject, type JsonObject } from './find';
import { isNo, isNothing, isYes } from './signs';
import { kindOfKey, LONGEST_JUDGED, saysFailure, wordsOf, wordsOfKey } from './words';

/**
 * Verdicts of a response about a code. `right`: it clearly says that the code is correct. `only_success`: it says only that
 * the request succeeded, which may be true for a wrong code as well. `unclear`: neither, or both.
 */
export const verdicts = ['right', 'wrong', 'only_success', 'unclear'] as const;

/** One of {@link verdicts}. */
export type Verdict = (typeof verdicts)[number];

/** Limits for the depth and size of a response that can be a yes. */
const DEEPEST = 8;
const MOST_NODES = 5_000;

/** Names of a verdict. A no under any of these, alone or in a longer name, is a no. */
const VERDICT = /^(valid|verif|match|correct|approv|confirm|pass(ed)?$|authenticated$)/;
const YES_NAMES = new Set([
	...['valid', 'validated', 'verified', 'match', 'matched', 'matches', 'correct', 'approved', 'confirmed', 'passed'],
]);
/** Words that may precede a yes, as in `otp_verified`. Not `phone` or `email`, which may have been verified long ago. */
const OF_THE_CODE = new Set(['code', 'otp', 'pin', 'token', 'verification', 'is']);
const YES_WORDS = new Set([
	'yes',
	'valid',
	'verified',
	'approved',
	'correct',
	'match',
	'matched',
	'confirmed',
	'passed',
]);
/** Objects that may contain the verdict. Facts about a `user` in the response are not about the code. */
const OF_THE_RESPONSE =
	/^(data|results?|response|payload|message|verif(ication|y)|check|otp|code|verdict|details?|status|body|items)$/i;
/** A status that says nothing about the code. */
const NEUTRAL = /^(success(ful)?|succeeded|ok|okay|completed?|done|processed|checked|true|1|200)$/;
const WAITING =
	/^(pending|processing|waiting|awaiting|created|sent|sending|queued|submitted|new|open|started|unknown|maybe)$/;

/**
 * Derives from the response to POST /verify/check whether the code is correct. Its shape is undocumented
 * (docs/api.md#check-a-code). Accepting a wrong code would let an attacker in. So a no anywhere in the body, lists
 * included, is a no, and a yes must be about the code itself.
 */
export function readVerdict(body: JsonObject): Verdict {
	const seen = look(body);
	if (seen.no) return 'wrong';
	if (seen.complaint) return seen.yes ? 'unclear' : 'wrong';
	if (seen.doubt) return 'unclear';
	if (seen.yes) return 'right';
	return seen.success ? 'only_success' : 'unclear';
}

/** The findings in a response. */
interface Seen {
	yes: boolean;
	/** A flag or a status that says no. */
	no: boolean;
	/** Words that say no, or an error. */
	complaint: boolean;
	/** A value that is neither yes nor no, or cannot be judged. */
	doubt: boolean;
	/** A flag that says that the request succeeded. */
	success: boolean;
}

function look(body: JsonObject): Seen {
	const seen: Seen = { yes: false, no: false, complaint: false, doubt: false, success: false };
	let nodes = 0;
	const walk = (value: unknown, key: string, own: boolean, depth: number, ofError = false) => {
		if (++nodes > MOST_NODES || depth > DEEPEST) {
			seen.doubt = true;
			return;
		}
		if (Array.isArray(value)) {
			for (const entry of value) {
				walk(entry, key, own, depth + 1, ofError);
				if (nodes > MOST_NODES) return;
			}
		} else if (isObject(value)) {
			for (const inner in value) {
				const ownInner = depth === 0 || (own && OF_THE_RESPONSE.test(key));
				walk(value[inner], inner, ownInner, depth + 1, ofError || kindOfKey(inner) === 'failure');
				if (nodes > MOST_NODES) return;
			}
		} else if (ofError) {
			if (!isNothing(value)) seen.complaint = true;
		} else judge(seen, key, value, own);
	};
	walk(body, '', true, 0);
	return seen;
}

function judge(seen: Seen, key: string, value: unknown, own: boolean): void {
	const words = wordsOfKey(key);
	const kind = kindOfKey(key);
	if (typeof value === 'string' && value.length > LONGEST_JUDGED) {
		seen.doubt = true;
		return;
	}
	if (words.some((word) => VERDICT.test(word)) && kind !== 'status') {
		judgeNamed(seen, words, value, own);
		return;
	}
	if (kind === 'flag') {
		if (isYes(value)) seen.success = true;
		else if (isNo(value)) seen.no = true;
		else seen.doubt = true;
		return;
	}
	// {"data": false} is about the code, as {"status": 0} is.
	if (own && (kind === 'status' || OF_THE_RESPONSE.test(key)) && (value === false || value === 0 || value === null)) {
		seen[value === null ? 'doubt' : 'no'] = true;
		return;
	}
	if (typeof value !== 'string') {
		if ((kind === 'code' || kind === 'status') && typeof value === 'number' && value >= 400 && value < 600)
			seen.complaint = true;
		return;
	}
	const bare = wordsOf(value);
	const short = bare.length <= 2 && value.length <= 40;
	if (kind === 'other' && !short && !OF_THE_RESPONSE.test(key)) return;
	if (saysFailure(value, { strict: true })) {
		seen[kind === 'status' ? 'no' : 'complaint'] = true;
		return;
	}
	if (kind !== 'status') return;
	if (own && YES_WORDS.has(value.trim().toLowerCase())) seen.yes = true;
	else if (bare.some((word) => WAITING.test(word)) || (own && !isNeutral(bare))) seen.doubt = true;
}

/** Whether a status says nothing about the code. An unknown status is not neutral, so a bare success is then in doubt. */
function isNeutral(words: readonly string[]): boolean {
	return words.length === 0 || words.every((word) => NEUTRAL.test(word) || word === 'code' || word === 'otp');
}

/** A value under a name such as `is_valid`, `codeMatches` or `verified_at`. */
function judgeNamed(seen: Seen, words: readonly string[], value: unknown, own: boolean): void {
	if (value === null || isNo(value)) {
		seen.no = true;
		return;
	}
	const last = words.at(-1) ?? '';
	const isVerdict = YES_NAMES.has(last) && words.slice(0, -1).every((word) => OF_THE_CODE.has(word));
	if (typeof value === 'string' && saysFailure(value, { strict: true })) seen.no = true;
	else if (!isVerdict) return;
	else if (value !== true) seen.doubt = true;
	else if (own) seen.yes = true;
}

/** Depth beyond which the facts of a response are left out. */
const DEEPEST_FACT = 20;

/**
 * The facts of a response beside its verdict. Leaves out everything that means success, at any depth: one could mistake it
 * for the verdict.
 * @param valid whether the code is valid. If not, statuses such as `ok` are left out too
 */
export function factsBeside(body: JsonObject, valid: boolean, depth = 0): JsonObject {
	const facts: JsonObject = {};
	for (const [key, value] of Object.entries(body)) {
		if (key === '__proto__' || meansSuccess(key, value, valid)) continue;
		const fact = factIn(value, valid, depth);
		if (fact !== undefined) facts[key] = fact;
	}
	return facts;
}

function factIn(value: unknown, valid: boolean, depth: number): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (depth >= DEEPEST_FACT) return undefined;
	if (Array.isArray(value)) return value.flatMap((entry: unknown) => factIn(entry, valid, depth + 1) ?? []);
	const inner = factsBeside({ ...value }, valid, depth + 1);
	return Object.keys(inner).length > 0 ? inner : undefined;
}

function meansSuccess(key: string, value: unknown, valid: boolean): boolean {
	const kind = kindOfKey(key);
	if (kind === 'flag' || key === 'verdict' || key === 'outcome') return true;
	if (valid || kind === 'failure') return false;
	const isVerdict = wordsOfKey(key).some((word) => VERDICT.test(word));
	if (kind === 'other' && !isVerdict && !OF_THE_RESPONSE.test(key)) return false;
	if (typeof value !== 'string') return isYes(value) || value === 200;
	const words = wordsOf(value);
	return words.length > 0 && words.every((word) => NEUTRAL.test(word) || YES_WORDS.has(word));
}
