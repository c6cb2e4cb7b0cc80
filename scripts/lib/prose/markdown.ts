import type { ParserOptions } from 'prettier';
import { parsers } from 'prettier/plugins/markdown';
import { htmlProse } from './html';
import { BREAK, PLACEHOLDER, type Prose } from './text';

interface MarkdownNode {
	readonly type: string;
	readonly value?: string;
	readonly alt?: string | null;
	readonly children?: readonly MarkdownNode[];
	readonly position: { readonly start: { readonly line: number } };
}

/** What the reading of a file needs beside its text. */
export interface MarkdownOptions {
	readonly audience: Prose['audience'];
	/** Line of the text's first line in its file. */
	readonly firstLine?: number;
	/** Reads block quotes only, as in a table of recorded messages. */
	readonly quotesOnly?: boolean;
}

/**
 * Reads the texts of a Markdown document: headings, paragraphs, list items, table cells, alternative texts. Code blocks have none.
 *
 * @param markdown the document, which Prettier's own parser reads
 * @param options who reads it, and which part of it
 */
export async function markdownProse(markdown: string, options: MarkdownOptions): Promise<Prose[]> {
	const { audience, firstLine = 1, quotesOnly = false } = options;
	const root = await parse(markdown);
	const texts: Prose[] = [];
	const lineOf = (node: MarkdownNode) => node.position.start.line + firstLine - 1;

	const visit = (node: MarkdownNode, isQuoted: boolean): void => {
		if (node.type === 'image' && node.alt) texts.push({ audience, line: lineOf(node), text: node.alt });
		if (node.type === 'html' && !quotesOnly) texts.push(...htmlProse(node.value ?? '', lineOf(node), audience));
		const children = node.children ?? [];
		if (['heading', 'paragraph', 'tableCell'].includes(node.type) && (isQuoted || !quotesOnly)) {
			const text = inlineText(children);
			if (text.trim() !== '')
				texts.push({ audience, line: lineOf(children[0] ?? node), text, isCell: node.type === 'tableCell' });
			for (const child of children) if (child.type === 'image') visit(child, isQuoted);
			return;
		}
		for (const child of children) visit(child, isQuoted || node.type === 'blockquote');
	};
	visit(root, false);
	return texts;
}

async function parse(markdown: string): Promise<MarkdownNode> {
	// Prettier's parser of Markdown reads no options.
	return (await parsers.markdown.parse(markdown, {} as ParserOptions)) as MarkdownNode;
}

function inlineText(nodes: readonly MarkdownNode[]): string {
	return nodes
		.map((node) => {
			if (node.type === 'inlineCode') return PLACEHOLDER;
			if (node.type === 'break') return `${BREAK}\n`;
			if (node.type === 'html') return /^<br/.test(node.value ?? '') ? BREAK : '';
			if (node.type === 'image') return '';
			return node.value ?? inlineText(node.children ?? []);
		})
		.join('');
}
