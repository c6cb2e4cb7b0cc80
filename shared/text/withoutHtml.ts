/** Tags inside a line. Every other one ends a line. */
const INLINE = /<\/?(?:a|b|i|u|em|font|s|small|span|strong)(?:\s[^<>]*)?>/gi;

/**
 * Removes the tags and named spaces of HTML from a short text, such as a phone number in the description of a calendar event.
 * @returns the text, with a line break for each tag that ends a line
 * @example withoutHtml('<p>024&nbsp;123<br></p>') // '\n024 123\n\n'
 */
export function withoutHtml(text: string): string {
	if (!/[<&]/.test(text)) return text;
	return text
		.replace(INLINE, '')
		.replace(/<\/?[a-z][^<>]*>/gi, '\n')
		.replace(/&(?:nbsp|ensp|emsp|thinsp|#160|#xa0);/gi, ' ')
		.replace(/&(?:zwnj|zwj|lrm|rlm|shy|#8203|#x200b|#8206|#x200e);/gi, '');
}
