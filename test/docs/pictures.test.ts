import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { docPictures } from '../support/e2e/docPictures';
import { exampleNames, shopTemplateNames, templateNames } from '../support/e2e/exampleWorkflow';

const root = join(__dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The calls that keep a picture under a fixed name, and the files that they write. */
function fixedPicturesOf(test: string): string[] {
	const source = read(test);
	const png = [...source.matchAll(/\btakePicture\(\w+, '([\w-]+)'/g)].map(([, name = '']) => `${name}.png`);
	const gif = [...source.matchAll(/\bkeepAnimation\('([\w-]+)'/g)].map(([, name = '']) => `${name}.gif`);
	return [...png, ...gif];
}

/** The pictures that the Markdown pages show, by their paths in the repository. */
function shownPictures(): string[] {
	const pages = globSync(['*.md', 'docs/**/*.md', '{examples,relay,sandbox,site,zapier}/*.md'], { cwd: root });
	const shown = pages.flatMap((page) => {
		const pictures = read(page).matchAll(/!\[[^\]]*\]\(([^)\s]+)\)/g);
		return [...pictures].map(([, target = '']) => posix.join(posix.dirname(page.split('\\').join('/')), target));
	});
	return [...new Set(shown)].sort();
}

const inDocs = Object.keys(docPictures).map((file) => `docs/images/${file}`);

/** The tests that take the picture of each workflow in a list. */
const listTests = [
	{ list: 'exampleNames', names: exampleNames, test: 'test/e2e/examples.test.ts' },
	{ list: 'templateNames', names: templateNames, test: 'test/e2e/templates.test.ts' },
	{ list: 'shopTemplateNames', names: shopTemplateNames, test: 'test/e2e/templates-shops.test.ts' },
];
const inExamples = listTests.flatMap(({ names }) => names.map((name) => `examples/images/${name}.png`));

describe('each picture of the docs', () => {
	it('is taken by a test, and a page shows it', () => {
		expect(shownPictures()).toEqual([...inDocs, ...inExamples].sort());
	});

	it('is in one of two folders, which have no other file', () => {
		const files = ['docs/images', 'examples/images'].flatMap((folder) =>
			readdirSync(join(root, folder)).map((file) => `${folder}/${file}`),
		);
		expect(files.sort()).toEqual([...inDocs, ...inExamples].sort());
	});

	it.each(Object.entries(docPictures))('%s is taken by %s', (file, test) => {
		expect(fixedPicturesOf(test)).toContain(file);
	});

	it.each(listTests)('$list are taken by $test', ({ list, test }) => {
		const source = read(test);
		expect(source).toMatch(new RegExp(`test\\.each\\(${list}\\)\\([^\\n]+async \\(name\\) =>`));
		expect(source).toMatch(/\bpictureWorkflow\(page, [^\n]+, name\)/);
	});
});
