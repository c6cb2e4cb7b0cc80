import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** A title that continues the previous one, or whose subject is elsewhere: it says nothing in the log of a failed run. */
const fragment = /\(\s*(['"`])((?:and|nor|but|or|also|else|of|it|they)\b(?:(?!\1).)*)\1,\s*(?:async\s*)?\(/gi;

const fragmentsIn = (source: string) => [...source.matchAll(fragment)].map(([, , title]) => title);

it('no test title begins with a word that needs the title before it', () => {
	const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => !file.endsWith('titles.test.ts'));
	expect(files.length).toBeGreaterThan(100);
	const found = files.flatMap((file) =>
		fragmentsIn(readFileSync(join(ROOT, file), 'utf8')).map((title) => `${file}: ${title}`),
	);
	expect(found).toEqual([]);
});

it.each([
	["it('nor one of an execution that has no ID', async () => {", ['nor one of an execution that has no ID']],
	["])('and again', (value) => {", ['and again']],
	["it('rejects a resume link without an execution ID', () => {", []],
])('finds the fragments of titles in %j', (source, titles) => {
	expect(fragmentsIn(source)).toEqual(titles);
});
