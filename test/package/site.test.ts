import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '../../sandbox/server';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
/** A path, as GitHub Pages has for a repository. */
const base = '/messaging/';
const url = `https://docs.example${base}`;

/** The built files by their paths on the site. Pictures are undefined. */
let files: Map<string, string | undefined>;
let folder: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'docs-site-'));
	const vitePress = join(root, 'site', 'node_modules', 'vitepress', 'bin', 'vitepress.js');
	// VitePress ends with an error if a page links to a page that does not exist.
	await run(process.execPath, [vitePress, 'build', join(root, 'site'), '--outDir', folder], {
		cwd: root,
		env: { ...process.env, DOCS_URL: url },
	});
	const paths = globSync('**/*.*', { cwd: folder }).map((path) => path.split('\\').join('/'));
	const isText = (path: string) => /\.(html|md|txt|css|js|json|xml)$/.test(path);
	files = new Map(paths.map((path) => [path, isText(path) ? readFileSync(join(folder, path), 'utf8') : undefined]));
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (path: string) => files.get(path) ?? '';
const endingIn = (end: string) => [...files.keys()].filter((path) => path.endsWith(end));

/** The addresses in the attributes of a built page. */
function addressesIn(html: string): string[] {
	const attributes = html.replace(/<script\b[\s\S]*?<\/script>/g, (script) => script.slice(0, script.indexOf('>') + 1));
	return [...attributes.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, address = '']) =>
		address.replaceAll('&amp;', '&'),
	);
}

/** The file that GitHub Pages sends for a path. */
function fileAt(path: string): string | undefined {
	const candidates = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
	return candidates.find((candidate) => files.has(candidate));
}

/** The addresses of a built page that lead nowhere on the site. */
function brokenIn(page: string): string[] {
	const html = textOf(page);
	const here = new URL(posix.join(base, page), url);
	return addressesIn(html).filter((address) => {
		const target = new URL(address, here);
		if (target.origin !== here.origin) return false;
		if (!target.pathname.startsWith(base)) return true;
		const file = fileAt(decodeURI(target.pathname.slice(base.length)));
		if (file === undefined) return true;
		const anchor = decodeURIComponent(target.hash.slice(1));
		return anchor !== '' && !textOf(file).includes(` id="${anchor}"`);
	});
}

