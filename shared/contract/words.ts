/** Maximum number of characters of a text that are read. A longer text is never a yes. */
export const LONGEST_JUDGED = 2_000;

const LONGEST_KEY = 100;

/**
 * Splits a text or a key into lower-case words: at punctuation, at `_` and at the capitals of camelCase. Apostrophes are
 * removed: `OTP_EXPIRED`, `otpExpired` and `couldn't` become `otp expired`, `otp expired` and `couldnt`.
 * @param text only its first {@link LONGEST_JUDGED} characters are read
 */
export function wordsOf(text: string): string[] {
	const plain = text.slice(0, LONGEST_JUDGED).replace(/['’`]/g, '');
	return plain.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)?.map((word) => word.toLowerCase()) ?? [];
}

/** Words that mean a failure in any position. */
const FAILING = new RegExp(
	`^(${[
		'fail(s|ed|ure|ures|ing)?$',
		'errors?$|errored$|erroneous|err$|exceptions?$|crash|malform|missing$|corrupt',
		'reject|refus|deny$|deni|declin|disallow|forbid|forbad|prohibit|restricted$|barred$|unauthori|unauthentic',
		'invalid|incorrect|inaccurate|wrong|bad$|mismatch|unknown$|unrecogni[sz]|nonexist|inexist',
		'undeliv|unsuccess|unsent$|unreach|unrout|unregister|unsupport|unavail|unable$|unverif|unapprov|unconfirm|unpaid$',
		'notsent$|notvalid$|notverified$|notapproved$|notfound$|notdelivered$|notallowed$|notenabled$|nothing$|nobody$',
		'insufficien|exceed|exhaust|expired$|lapsed$|revoked?$|timeout$|throttl|overdrawn$',
		'block(s|ed|ing)?$|blacklist|blocklist|suppress|optedout$|optout$|unsubscri|stopped$|dnd$|spam$|fraud',
		'disabled$|deactivat|suspend|inactive$|locked$|lockout$|terminat|halted$|void(ed)?$',
		'cancel|abort|delet|discard|dropp?ed$|bounced?$|skip|duplicat|ignored$|nack$|n?ko$|nok$',
	].join('|')})`,
);

/** Words that negate the next word. With a word that means a failure, the result is not a failure. */
const NOT =
	/^(not|never|nor|neither|cannot|(ca|wo|do|did|does|is|are|was|were|has|have|had|could|should|would|must|ai)nt)$/;

/** Words that cancel a failure after them: "no errors", "0 failed", "without error". */
const NONE = new Set(['no', 'without', 'zero', '0', 'none', 'any', 'non']);

const LACKING = new Set([
	...['access', 'active', 'balance', 'code', 'contact', 'contacts', 'credit', 'credits', 'funds', 'gateway', 'longer'],
	...[
		'match',
		'message',
		'messages',
		'money',
		'more',
		'number',
		'permission',
		'permissions',
		'recipient',
		'recipients',
	],
	...['result', 'results', 'route', 'sender', 'sms', 'subscription', 'such', 'units', 'user', 'valid', 'wallet'],
]);

const BETWEEN = new Set(['a', 'an', 'the', 'be', 'been', 'have', 'has', 'had', 'any', 'was', 'were', 'as']);

/** How a text is judged. */
export interface Judging {
	/**
	 * Whether advice and conditions, such as "do not share it" or "if it fails", count as a failure too. For a text that
	 * decides about a yes.
	 */
	readonly strict?: boolean;
}

/** Whether a text, a status or a code means a failure. "No errors", "0 failed" and the like do not. */
export function saysFailure(text: string, { strict = false }: Judging = {}): boolean {
	// Without a letter there is no word, as in numbers and dates.
	if (!/[a-z]/i.test(text)) return false;
	const clauses = text.slice(0, LONGEST_JUDGED).split(/[.,;!?\n]/);
	return clauses.some((clause) => clauseFails(wordsOf(clause), strict));
}

function clauseFails(all: readonly string[], strict: boolean): boolean {
	const condition = strict ? -1 : all.indexOf('if');
	const words = condition === -1 ? all : all.slice(0, condition);
	if (!strict && isAdvice(words)) return false;
	for (let at = 0; at < words.length; at++) {
		const word = words[at] ?? '';
		if (NOT.test(word)) {
			let next = at + 1;
			while (BETWEEN.has(words[next] ?? '')) next++;
			const after = words[next] ?? '';
			if (!strict && after === 'yet') continue;
			if (strict || !FAILING.test(after)) return true;
			at = next;
		} else if (FAILING.test(word)) {
			const before = words[at - 1] ?? '';
			const none = NONE.has(before) || ['0', 'none', 'zero', 'free'].includes(words[at + 1] ?? '');
			if (!none) return true;
		} else if (failsWithNext(word, words[at + 1] ?? '', words.length, strict)) return true;
	}
	return false;
}

/** Advice such as "Do not share this code" is about a code that was sent. */
function isAdvice([first, second, third]: readonly string[]): boolean {
	const [one, two] = first === 'please' || first === 'and' ? [second, third] : [first, second];
	return one === 'dont' || one === 'never' || (one === 'do' && two === 'not');
}

function failsWithNext(word: string, next: string, length: number, strict: boolean): boolean {
	switch (word) {
		case 'no':
			return LACKING.has(next) || (strict && !FAILING.test(next)) || length === 1;
		case 'opted':
			return next === 'out';
		case 'opt':
			return next === 'out' && length <= 4;
		case 'timed':
			return next === 'out';
		case 'too':
			return /^(many|much|long|short|low|high|large|big|small|few|late|early|soon|fast|often)$/.test(next);
		case 'already':
			return true;
		case 'used':
		case 'consumed':
			return strict;
		default:
			return false;
	}
}

const ACCEPTED =
	/^(accepte?d|queue|queued|submitted|sent|sending|deliver(ed|ing)|delivrd|pending|schedul(ed|ing)|process(ed|ing)|success(ful|fully)?|succeeded|ok|okay|complete[d]?|created|initiated|started|ringing|calling|answered|progress|enroute|transit|dispatch(ed|ing)|buffered|received|done|added|saved|stored|registered|active)$/;

/** Whether a status says that the service accepted the request. */
export function saysAccepted(status: string): boolean {
	return wordsOf(status).some((word) => ACCEPTED.test(word)) && !saysFailure(status);
}

/** The kind of a key, as far as it matters for a failure. */
export type KeyKind = 'flag' | 'failure' | 'status' | 'code' | 'text' | 'other';

const FLAGS = new Set(['success', 'succeeded', 'successful', 'ok', 'okay', 'accepted', 'sent']);
const STATUSES = new Set(['status', 'state', 'result', 'outcome', 'response', 'verdict']);
const TEXTS = new Set([
	...['message', 'messages', 'msg', 'detail', 'details', 'reason', 'reasons', 'description', 'info', 'note', 'notes'],
	...['notice', 'text', 'title', 'comment', 'feedback', 'explanation', 'remark', 'data', 'payload'],
]);
const CODES = new Set(['code', 'statuscode', 'responsecode', 'resultcode', 'httpcode', 'httpstatus', 'statusid']);
/** Words that may follow a failure in the name of a key: `error_message`, `failed_count`. */
const OF_FAILURE = new Set([
	...['message', 'msg', 'text', 'code', 'description', 'detail', 'details', 'reason', 'reasons', 'info', 'count'],
	...['total', 'numbers', 'number', 'recipients', 'recipient', 'contacts', 'messages', 'list', 'type', 'name', 'rows'],
	...['phones', 'destinations', 'sms', 'status', 'flag', 'items', 'entries', 'results'],
]);
const PREFIXES = new Set(['is', 'was', 'has', 'are', 'total', 'number', 'num', 'of', 'all', 'count', 'the']);

/** The words of a key, without prefixes that only mark a flag or a count. */
export function wordsOfKey(key: string): string[] {
	const words = wordsOf(key.slice(0, LONGEST_KEY));
	let from = 0;
	while (from < words.length - 1 && PREFIXES.has(words[from] ?? '')) from++;
	return words.slice(from);
}

const known = new Map<string, KeyKind>();
/** Maximum number of remembered keys. A service has far fewer. */
const MOST_KNOWN = 2_000;

/** The kind of a key: `success` is a flag; `errorMessage`, `opted_out` and `failed_count` are failures. */
export function kindOfKey(key: string): KeyKind {
	const before = known.get(key);
	if (before) return before;
	const kind = classify(wordsOfKey(key));
	if (known.size < MOST_KNOWN && key.length <= LONGEST_KEY) known.set(key, kind);
	return kind;
}

function classify(words: readonly string[]): KeyKind {
	const last = words.at(-1) ?? '';
	if (namesFailure(words)) return 'failure';
	if (CODES.has(words.join(''))) return 'code';
	if (FLAGS.has(last) && words.length <= 2) return 'flag';
	const aboutStatus = words.length === 2 && /^(text|name|description|message|reason|detail|group)$/.test(last);
	if (STATUSES.has(last) || (words[0] === 'status' && aboutStatus)) return 'status';
	return TEXTS.has(last) ? 'text' : 'other';
}

/** Whether the words of a key name a failure: `failed`, `not_sent`, `invalid_numbers`, `error_code`, `failureReason`. */
export function namesFailure(words: readonly string[]): boolean {
	let last = words.length;
	while (last > 1 && OF_FAILURE.has(words[last - 1] ?? '')) last--;
	const rest = words.slice(0, last);
	const end = rest.at(-1) ?? '';
	if (FAILING.test(end)) return true;
	if (end === 'at' && /^(fail|reject|declin|cancel)/.test(rest.at(-2) ?? '')) return true;
	return /^((opted|opt|timed) out|not (?!before|after|yet)\w+)$/.test(rest.slice(-2).join(' '));
}
