import { posix } from 'node:path';
import { leadsElsewhere, rewriteLinks } from './links';
import { sitePath, type Page } from './pages';

/** A page in its two forms, and the files of the repository that it needs. */
export interface PublishedPage {
	readonly page: Page;
	/** For VitePress: links to pages are relative, those to files begin at the root of the site. */
	readonly vitePress: string;
	/** The Markdown twin: all links are relative, and no HTML groups the text. */
	readonly twin: string;
	/** The files that it shows or links to, by their paths in the repository. */
	readonly files: readonly string[];
}

/** Only pictures, workflows and API descriptions are on the site. Source code stays in the repository. */
const onSite = /^(docs|examples)\/.+\.(png|gif|svg|json)$/;

/** HTML that only arranges the landing page. */
const layoutLine = /^<\/?(div|section)\b[^>]*>\n+/gm;

/**
 * Makes the forms of a page.
 *
 * @param page from the repository
 * @param sources all pages by their paths in the repository
 * @param repository address of the repository's files, ending in a slash. Without it, links to source code keep only their text
 */
export function publishPage(
	page: Page,
	sources: ReadonlyMap<string, Page>,
	repository: string | undefined,
): PublishedPage {
	const files = new Set<string>();
	const withLinks = (addressOf: (path: string) => string) =>
		rewriteLinks(page.text, (target) => {
			if (leadsElsewhere(target)) return target;
			const [path = '', anchor] = target.split('#');
			const source = posix.join(posix.dirname(page.source), path).replace(/\/$/, '');
			const linked = sources.get(source) ?? sources.get(`${source}/README.md`);
			if (linked) return `${relative(page.path, linked.path)}${anchor ? `#${anchor}` : ''}`;
			if (!onSite.test(source)) return repository && `${repository}${source}`;
			files.add(source);
			return addressOf(sitePath(source));
		});
	return {
		page,
		vitePress: withLinks((path) => `/${path}`),
		twin: withLinks((path) => relative(page.path, path)).replace(layoutLine, ''),
		files: [...files],
	};
}

/** Starts with a dot, as VitePress wants links to pages. */
function relative(from: string, to: string): string {
	const path = posix.relative(posix.dirname(from), to);
	return path.startsWith('.') ? path : `./${path}`;
}
