/**
 * The readers of a text: users of the documentation; users of a surface or a terminal; authors of code, in comments and
 * test titles; authors of code, in names.
 */
export type Audience = 'docs' | 'shown' | 'code' | 'name';

/** A piece of prose: a paragraph, a table cell, a label, a comment. */
export interface Prose {
	readonly audience: Audience;
	/** First line in its file, from 1. A `\n` in the text is a line further down. */
	readonly line: number;
	/** Code, links and inserted values are written as {@link PLACEHOLDER}. A {@link BREAK} ends a sentence. */
	readonly text: string;
	/** Set for the description of a field, which is shorter than other texts. */
	readonly isDescription?: boolean;
	/** Set for the cell of a table, where a semicolon separates entries. */
	readonly isCell?: boolean;
}

/** A sentence of a text. */
export interface Sentence {
	readonly text: string;
	readonly line: number;
}

/** Counts as one word: code, an inserted value, a URL. */
export const PLACEHOLDER = '‹›';

/** Ends a sentence that has no period: a line break in a label or an error. */
export const BREAK = '\u2029';

const abbreviation = /\b(e\.g|i\.e|etc|vs|incl|approx|a\.m|p\.m|No)\.(?=[\s,)])/g;
const sentenceEnd = new RegExp(
	String.raw`(?<=[.!?…]["”'’)*_]*)\s+(?=["“'‘(*_]*[A-Z0-9${PLACEHOLDER}]|n8n\b|npm\b|[a-z]+/|\()|${BREAK}`,
	'u',
);

/**
 * Replaces code spans, URLs and typographic apostrophes, so that rules see words only. Line breaks stay.
 *
 * @param text prose as it is written
 */
export function normalize(text: string): string {
	return text
		.replace(/``?[^`]*``?/g, keepLines)
		.replace(/\{\{[^}]*\}\}/g, keepLines)
		.replace(/\bhttps?:\/\/[^\s)"'>]+/g, PLACEHOLDER)
		.replaceAll('’', "'");
}

const keepLines = (match: string) => PLACEHOLDER + '\n'.repeat(countLines(match));

/** Counts the line breaks of a text. */
export function countLines(text: string): number {
	return text.split('\n').length - 1;
}

/**
 * Splits a text into sentences.
 *
 * @param prose a text with the line that it begins on
 * @returns each sentence with the line that it begins on
 */
export function sentencesOf({ text, line }: Pick<Prose, 'text' | 'line'>): Sentence[] {
	const whole = normalize(text).replace(abbreviation, (match) => match.replace(/\.$/, '\u2024'));
	const sentences: Sentence[] = [];
	let end = 0;
	for (const part of whole.split(new RegExp(`(${sentenceEnd.source})`, 'u'))) {
		end += part.length;
		const sentence = part.replaceAll('\u2024', '.').replaceAll(BREAK, '').trim();
		const above = countLines(whole.slice(0, end)) - countLines(part.trimStart());
		if (sentence !== '') sentences.push({ text: sentence, line: line + above });
	}
	return sentences;
}

/** Counts the words of a sentence; a placeholder or a number with its unit is one, a dash or a slash is none. */
export function countWords(sentence: string): number {
	const joined = sentence.replace(/(\d)\s(s|ms|min|h|[kMG]B|%)(?!\w)/g, '$1$2');
	return joined.split(/\s+/).filter((word) => /[\p{L}\p{N}‹]/u.test(word)).length;
}
