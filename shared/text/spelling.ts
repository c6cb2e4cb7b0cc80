import { countSegments, type SegmentCount } from './countSegments';
import { gsm7Septets } from './gsm7';

/**
 * One change of a cheaper spelling.
 * @example const change: Replacement = { from: '₵', to: 'GHS ', count: 2 };
 */
export interface Replacement {
	readonly from: string;
	readonly to: string;
	/** Number of occurrences. */
	readonly count: number;
}

/**
 * The same text in fewer segments.
 * @example const { text, segments_saved }: CheaperSpelling = cheaper;
 */
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

// Typography and signs only. A letter is never replaced: ɛ and ɔ, ç and ŋ have no spelling that means the same.
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
 * @example cheaperSpelling(longTextWithCurlyQuotes)?.segments_saved // 1
 */
export function cheaperSpelling(text: string): CheaperSpelling | undefined {
	const before = countSegments(text);
	// The rules only make a text GSM-7, and one segment cannot become fewer.
	if (before.encoding === 'GSM-7' || before.segment_count === 1) return undefined;

	const replacements: Replacement[] = [];
	const spelled = rules.reduce((current, rule) => apply(rule, current, replacements), text);
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
	return composed.length === 1 && gsm7Septets[composed.charCodeAt(0)] ? composed : match;
}
