import { type Audience, countLines, countWords, type Prose, type Sentence, sentencesOf } from './text';

/** Something in a text that a rule rejects. */
export interface Finding {
	/** The rule's name, for the list of exceptions. */
	readonly rule: string;
	readonly line: number;
	/** The words that the rule found. */
	readonly found: string;
	/** What to do about it. */
	readonly advice: string;
	/** The sentence that it is in. */
	readonly sentence: string;
}

/** Words that a sentence must not have. */
export interface WordRule {
	readonly rule: string;
	/** A space matches any white space, a line break too. */
	readonly pattern: RegExp;
	readonly advice: string;
	/** Whose texts it holds for; all texts if absent. */
	readonly audiences?: readonly Audience[];
	/** Set if it also holds for names in code, with their words apart and in small letters. */
	readonly inNames?: boolean;
	/** Set if a question may have it. */
	readonly allowedInQuestion?: boolean;
}

/** Words in a sentence, and words in the description of a field. */
export const MAX_WORDS = 20;

const readers: readonly Audience[] = ['docs', 'shown'];

/** Words in British spelling, with their American form or its ending. */
const british: ReadonlyArray<readonly [words: string, american: string]> = [
	['behaviour(s|al)?', 'behavior'],
	['(colour|favour|flavour|honour|neighbour|endeavour)(s|ed|ing|ite|ites|able|hood)?', '-or'],
	['(un)?cancell(ed|ing)', 'canceled, canceling'],
	['(label|travel|model|total|signal|level|fuel|channel|dial|tunnel)l(ed|ing|er|ers)', 'one l'],
	[
		'(un)?(recogn|organ|author|normal|initial|serial|synchron|optim|minim|maxim|summar|categor|priorit|custom|util|final|general|special|apolog|real|token|random|sanit|central|material|visual|capital)is(e|es|ed|ing|er|ers|ation|ations)',
		'-ize',
	],
	['(anal|paral)ys(e|ed|ing)', '-yze'],
	['(licence|defence|offence)s?', '-ense'],
	['(centre|litre|metre|fibre)s?', '-er'],
	['catalogues?', 'catalog'],
	['grey', 'gray'],
	['whilst|amongst', 'while, among'],
	['judgement', 'judgment'],
	['artefacts?', 'artifact'],
	['programmes?', 'program'],
	['cheques?', 'check'],
	['practis(e|ed|ing)', 'practice'],
	['(enrol|fulfil|instal)(s|ment|ments)?', 'll'],
	['learnt|spelt|burnt', '-ed'],
	['ageing', 'aging'],
];

