import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { githubSlug } from '../../site/lib/slug';

/** Text of each file by its path from the root of the repository; undefined for a file that is not text. */
type Files = ReadonlyMap<string, string | undefined>;

const ROOT = join(__dirname, '..', '..');
const NOT_OURS = new Set(['.git', '.local', 'coverage', 'dist', 'node_modules']);
/** This file, whose examples cite pages that don't exist. */
const OWN_PATH = 'test/docs/links.test.ts';
const SOURCE = /\.([cm]?[jt]s|html|json|sql)$/;
/** A lock file cites nothing, and is large. */
const LOCK_FILE = /package-lock\.json$/;

function* pathsIn(folder: string): Generator<string> {
	for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
		const path = posix.join(folder, entry.name);
		if (entry.isFile()) yield path;
		else if (entry.isDirectory() && !NOT_OURS.has(entry.name)) yield* pathsIn(path);
	}
}

function readRepository(): Files {
	const isSource = (path: string) => SOURCE.test(path) && !LOCK_FILE.test(path) && path !== OWN_PATH;
	const isText = (path: string) => path.endsWith('.md') || isSource(path);
	const paths = [...pathsIn('')];
	return new Map(paths.map((path) => [path, isText(path) ? readFileSync(join(ROOT, path), 'utf8') : undefined]));
}

/** The anchors that GitHub makes of the headings of a Markdown page. */
function anchorsOf(page: string): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of withoutFences(page).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)) {
		const slug = githubSlug(heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1'));
		let anchor = slug;
		for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
		anchors.add(anchor);
	}
	for (const [, id = ''] of page.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)) anchors.add(id);
	return anchors;
}

function withoutFences(page: string): string {
	return page.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '');
}

/** The targets of the links and images of a Markdown page that lead into the repository. */
function linksIn(page: string): string[] {
	const text = withoutFences(page).replace(/`[^`\n]*`/g, '');
	const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)/g)];
	const references = [...text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm)];
	const html = [...text.matchAll(/\b(?:src|href)="([^"]+)"/g)];
	const targets = [...inline, ...references, ...html].map(([, target = '']) => target);
	return targets.filter((target) => !/^([a-z][a-z\d+.-]*:|\/\/)/i.test(target));
}

/** The Markdown pages that source code cites, by their paths from the root. */
function citationsIn(source: string): string[] {
	const cited = source.matchAll(/(?<![\w-]|test\/)(?:docs|examples|sandbox|zapier)\/[\w./-]*\.md(?:#[\w-]+)?/g);
	return [...cited].map(([citation]) => citation);
}

/** The links and citations that lead nowhere, one a line. */
function brokenIn(files: Files): string[] {
	const folders = new Set([...files.keys()].flatMap(foldersOf));
	const anchors = new Map<string, Set<string>>();
	const isBroken = (path: string, anchor: string) => {
		if (!files.has(path)) return !folders.has(path) || anchor !== '';
		if (anchor === '') return false;
		const known = anchors.get(path) ?? anchorsOf(files.get(path) ?? '');
		anchors.set(path, known);
		return !known.has(anchor);
	};
	const broken: string[] = [];
	for (const [path, text] of files) {
		if (text === undefined) continue;
		const isPage = path.endsWith('.md');
		for (const target of isPage ? linksIn(text) : citationsIn(text)) {
			const [file = '', anchor = ''] = decodeURI(target).split('#');
			const from = isPage ? posix.dirname(path) : '';
			const leadsTo = file === '' ? path : posix.join(from, file).replace(/\/$/, '');
			if (isBroken(leadsTo, anchor)) broken.push(`${path}: ${target}`);
		}
	}
	return broken;
}

function foldersOf(path: string): string[] {
	const folder = posix.dirname(path);
	return folder === '.' ? ['.'] : [folder, ...foldersOf(folder)];
}

const page = '# One page\n\n## Send an SMS\n\n## Send an SMS\n\n## The `from` field, and more\n';

describe('the links in Markdown and the citations in source', () => {
	it('lead to files and headings that exist', () => {
		expect(brokenIn(readRepository())).toEqual([]);
	});

	it('finds links in the page of the API and in the code', () => {
		const files = readRepository();
		expect(linksIn(files.get('docs/api.md') ?? '')).toContain('#send-an-sms');
		expect([...files.values()].flatMap((text) => citationsIn(text ?? ''))).toContain('docs/magic-values.md');
	});
});

describe('the check of links', () => {
	it('accepts files, folders, headings, repeated headings and addresses elsewhere', () => {
		const links = ['docs/page.md', 'docs/', 'docs/page.md#send-an-sms', 'docs/page.md#send-an-sms-1', '#top', 'a.png'];
		const text = ['# Top', ...links.map((link) => `[link](${link})`), '[n8n](https://n8n.io/#x)'].join('\n');
		const more =
			'[`code`](page.md#the-from-field-and-more "Title") and `[no link](gone.md)`\n\n```\n[no](gone.md)\n```\n';
		const files: Files = new Map([
			['README.md', text],
			['a.png', undefined],
			['docs/page.md', page],
			['docs/more.md', more],
		]);
		expect(brokenIn(files)).toEqual([]);
	});

	it.each([
		['a file that is missing', 'gone.md'],
		['a heading that is missing', 'page.md#send-a-fax'],
		['a heading on the same page', '#gone'],
		['a third heading of the same name', 'page.md#send-an-sms-2'],
		['a heading in capital letters', 'page.md#Send-an-SMS'],
		['a folder with an anchor', '../docs/#one-page'],
	])('finds a link to %s', (_, target) => {
		const files: Files = new Map([
			['docs/page.md', page],
			['docs/other.md', `# Other\n\n[link](${target})\n`],
		]);
		expect(brokenIn(files)).toEqual([`docs/other.md: ${target}`]);
	});

	it('finds a broken image, a broken reference link and a broken HTML link', () => {
		const files: Files = new Map([['a.md', '![image](b.png)\n\n[text][c]\n\n[c]: c.md\n\n<img src="d.png">\n']]);
		expect(brokenIn(files)).toEqual(['a.md: b.png', 'a.md: c.md', 'a.md: d.png']);
	});

	it('finds a citation in source that leads nowhere', () => {
		const files: Files = new Map([
			['docs/page.md', page],
			['shared/good.ts', '// See docs/page.md#send-an-sms.\n'],
			['shared/wrongHeading.ts', '// See docs/page.md#send-a-fax.\n'],
			['shared/wrongFile.ts', '/** See https://example.com/docs/gone.md */\n'],
		]);
		expect(brokenIn(files)).toEqual([
			'shared/wrongHeading.ts: docs/page.md#send-a-fax',
			'shared/wrongFile.ts: docs/gone.md',
		]);
	});
});
