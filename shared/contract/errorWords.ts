import type { Endpoint } from './endpoint';
import type { ErrorCode } from './errors';

/** Maximum length of text that is searched for its meaning, in UTF-16 units: more than is shown of an error. */
const LONGEST_MEANT = 2_000;

const MONEY = '(balance|funds?|credits?|money|wallet)';
const WORDS: ReadonlyArray<readonly [ErrorCode, RegExp]> = [
	[
		'insufficient_balance',
		new RegExp(
			`(insufficient|not enough|low|no)[\\s_-]*${MONEY}|${MONEY}\\b.{0,30}\\b(insufficient|not enough|too low|empty)`,
			'i',
		),
	],
	['opted_out', /opt(ed)?[\s_-]?out|unsubscribed/i],
	[
		'sender_not_approved',
		/sender[\s_-]*(id)?.{0,40}\b(not|pending|rejected|unapproved|unknown|invalid)\b|sender[\s_-]not/i,
	],
	[
		'domain_not_verified',
		/(domain|sender|address|email).{0,60}(not|un|pending|await).{0,20}verif|(un|not[\s_-]?)verified.{0,30}(domain|sender|address)|verify.{0,20}(domain|sender|address)/i,
	],
	['channel_not_set_up', /not[\s_-]?(set[\s_-]?up|configured|enabled|available|active)|disabled/i],
	['expired_code', /expired/i],
	[
		'too_many_tries',
		/too[\s_-]?many|(attempts|tries)[\s_-]*(exceeded|exhausted|used)|no[\s_-]*more[\s_-]*(attempts|tries)|max(imum)?[\s_-]*(attempts|tries)/i,
	],
	['used_code', /already[\s_-]*(been[\s_-]*)?(used|verified|checked)|used[\s_-]*(already|code)|(been|was) used/i],
	[
		'wrong_code',
		/wrong|incorrect|mismatch|(not|n['’]?t|no)[\s_-]match|unverified|not[\s_-]?verified|bad[\s_-](code|otp|pin)|(code|otp|pin|token)\b.{0,20}not[\s_-]found|invalid.{0,20}(code|otp|pin|token)|(code|otp|pin|token)\b.{0,20}(invalid|not valid)/i,
	],
	[
		'not_found',
		/not[\s_-]{0,3}found|no[\s_-]such|(does|do|did)(n['’]?t|[\s_-]not)[\s_-]exist|non-?existent|no query results|unknown[\s_-](id|message|reference|top-?up|verification)|(cannot|can['’]?t|could[\s_-]?n['’]?o?t)[\s_-](be[\s_-])?f(i|ou)nd/i,
	],
	['validation', /valid|required|malformed/i],
	['failed_send', /fail|reject|undeliver/i],
];

/**
 * Finds the meaning of the service's words, among the meanings that the endpoint declares.
 * @returns undefined if they do not match any
 * @example errorCodeOfText(contract.verification.check, 'This code has expired') // 'expired_code'
 */
export function errorCodeOfText(endpoint: Endpoint, text: string | undefined): ErrorCode | undefined {
	const read = (text ?? '').slice(0, LONGEST_MEANT);
	return WORDS.find(([meaning, words]) => endpoint.errors.includes(meaning) && words.test(read))?.[0];
}