/** The rules of words. Each has a bad and a good example in `test/docs/prose.test.ts`. */
export const wordRules: readonly WordRule[] = [
	{ rule: 'shall', pattern: /\bshall\b/i, advice: 'must, should or will', inNames: true },
	{ rule: 'anew', pattern: /\banew\b/i, advice: 'again, or name the action: reset, restart', inNames: true },
	{ rule: 'for ever', pattern: /\bfor ever\b/i, advice: 'forever or indefinitely' },
	{
		rule: 'nobody',
		pattern: /\b(whoever|nobody|somebody)\b/i,
		advice: 'name the person or thing, or use: no one, someone, anyone who',
		inNames: true,
	},
	{
		rule: 'tells',
		pattern: /\b(tells|told)\b(?!( [\w']+){0,4} apart\b)(?<!tells(?= (you|us|me)\b))/i,
		advice: 'name the action: shows, says, lists, reports, receives (tells them apart may stay)',
		inNames: true,
	},
	{ rule: 'tell', pattern: /\btell\b/, advice: 'emit, report, show, distinguish', audiences: [], inNames: true },
	{
		rule: 'stands',
		pattern: /\b(stands|stood)\b(?! (in|up) for\b| out\b| alone\b)/i,
		advice: 'is, means, appears',
	},
	{
		rule: 'what is',
		pattern:
			/\bwhat (is|are|was|were|has|have|had|came|comes|became|becomes|arrives|arrived|left|leaves|stands|stood|follows|remains|gets|got|costs|cost|goes|went|belongs|reads|may have|can be|cannot|could|never|no|only)\b/i,
		advice: 'use a noun: not "what was sent" but "the message"',
		allowedInQuestion: true,
	},
	{
		rule: 'what it',
		pattern:
			/(?<!^)\bwhat (it|they|you|this|that|one) (costs?|holds?|has|have|is|are|was|were|gives?|gave|says|said|reads|sent)\b/i,
		advice: 'use a noun: the price, the content, the result',
		allowedInQuestion: true,
	},
	{
		rule: 'became of',
		pattern: /\b(became|become|becomes) of\b/i,
		advice: 'what happened to, or the result of',
	},
	{
		rule: 'who without a noun',
		pattern:
			/(^|[:;] )Who (?!(am|are|else)\b)[a-z]\w*|\b([Ff]or|[Tt]o|[Bb]y|[Ff]rom|of|[Oo]nly|[Ww]ith|not|than) who (?!else)\w+/,
		advice: 'give it a noun: not "who opted out" but "recipients who opted out"',
		allowedInQuestion: true,
	},
	{
		rule: 'where for if',
		pattern:
			/\bwhere (there (is|are|was|were)|none|nothing|neither|both|nobody|no \w+ (is|are|was|has)|(it|that|this|they) (is|was|are|were|has|had|does|do|did|can|could|may) not|(it|this|that) (cannot|needs|matters|fails|costs|helps|differs)|(this|that) is (empty|so|known|missing|given|set))\b|\b(also|except|even|only|but|and not|not) where (?!to\b)|^Where (?=[^?:.]*, )(it|there|this|that|none|nothing|no|a|an|they|its|one|n8n|Zapier|several)\b/i,
		advice: 'if, when or unless; where is for places',
		allowedInQuestion: true,
	},
	{
		rule: 'so that twice',
		pattern: /\bso that\b.*\bso that\b/is,
		advice: 'split the sentence',
	},
	{
		rule: 'taken for',
		pattern: /\b(is|are|was|were|be|been|not|never) taken (for|as|in)\b/i,
		advice: 'treated as, accepted',
	},
	{
		rule: 'refuse',
		pattern:
			/(?<!\bconnections? ((is|are|was|were|has been) )?)\b(refuse|refuses|refused|refusing|refusals?)\b(?! (the |a )?connections?\b)/i,
		advice: 'reject, rejected, rejection (a refused connection may stay)',
		inNames: true,
	},
	{
		rule: 'pass on',
		pattern: /\bpass(ed|es|ing)?[ -]on\b(?! (Node|Linux|macOS|Windows|n8n|the (first|second|next) (run|try|attempt)))/i,
		advice: 'forward',
		inNames: true,
	},
	{
		rule: 'post as a noun',
		pattern:
			/\b([Aa]|[Aa]n|[Tt]he|[Ee]ach|[Ee]very|same|one|[Ff]irst|[Ss]econd|[Ss]uch|[Rr]epeated|[Uu]nknown|forged|of|[Aa]ny|more|two|[Ii]ts|duplicate|other|webhook) [Pp]osts?\b(?!-| office)|\b([Tt]his|[Tt]hat|which) post\b(?!-| office)|\bPosts (of|that|which|without|are|must|may)\b|^Posts$/,
		advice: 'webhook, or request',
	},
	{
		rule: 'answer for response',
		pattern:
			/\b(service|server|API|gateway|n8n|sandbox|endpoint)('s)? answers?\b|\banswer(s|ed)? (with )?(an? )?[2-5](\d\d|xx)\b|\b(crashed|unreadable|lost|2xx|4xx|5xx|HTTP|JSON) answers?\b/,
		advice: 'response, responds',
	},
	{
		rule: 'interface for API',
		pattern: /\b(the|its|service's|whose) interface\b(?! of (the )?(class|module|type))/i,
		advice: 'API (the service), page or dashboard (the user interface)',
		audiences: readers,
	},
	{
		rule: 'text for message',
		pattern:
			/\b([Ii]nbound|[Ii]ncoming|[Oo]utgoing) texts?\b|\btext(ed|ing)\b|\b(to|can|may|not|who|people|customers|owner) text (a|an|the|it|you|your|someone|people|customers|them|us|me|him|her)\b|\btexts (STOP|START|HELP|HOURS|JOIN|YES)\b|\b(who|customer|sender|owner|number|person) texts\b|\b([Ee]ach|[Ee]very|[Aa]nother|second|[Tt]wo|per) texts?\b(?! (area|field|file|box|column|message))/,
		advice: 'message (noun), send (verb); text only for the words of a message',
		audiences: readers,
	},
	{
		rule: 'double',
		pattern:
			/\ba double\b(?![- ](click|quote|dollar|charge|number))|(?:^|[,:(] ?|\b(?:and|of|or|no|out|all|for|skips?|counts?) )doubles\b(?! (with|it|the|its|each|every|at)\b)/i,
		advice: 'duplicate',
	},
	{
		rule: 'nothing was sent',
		pattern: /\bnothing was sent,? (and|nor) (nothing was |was anything )?charged\b/i,
		advice: 'word for word: Nothing was sent or charged.',
		audiences: readers,
	},
	{ rule: 'under way', pattern: /\b(under way|underway)\b/i, advice: 'in flight, in progress, running' },
	{ rule: 'not tried', pattern: /\bnot tried\b/i, advice: 'not attempted' },
	{
		rule: 'booking',
		pattern: /\b(wallet|each|every|of the|no|new|a|same) bookings?\b|\bis booked\b/i,
		advice: 'transaction',
		audiences: readers,
	},
	{ rule: 'pace', pattern: /\b(a|the|its|this|own) pace\b/i, advice: 'rate limit', audiences: readers },
	{ rule: 'stranger', pattern: /\bstrangers?\b/i, advice: 'unauthenticated caller', inNames: true },
	{ rule: 'as new', pattern: /\b(is|are) as (good as )?new\b/i, advice: 'reset' },
	{ rule: 'so many', pattern: /\b(of|than|each) so many\b/i, advice: 'a number of, N', audiences: readers },
	{
		rule: 'a no',
		pattern: /\b(a|any|explicit|clear) (yes|no)\b(?!-|\.\d| (or|longer|more)\b)/i,
		advice: 'a rejection, an acceptance, or the value in quotation marks',
		audiences: readers,
	},
	...british.map(([words, american]) => ({
		rule: 'American spelling',
		pattern: new RegExp(String.raw`\b(${words})\b`, 'i'),
		advice: american,
	})),
];

/** The rules with patterns that also match over the end of a line. */
const compiledRules = wordRules.map((rule) => ({
	...rule,
	pattern: new RegExp(rule.pattern.source.replaceAll(' ', String.raw`\s+`), rule.pattern.flags),
}));

/**
 * Checks a text against every rule that holds for its readers.
 *
 * @param prose a text of a file
 * @returns what to change; empty if the text is fine
 */
export function checkProse(prose: Prose): Finding[] {
	const findings: Finding[] = [];
	const sentences = sentencesOf(prose);
	for (const sentence of sentences) {
		findings.push(...checkWords(sentence, prose.audience));
		if (readers.includes(prose.audience)) findings.push(...checkForm(sentence, prose.isCell));
	}
	if (prose.isDescription) {
		const words = sentences.reduce((sum, { text }) => sum + countWords(text), 0);
		if (words > MAX_WORDS && sentences.length > 1) {
			findings.push({
				rule: 'long description',
				line: prose.line,
				found: `${words} words`,
				advice: `at most ${MAX_WORDS} in a field's description; edge cases go to the docs`,
				sentence: sentences.map(({ text }) => text).join(' '),
			});
		}
	}
	return findings;
}

function checkWords({ text, line }: Sentence, audience: Audience): Finding[] {
	return compiledRules.flatMap(({ rule, pattern, advice, audiences, allowedInQuestion, inNames }) => {
		if (audience === 'name' ? !inNames : audiences && !audiences.includes(audience)) return [];
		if (allowedInQuestion && /\?["')\]]*$/.test(text)) return [];
		const match = pattern.exec(text);
		if (!match) return [];
		const above = countLines(text.slice(0, match.index));
		return [{ rule, line: line + above, found: match[0].trim(), advice, sentence: text }];
	});
}

function checkForm({ text, line }: Sentence, isCell = false): Finding[] {
	const findings: Finding[] = [];
	const add = (rule: string, found: string, advice: string) =>
		findings.push({ rule, line, found, advice, sentence: text });
	// A cell may be a list of names.
	const parts = isCell && !/[.!?]$/.test(text) ? text.split(/[,;:] /) : [text];
	const words = Math.max(...parts.map(countWords));
	if (words > MAX_WORDS) add('long sentence', `${words} words`, `at most ${MAX_WORDS}: split it, or make a list`);
	if (/;(\s|$)/.test(text) && !isCell) add('semicolon', ';', 'make two sentences');
	const colons = text.match(/:(?=\s|$)/g)?.length ?? 0;
	if (colons > 1) add('colons', `${colons} colons`, 'at most one in a sentence');
	return findings;
}
