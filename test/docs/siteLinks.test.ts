import { rewriteLinks } from '../../site/lib/links';
import { readPages, sitePath, type Page } from '../../site/lib/pages';
import { publishPage } from '../../site/lib/publish';
import { join } from 'node:path';

const page = (source: string, text: string): Page => {
	return { source, path: sitePath(source), title: source, label: source, text };
};

/** The list of decisions, which GitHub shows as a folder. */
const decisions = ['docs', 'decisions', 'README.md'].join('/');
const sources = new Map(
	['README.md', 'docs/n8n.md', 'docs/relay.md', 'relay/README.md', decisions].map((source) => [
		source,
		page(source, ''),
	]),
);

const publish = (source: string, text: string, repository?: string) =>
	publishPage(page(source, text), sources, repository);

describe('the links of a page of the site', () => {
	it.each([
		['a page beside it', 'docs/wallet.md', 'n8n.md', './n8n.md'],
		['a heading of a page', 'docs/wallet.md', 'n8n.md#operations', './n8n.md#operations'],
		['a README', 'docs/n8n.md', '../relay/README.md#limits', './relay/index.md#limits'],
		['a page from a README in a folder', 'relay/README.md', '../docs/relay.md', '../relay-design.md'],
		['the README of the repository', 'docs/n8n.md', '../README.md', './overview.md'],
		['a folder', 'README.md', 'docs/decisions', './decisions/index.md'],
		['a heading of the same page', 'docs/n8n.md', '#operations', '#operations'],
		['another site', 'docs/n8n.md', 'https://n8n.io/#x', 'https://n8n.io/#x'],
	])('lead to %s', (_, source, target, expected) => {
		const { vitePress, twin } = publish(source, `See [the text](${target}).`);
		expect([vitePress, twin]).toEqual([`See [the text](${expected}).`, `See [the text](${expected}).`]);
	});

	it('lead to a picture from the root of the site, and beside the Markdown twin', () => {
		const { vitePress, twin, files } = publish('relay/README.md', '![A phone](../docs/images/phone.png)');
		expect(vitePress).toBe('![A phone](/images/phone.png)');
		expect(twin).toBe('![A phone](../images/phone.png)');
		expect(files).toEqual(['docs/images/phone.png']);
	});

	it('lead to source code in the repository if its address is known, else the text remains', () => {
		const text = 'See [`shared/index.ts`](../shared/index.ts) and [the license](../LICENSE).';
		const repository = 'https://code.example/owner/name/blob/main/';
		expect(publish('docs/n8n.md', text, repository).twin).toBe(
			`See [\`shared/index.ts\`](${repository}shared/index.ts) and [the license](${repository}LICENSE).`,
		);
		expect(publish('docs/n8n.md', text).twin).toBe('See `shared/index.ts` and the license.');
	});
});

describe('the rewriting of links', () => {
	const mark = (markdown: string) => rewriteLinks(markdown, (target) => `<${target}>`);

	it.each([
		['inline code', 'Write `[text](a.md)` here.'],
		['code with two backticks', 'Write ``[`text`](a.md)`` here.'],
		['a fenced block', '```md\n[text](a.md)\n```\n'],
		['a fenced block in a list', '1. Step\n\n   ```md\n   [text](a.md)\n   ```\n'],
		['brackets without a target', 'A [list] and (a.md).'],
	])('leaves %s as it is', (_, markdown) => {
		expect(mark(markdown)).toBe(markdown);
	});

	it('finds a link after code and a link around a picture', () => {
		expect(mark('`x` [`a`](a.md) ```\n')).toBe('`x` [`a`](<a.md>) ```\n');
		expect(mark('[![A](a.png)](b.md)')).toBe('[![A](<a.png>)](<b.md>)');
	});
});

describe('the pages of the site', () => {
	const pages = readPages(join(__dirname, '..', '..')).flatMap((group) => group.pages);

	it('have different paths, and none is the first page', () => {
		const paths = pages.map(({ path }) => path);
		expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([]);
		expect(paths).not.toContain('index.md');
	});

	it('have different addresses, also without a slash at the end', () => {
		const addresses = pages.map(({ path }) => path.replace(/(\/index)?\.md$/, ''));
		expect(addresses.filter((address, index) => addresses.indexOf(address) !== index)).toEqual([]);
	});
});
