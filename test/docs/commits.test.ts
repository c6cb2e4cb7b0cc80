import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkSubject, readHistory } from '../../scripts/lib/prose/commits';

let folder: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'commits-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

const git = (...args: string[]) =>
	execFileSync('git', ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com', ...args], {
		cwd: folder,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	}).trim();

describe('the subject of a commit', () => {
	it.each([
		'Add a check of prose',
		'Docs: describe the check of prose',
		'Wallet trigger: keep equal rows',
		'Address a review',
		'Process bulk sends in order',
		'Bring back the old limit',
		'Do not fail on an API key that is missing',
		"Zapier: don't repeat a send",
	])('may be %j', (subject) => {
		expect(checkSubject(subject)).toEqual([]);
	});

	it.each([
		['Added a check', 'begins with “Added”'],
		['Adds a check', 'begins with “Adds”'],
		['Docs: adding a check', 'begins with “adding”'],
		['A check of prose', 'begins with “A”'],
		['Docs: what the check does', 'begins with “what”'],
		['Add a check.', 'a period at its end'],
		[`Add ${'a'.repeat(69)}`, '73 characters, at most 72'],
		['', 'begins with “”'],
	])('may not be %j', (subject, problem) => {
		expect(checkSubject(subject)).toEqual([expect.stringContaining(problem)]);
	});

	it('reads the commit subjects since the base, without merges', () => {
		git('init', '--quiet', '--initial-branch=main');
		const commit = (subject: string) => {
			git('commit', '--quiet', '--allow-empty', '-m', subject);
			return git('rev-parse', 'HEAD');
		};
		commit('Before.');
		const base = commit('Base');
		git('checkout', '--quiet', '-b', 'other');
		commit('Add one');
		git('checkout', '--quiet', 'main');
		commit('Add two');
		git('merge', '--quiet', '--no-ff', '-m', 'Merged.', 'other');
		const history = readHistory(folder, base);
		expect('commits' in history && history.commits.map(({ subject }) => subject).sort()).toEqual([
			'Add one',
			'Add two',
		]);
	});

	it('reads no commit subjects without git, or without the base', () => {
		expect(readHistory(folder)).toEqual({ skipped: 'this is no git checkout' });
		git('init', '--quiet');
		git('commit', '--quiet', '--allow-empty', '-m', 'Begin');
		expect(readHistory(folder)).toEqual({ skipped: expect.stringContaining('is not in this history') as string });
	});
});
