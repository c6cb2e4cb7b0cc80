import { countSegments, type SegmentCount } from './countSegments';
import { gsm7Septets } from './gsm7';

/** One change of a cheaper spelling. */
export interface Replacement {
	readonly from: string;
	readonly to: string;
	/** Number of occurrences. */
	readonly count: number;
}

/** The same text in fewer segments. */
export interface CheaperSpelling {
	readonly text: string;
	/** Every change, in order of appearance within its kind. Show them before you send the text. */
	readonly replacements: readonly Replacement[];
	readonly before: SegmentCount;
	readonly after: SegmentCount;
	readonly segments_saved: number;
}

interface Rule {
	readonly pattern: RegExp;
	readonly spell: (match: string, offset: number, text: string) => string;
}

const always = (pattern: RegExp, spelling: string): Rule => ({ pattern, spell: () => spelling });

/** Replaces a currency sign with its ISO 4217 code, with a space if it would touch a word or a number. */
const currency = (pattern: RegExp, code: string): Rule => ({
	pattern,
	spell(match, offset, text) {
		const touches = (character: string | undefined) => /[\p{L}\p{N}]/u.test(character ?? '');
		const before = touches(text[offset - 1]) ? ' ' : '';
		const after = touches(text[offset + match.length]) ? ' ' : '';
		return before + code + after;
	},
});

// Typography and signs only. These never replace a letter: ɛ and ɔ, ç and ŋ have no spelling that means the same.
const rules: readonly Rule[] = [
	// Letter and accent as two characters (as in macOS file names), if GSM-7 has them as one.
	{ pattern: /[A-Za-z][\u0300-\u036f](?![\u0300-\u036f])/g, spell: (match) => compose(match) },
	always(/[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, ''),
	always(/[\t\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '),
	always(/[\u2028\u2029]/g, '\n'),
	// "GH₵" and the older "GH¢" are the same cedi; a cent sign without GH is not.
	currency(/(?:(?<!\p{L})GHS? ?)?₵|(?<!\p{L})GH¢/giu, 'GHS'),
	currency(/(?:(?<!\p{L})NGN ?)?₦/giu, 'NGN'),
	always(/[‘’‚‛′‵‹›`´]/g, "'"),
	always(/[“”„‟″«»]/g, '"'),
	always(/[‐‑‒–—―−•‣◦·]/g, '-'),
	always(/…/g, '...'),
	always(/→/g, '->'),
	always(/×/g, 'x'),
	always(/©/g, '(C)'),
	always(/®/g, '(R)'),
	always(/™/g, '(TM)'),
];

/**
 * Finds a spelling of a text that costs fewer segments and reads the same: "GH₵50" as "GHS 50", and typographic quotes,
 * dashes and spaces as plain ones. The result lists every change.
 * @returns undefined if that saves nothing, or if another character (an emoji, a letter of a language) requires UCS-2
 */
export function cheaperSpelling(text: string): CheaperSpelling | undefined {
	return respell(text, rules);
}

/** Letters of Twi and Ewe, and ε in the place of ɛ, which some keyboards lack. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map(
	Object.entries({ ɛ: 'e', ε: 'e', ɔ: 'o', ŋ: 'n', ɖ: 'd', ƒ: 'f', ɣ: 'g', ʋ: 'v' }).flatMap(([letter, plain]) => [
		[letter, plain] as const,
		[letter.toUpperCase(), plain.toUpperCase()] as const,
	]),
);

const SPECIAL_LETTER = `[${[...PLAIN_LETTERS.keys()].join('')}]`;

const plainRules: readonly Rule[] = [
	{
		pattern: new RegExp(`${SPECIAL_LETTER}[\\u0300-\\u036f]*`, 'g'),
		spell: (match) => PLAIN_LETTERS.get(match.slice(0, 1)) ?? match,
	},
	// Nasal vowels and tones of Ewe, such as ã and ẽ. GSM-7 has à and é, but not these.
	{
		pattern: /[aeiou][\u0300-\u036f]+|[\u00c0-\u017f\u1ea0-\u1ef9][\u0300-\u036f]*/gi,
		// No letter of GSM-7 has two marks, and normalizing a long row of marks is slow.
		spell: (match) => (match.length <= 2 && isGsm7(compose(match)) ? compose(match) : withoutMarks(match)),
	},
	...rules,
];

/**
 * Writes a message in Twi or Ewe with the letters of GSM-7: ɛ as e, ɔ as o, ŋ as n, ɖ as d, ƒ as f, ɣ as g and ʋ as v.
 * Marks of vowels that GSM-7 lacks are left out. Some words then look alike, so a person has to choose it.
 * @returns undefined if the message has no such letter, if that saves nothing, or if another character requires UCS-2
 */
export function plainLetters(text: string): CheaperSpelling | undefined {
	return new RegExp(SPECIAL_LETTER).test(text) ? respell(text, plainRules) : undefined;
}

function respell(text: string, applied: readonly Rule[]): CheaperSpelling | undefined {
	const before = countSegments(text);
	// The rules only make a text GSM-7, and one segment cannot become fewer.
	if (before.encoding === 'GSM-7' || before.segment_count === 1) return undefined;

	const replacements: Replacement[] = [];
	const spelled = applied.reduce((current, rule) => apply(rule, current, replacements), text);
	const after = countSegments(spelled);
	// If it stays UCS-2, plain quotes cost as much as typographic ones, so a change would save nothing.
	if (after.encoding !== 'GSM-7' || after.segment_count >= before.segment_count) return undefined;
	const segmentsSaved = before.segment_count - after.segment_count;
	return { text: spelled, replacements, before, after, segments_saved: segmentsSaved };
}

function apply({ pattern, spell }: Rule, text: string, replacements: Replacement[]): string {
	const counts = new Map<string, Replacement>();
	const spelled = text.replace(pattern, (from: string, offset: number) => {
		const to = spell(from, offset, text);
		if (to === from) return from;
		const key = `${from} ${to}`;
		counts.set(key, { from, to, count: (counts.get(key)?.count ?? 0) + 1 });
		return to;
	});
	replacements.push(...counts.values());
	return spelled;
}

function compose(match: string): string {
	const composed = match.normalize('NFC');
	return isGsm7(composed) ? composed : match;
}

function isGsm7(letter: string): boolean {
	return letter.length === 1 && gsm7Septets[letter.charCodeAt(0)] !== 0;
}

/** A vowel without its marks. Other letters stay. */
function withoutMarks(match: string): string {
	const [letter = ''] = match.slice(0, 1).normalize('NFD');
	return /[aeiou]/i.test(letter) ? letter : match;
}
