import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeProse, splitName } from './code';
import { htmlProse } from './html';
import { markdownProse } from './markdown';
import type { Prose } from './text';
import { workflowProse } from './workflow';

/** Folders whose programs show their strings to users. */
const shownFolders = /^(credentials|doctor|nodes|relay|sandbox|scripts|shared|ui|zapier)\//;
/** The rules and their tests name the words that they reject. */
const ownRules = /^(scripts\/lib\/prose\/(rules|allowed)|test\/docs\/prose\.test)\.ts$/;

/**
 * Lists the files of a checkout that have prose.
 *
 * @param folder the checkout
 * @returns paths in it, with slashes: those that git knows, and new ones that it does not ignore
 */
export function proseFiles(folder: string): string[] {
	const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
	const deleted = new Set(gitPaths(folder, ['ls-files', '-z', '--deleted']));
	return gitPaths(folder, list)
		.filter((path) => !deleted.has(path) && reader(path) !== undefined)
		.sort();
}

function gitPaths(folder: string, args: string[]): string[] {
	const paths = execFileSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 });
	return paths.split('\0').filter((path) => path !== '');
}

/**
 * Reads the texts of a file.
 *
 * @param folder the checkout
 * @param path the file's path in it
 */
export async function readProse(folder: string, path: string): Promise<Prose[]> {
	return (await reader(path)?.(readFileSync(join(folder, path), 'utf8'))) ?? [];
}

function reader(path: string): ((source: string) => Prose[] | Promise<Prose[]>) | undefined {
	if (ownRules.test(path)) return undefined;
	if (path.endsWith('.golden.md')) return goldenProse;
	if (path.endsWith('.md')) return (source) => markdownProse(source, { audience: 'docs' });
	if (path.endsWith('.html')) return (source) => htmlProse(source, 1);
	if (/^examples\/.*\.json$/.test(path)) return workflowProse;
	if (path.endsWith('package.json')) return manifestProse;
	if (/\.[cm]?[jt]sx?$/.test(path)) {
		const readsStrings = shownFolders.test(path) && !path.endsWith('.config.mjs');
		return (source) => [fileName(path), ...codeProse(source, { path, readsStrings })];
	}
	return undefined;
}

/** Recorded messages stand in block quotes; many are recorded several times. */
async function goldenProse(source: string): Promise<Prose[]> {
	const quotes = await markdownProse(source, { audience: 'shown', quotesOnly: true });
	const byMessage = new Map<string, Prose>();
	for (const prose of quotes) {
		const text = prose.text.replace(/\s*\[?item \d+\]?$/, '');
		if (!text.startsWith('{') && !byMessage.has(text)) byMessage.set(text, { ...prose, text });
	}
	return [...byMessage.values()];
}

const fileName = (path: string): Prose => ({ audience: 'name', line: 1, text: splitName(basename(path)) });

function manifestProse(source: string): Prose[] {
	const { description } = JSON.parse(source) as { description?: string };
	const line = source.split('\n').findIndex((each) => each.includes('"description"')) + 1;
	return description ? [{ audience: 'shown', line, text: description }] : [];
}
