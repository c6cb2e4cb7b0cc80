import { readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';
import { z } from 'zod/v4';
import { githubSlug } from '../lib/slug';
import { readSite, writeInput, writeTwins } from '../lib/site';
import type { PageGroup } from '../lib/pages';

const root = fileURLToPath(new URL('../..', import.meta.url));
const local = join(root, '.local', 'docs');
/** Folders and files whose changes show in the development server at once. */
const watched = ['docs', 'examples', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'site/index.md'].concat(
	['relay', 'sandbox', 'zapier'].map((folder) => `${folder}/README.md`),
);

/** Address of the published site, such as `https://owner.github.io/repository/`. */
const url = process.env.DOCS_URL ? new URL(`${process.env.DOCS_URL.replace(/\/$/, '')}/`) : undefined;

const manifest = z.object({ repository: z.object({ url: z.string() }).optional() });
const { repository } = manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
/** Address of the repository's files, such as `https://github.com/owner/repository/blob/main/`. */
const files = repository && `${repository.url.replace(/^git\+/, '').replace(/\.git$/, '')}/blob/main/`;

const read = () => readSite(root, files);
const site = read();
writeInput(site, root, join(local, 'pages'));

const address = (path: string) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

/** A group cannot be collapsed: its button would be inside of another one. So all decisions have one entry. */
function menuOf({ title, pages }: PageGroup): DefaultTheme.SidebarItem {
	const shown = title === 'Decisions' ? pages.slice(0, 1) : pages;
	const items = shown.map(({ label, path }) => ({ text: label, link: address(path) }));
	return { text: title, items: title === 'Start' ? [{ text: 'Install', link: '/overview#install' }, ...items] : items };
}

export default defineConfig({
	lang: 'en-US',
	title: 'Messaging Service',
	description: 'SMS, WhatsApp, email and calls from n8n and Zapier, with a sandbox and a relay',
	base: url?.pathname ?? '/',
	srcDir: join(local, 'pages'),
	outDir: join(local, 'site'),
	cacheDir: join(local, 'cache'),
	cleanUrls: true,
	// The docs name the sandbox's addresses on your own machine.
	ignoreDeadLinks: 'localhostLinks',
	...(url && { sitemap: { hostname: url.href } }),
	markdown: {
		// The usual themes have comments with too little contrast.
		theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
		anchor: { slugify: githubSlug },
		// As on GitHub, braces after a text stay, and only full addresses become links.
		attrs: { disable: true },
		config(md) {
			md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
			const codeInline = md.renderer.rules.code_inline;
			// Braces in code are expressions of n8n or fields of Zapier. Vue must not run them.
			md.renderer.rules.code_inline = (tokens, index, ...rest) => {
				tokens[index]?.attrSet('v-pre', '');
				return codeInline?.(tokens, index, ...rest) ?? '';
			};
		},
	},
	head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${url?.pathname ?? '/'}icon.svg` }]],
	transformHead: ({ pageData }) =>
		site.pages.has(pageData.relativePath)
			? [
					[
						'link',
						{ rel: 'alternate', type: 'text/markdown', href: posix.join(url?.pathname ?? '/', pageData.relativePath) },
					],
				]
			: [],
	buildEnd: ({ outDir }) => writeTwins(site, outDir, url?.href),
	vite: {
		plugins: [
			{
				name: 'pages-of-the-repository',
				configureServer({ watcher }) {
					const paths = watched.map((path) => join(root, path));
					watcher.add(paths);
					watcher.on('all', (_, file) => {
						const isSource = paths.some((path) => file === path || file.startsWith(`${path}${sep}`));
						if (isSource) writeInput(read(), root, join(local, 'pages'));
					});
				},
			},
		],
	},
	themeConfig: {
		logo: '/icon.svg',
		nav: [
			{ text: 'n8n', link: '/n8n' },
			{ text: 'Zapier', link: '/zapier/' },
			{ text: 'Developers', link: '/api' },
		],
		sidebar: site.groups.map(menuOf),
		outline: [2, 3],
		search: { provider: 'local' },
		// VitePress sends this function to the browser as text, so it may use only its argument.
		editLink: { pattern: ({ frontmatter }) => String(frontmatter.file), text: 'This page in the repository' },
	},
});
