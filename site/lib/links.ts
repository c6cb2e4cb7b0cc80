/** A fenced block, a link or image, or inline code: in this order, so code that looks like a link stays as it is. */
const PARTS =
	/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2 *$|(!?\[)((?:`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|[^[\]`])*)\]\(([^)\s]+)\)|(`+)(?!`)[\s\S]*?[^`]\6(?!`)/gm;

/**
 * Rewrites the targets of the inline links and images of a Markdown page. Code keeps every character.
 *
 * @param markdown the page
 * @param newTarget gets a target and returns the new one, or undefined to keep only the text of the link
 */
export function rewriteLinks(markdown: string, newTarget: (target: string) => string | undefined): string {
	return markdown.replace(PARTS, (whole: string, _indent, _fence, open?: string, text?: string, target?: string) => {
		if (open === undefined || text === undefined || target === undefined) return whole;
		const inner = open === '[' ? rewriteLinks(text, newTarget) : text;
		const replaced = newTarget(target);
		return replaced === undefined ? inner : `${open}${inner}](${replaced})`;
	});
}

/**
 * Checks whether a target leads out of the repository, or to a heading of the same page.
 *
 * @param target of a link
 */
export const leadsElsewhere = (target: string): boolean => /^(#|\/\/|[a-z][a-z\d+.-]*:)/i.test(target);
