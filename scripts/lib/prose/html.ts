import { countLines, type Prose } from './text';

const withoutText = /<(script|style|svg)\b[\s\S]*?<\/\1>|<!--[\s\S]*?-->|<!doctype[^>]*>/gi;
const inlineTag = /<\/?(a|abbr|b|code|em|i|kbd|small|span|strong)\b[^>]*>/gi;
const readAttribute = /\s(?:aria-label|alt|placeholder|title)="([^"]+)"/g;

/**
 * Reads the texts of HTML: the content of its elements, and the attributes that are shown or read aloud.
 *
 * @param html a page or a part of one
 * @param firstLine line of its first line in the file
 * @param audience who reads it
 */
export function htmlProse(html: string, firstLine: number, audience: Prose['audience'] = 'shown'): Prose[] {
	const blank = (match: string) => match.replace(/[^\n]/g, '');
	const visible = html.replace(withoutText, blank);
	const texts: Prose[] = [];
	let line = firstLine;
	for (const part of visible.replace(inlineTag, blank).split(/(<[^>]*>)/)) {
		if (!part.startsWith('<') && part.trim() !== '') {
			const above = countLines(part) - countLines(part.trimStart());
			texts.push({ audience, line: line + above, text: part.trim() });
		}
		line += countLines(part);
	}
	for (const match of visible.matchAll(readAttribute)) {
		const [, text = ''] = match;
		texts.push({ audience, line: firstLine + countLines(visible.slice(0, match.index)), text });
	}
	return texts;
}
