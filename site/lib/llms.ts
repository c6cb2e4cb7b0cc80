import type { Page, PageGroup } from './pages';

/**
 * Writes `llms.txt`: the pages of the site for a language model, in the form of https://llmstxt.org.
 *
 * @param landing the first page: its title, and its first paragraph as summary
 * @param groups all other pages
 * @param url address of the site, ending in a slash, or nothing for relative links
 */
export function llmsTxt(landing: Page, groups: readonly PageGroup[], url = ''): string {
	const required = groups.filter(({ isOptional }) => !isOptional);
	const optional = groups.filter(({ isOptional }) => isOptional).flatMap(({ pages }) => pages);
	const sections = [...required, { title: 'Optional', pages: optional }].map(({ title, pages }) => {
		const lines = pages.map((page) => `- [${page.title}](${url}${page.path})${page.about ? `: ${page.about}` : ''}`);
		return `## ${title}\n\n${lines.join('\n')}\n`;
	});
	const summary = landing.text.split(/\n{2,}/)[1]?.replaceAll('\n', ' ') ?? '';
	return [`# ${landing.title}\n`, `> ${summary}\n`, ...sections].join('\n');
}

/**
 * Writes `llms-full.txt`: the text of every page that is not optional.
 *
 * @param groups all pages but the first
 * @param twinOf gets a page and returns its Markdown twin
 */
export function llmsFullTxt(groups: readonly PageGroup[], twinOf: (page: Page) => string): string {
	const pages = groups.filter(({ isOptional }) => !isOptional).flatMap((group) => group.pages);
	return pages.map((page) => `<!-- ${page.path} -->\n\n${twinOf(page).trim()}\n`).join('\n');
}
