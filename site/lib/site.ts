import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { llmsFullTxt, llmsTxt } from './llms';
import { readPages, sitePath, type Page, type PageGroup } from './pages';
import { publishPage, type PublishedPage } from './publish';

/** The site's content, read from the repository. */
export interface Site {
	readonly landing: Page;
	readonly groups: readonly PageGroup[];
	/** Every page with its forms, by its path on the site. */
	readonly pages: ReadonlyMap<string, PublishedPage>;
	/** Address of the repository's files, ending in a slash, if it is known. */
	readonly repository: string | undefined;
}

/** Files of the repository that the theme uses, by their paths on the site. */
const themeFiles = { 'icon.svg': 'ui/icon.svg' };

/**
 * Reads the site from the repository.
 *
 * @param root folder of the repository
 * @param repository see {@link publishPage}
 */
export function readSite(root: string, repository: string | undefined): Site {
	const text = readFileSync(join(root, 'site', 'index.md'), 'utf8');
	const title = /^# (.+)$/m.exec(text)?.[1] ?? '';
	const landing = { source: 'site/index.md', path: 'index.md', title, label: title, text };
	const groups = readPages(root);
	const all = [landing, ...groups.flatMap(({ pages }) => pages)];
	const sources = new Map(all.map((page) => [page.source, page]));
	const pages = new Map(all.map((page) => [page.path, publishPage(page, sources, repository)]));
	return { landing, groups, pages, repository };
}

/**
 * Writes the input of VitePress. Files whose content is the same stay untouched, so a running server reloads only changed pages.
 *
 * @param site the content
 * @param root folder of the repository
 * @param folder gets the pages, and in `public/` the files that they need. Pages that no longer exist are removed from it
 */
export function writeInput({ landing, groups, pages, repository }: Site, root: string, folder: string): void {
	const notInSearch = new Set(
		groups.filter(({ isForContributors }) => isForContributors).flatMap((group) => group.pages.map(({ path }) => path)),
	);
	const frontmatterOf = ({ path, source }: Page) => {
		if (path === landing.path) return 'layout: home';
		const file = repository && existsSync(join(root, source)) ? `file: ${repository}${source}` : 'editLink: false';
		return notInSearch.has(path) ? `${file}\nsearch: false` : file;
	};
	removeOthers(folder, [...pages.keys()]);
	for (const [path, { page, vitePress }] of pages) {
		// The layout of the first page has no landmark for its content.
		const content = path === landing.path ? `<main>\n\n${vitePress}\n</main>\n` : vitePress;
		write(join(folder, path), `---\n${frontmatterOf(page)}\n---\n\n${content}`);
	}
	copyFiles(pages, root, join(folder, 'public'));
	for (const [path, source] of Object.entries(themeFiles)) copy(join(root, source), join(folder, 'public', path));
}

/**
 * Adds the Markdown twins, `llms.txt` and `llms-full.txt` to the built site.
 *
 * @param site the content
 * @param folder the built site
 * @param url address of the site, ending in a slash, if it is known
 */
export function writeTwins({ landing, groups, pages }: Site, folder: string, url: string | undefined): void {
	for (const [path, { twin }] of pages) write(join(folder, path), twin);
	write(join(folder, 'llms.txt'), llmsTxt(landing, groups, url));
	write(
		join(folder, 'llms-full.txt'),
		llmsFullTxt(groups, ({ path }) => pages.get(path)?.twin ?? ''),
	);
}

function copyFiles(pages: Site['pages'], root: string, folder: string): void {
	const files = new Set([...pages.values()].flatMap((page) => page.files));
	for (const source of files) copy(join(root, source), join(folder, sitePath(source)));
}

/** Removes the pages of an earlier run that no longer exist. */
function removeOthers(folder: string, paths: readonly string[]): void {
	const earlier = globSync('**/*.md', { cwd: folder }).map((path) => path.split(sep).join('/'));
	for (const path of earlier) if (!paths.includes(path)) rmSync(join(folder, path));
}

function write(file: string, text: string): void {
	if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

function copy(from: string, to: string): void {
	mkdirSync(dirname(to), { recursive: true });
	copyFileSync(from, to);
}