describe('the documentation site', () => {
	it('has no link, picture or script that leads nowhere', () => {
		const pages = endingIn('.html').filter((path) => path !== '404.html');
		expect(pages.length).toBeGreaterThan(60);
		expect(pages.flatMap((page) => brokenIn(page).map((address) => `${page}: ${address}`))).toEqual([]);
	});

	it('has a link to a heading of another page', () => {
		expect(addressesIn(textOf('index.html'))).toContain('./n8n#operations');
	});

	it('loads nothing from another server', () => {
		const loads =
			/<(?:script|img|source|iframe)\b[^>]*\ssrc="https?:|<link\b(?![^>]*rel="canonical")[^>]*\shref="https?:/;
		expect(endingIn('.html').filter((path) => loads.test(textOf(path)))).toEqual([]);
		const imports = /url\(\s*["']?(?:https?:)?\/\/|@import\s+["']?(?:https?:)?\/\//;
		expect(endingIn('.css').filter((path) => imports.test(textOf(path)))).toEqual([]);
	});

	it('shows the expressions of n8n and the fields of Zapier as they are', () => {
		expect(textOf('n8n.html')).toContain('{{ $json.order_id }}-{{ $json.status }}');
		expect(textOf('zapier-recipes/school-fees.html')).toContain('fees-{{1. Reference}}');
	});

	it('has a menu that begins with Install, and a search without the pages for contributors', () => {
		expect(textOf('n8n.html')).toContain(`href="${base}overview#install"`);
		const index = [...files.entries()].find(([path]) => path.includes('localSearchIndex'))?.[1] ?? '';
		const found = new Set([...index.matchAll(/"\d+":"\/messaging\/([^"#]*)/g)].map(([, page = '']) => page));
		const pages = endingIn('.html').map((path) => path.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, ''));
		const left = pages.filter((page) => !found.has(page) && !page.startsWith('decisions/'));
		expect(left.sort()).toEqual([
			...['404', 'architecture', 'assumptions', 'benchmarks', 'changelog', 'contributing', 'publishing'],
			'zapier-publishing',
		]);
		expect([...found].filter((page) => page.startsWith('decisions/'))).toEqual([]);
	});

	it('has every page of docs/', () => {
		const sources = globSync('docs/**/*.md', { cwd: root }).map((path) => path.split('\\').join('/'));
		const titles = sources.map((source) => /^# (.+)$/m.exec(readFileSync(join(root, source), 'utf8'))?.[0] ?? source);
		const twins = new Set(endingIn('.md').map((path) => textOf(path).split('\n')[0]));
		expect(titles.filter((title) => !twins.has(title))).toEqual([]);
	});
});

describe('the files for language models', () => {
	it('include a Markdown twin of each page, which the page names', () => {
		const pages = endingIn('.html').filter((path) => path !== '404.html');
		for (const page of pages) {
			const twin = page.replace(/\.html$/, '.md');
			expect(textOf(twin)).toMatch(/^# \S/);
			expect(textOf(page)).toContain(`<link rel="alternate" type="text/markdown" href="${base}${twin}">`);
		}
	});

	it('have no link in a Markdown twin that leads nowhere', () => {
		const broken = endingIn('.md').flatMap((twin) =>
			[...withoutCode(textOf(twin)).matchAll(/\]\(([^)\s]+)\)/g)]
				.map(([, target = '']) => target)
				.filter((target) => !/^(#|[a-z][a-z\d+.-]*:)/i.test(target))
				.filter((target) => !files.has(posix.join(posix.dirname(twin), decodeURI(target.split('#')[0] ?? ''))))
				.map((target) => `${twin}: ${target}`),
		);
		expect(broken).toEqual([]);
	});

	it('have an llms.txt of a title, a summary and sections of links to twins', () => {
		const [title, summary, ...sections] = textOf('llms.txt')
			.trim()
			.split(/\n{2,}/);
		expect(title).toMatch(/^# \S.*$/);
		expect(summary).toMatch(/^> \S.*$/);
		expect(sections.at(-2)).toBe('## Optional');
		const lists = sections.filter((_, index) => index % 2 === 1);
		expect(sections.filter((_, index) => index % 2 === 0).filter((heading) => !/^## \S.*$/.test(heading))).toEqual([]);
		const lines = lists.flatMap((list) => list.split('\n'));
		const links = lines.map((line) => /^- \[.+\]\((\S+)\)(?:: \S.*)?$/.exec(line)?.[1] ?? line);
		const twins = endingIn('.md').filter((path) => path !== 'index.md');
		expect([...links].sort()).toEqual(twins.map((path) => `${url}${path}`).sort());
	});

	it('have an llms-full.txt with the manual of the nodes and without decisions', () => {
		expect(textOf('llms-full.txt')).toContain(textOf('n8n.md').trim());
		expect(textOf('llms-full.txt')).not.toContain(textOf('decisions/index.md').trim());
	});
});

describe('the first page', () => {
	const source = readFileSync(join(root, 'site', 'index.md'), 'utf8');
	const paths = new Map(
		source
			.split(/^## /m)
			.slice(1)
			.map((section) => [section.split('\n', 1)[0] ?? '', section]),
	);

	it('has a path of three steps for n8n, for Zapier and for developers', () => {
		expect([...paths.keys()]).toEqual(['n8n', 'Zapier', 'Developers']);
		for (const section of paths.values()) expect(section.match(/^\d\. /gm)).toEqual(['1. ', '2. ', '3. ']);
	});

	it('names only commands of package.json', () => {
		const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
			scripts: Record<string, string>;
		};
		const named = [...source.matchAll(/npm (?:run )?(start|[\w:]+)(?: -- --[\w-]+)?$/gm)].map(([, name = '']) => name);
		expect(named).toEqual(['start', 'sandbox', 'zapier:build', 'sandbox']);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});

	it('has a command for developers that sends a message to the sandbox', async () => {
		const command = /curl [\s\S]*?(?=\n\s*```)/.exec(paths.get('Developers') ?? '')?.[0] ?? '';
		const sandbox = await startSandbox();
		try {
			const { stdout } = await run('bash', ['-c', command.replace('http://127.0.0.1:4010', sandbox.url)]);
			expect(JSON.parse(stdout)).toMatchObject({ success: true, cost: 0.05 });
			const sent = await fetch(`${sandbox.url}/_sandbox/messages?to=%2B233201234567`);
			expect(await sent.json()).toMatchObject([{ message: 'Hello', sender_id: 'KOFISHOP' }]);
			expect((await fetch(`${sandbox.url}/phone?number=%2B233201234567`)).status).toBe(200);
		} finally {
			await sandbox.stop();
		}
	});
});

function withoutCode(markdown: string): string {
	return markdown.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2 *$/gm, '').replace(/`[^`\n]*`/g, '');
}
