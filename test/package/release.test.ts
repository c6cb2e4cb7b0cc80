import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleFields, readOwner, type Owner } from '../../scripts/lib/owner';
import { changelogSection, distTag, releaseProblems } from '../../scripts/lib/release/check';
import { unexpectedFiles } from '../../scripts/lib/release/contents';
import { readRelease } from '../../scripts/lib/release/read';
import { fc } from '../support/random';

const root = join(__dirname, '..', '..');
const tsx = join(root, 'node_modules', 'tsx', 'dist', 'cli.mjs');

let folder: string;
let outputs: string;

const owner: Owner = {
	name: 'Acme Ltd',
	email: 'n8n@acme.test',
	repository: 'https://github.com/acme/n8n-nodes-messaging-service',
	website: 'https://acme.test',
	securityEmail: 'security@acme.test',
	conductEmail: 'conduct@acme.test',
	zapierApiHost: '',
	zapierKeysPage: '',
};

const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content, null, '\t'));

/** A repository that may publish 1.2.3: manifests, an owner, and the project's changelog with a section for it. */
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'release-'));
	outputs = join(folder, '..', `${folder.split('/').at(-1)}-outputs`);
	writeFileSync(outputs, '');
	const manifest = { name: 'n8n-nodes-messaging-service', version: '1.2.3' };
	write('package.json', manifest);
	write('package-lock.json', { ...manifest, lockfileVersion: 3, packages: { '': manifest } });
	write('owner.json', owner);
	writeFileSync(
		join(folder, 'README.md'),
		'npm i messaging-service-relay@1.2.3. Writes n8n-nodes-messaging-service-1.2.3.tgz. Uses n8n 2.41.1.\n',
	);
	cpSync(join(root, 'CHANGELOG.md'), join(folder, 'CHANGELOG.md'));
	edit('CHANGELOG.md', /^## Unreleased$/m, '## Unreleased\n\n## 1.2.3 (2027-01-31)\n\nFaster.\n\n## 1.2.2');
	git('init', '--quiet');
	commit();
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
	rmSync(outputs, { force: true });
});

function edit(name: string, pattern: RegExp, replacement: string): void {
	const before = readFileSync(join(folder, name), 'utf8');
	const after = before.replace(pattern, replacement);
	expect(after).not.toBe(before);
	writeFileSync(join(folder, name), after);
}

const git = (...args: string[]) =>
	execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: folder });

function commit(): void {
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Change something');
}

function check(tag: string, environment: NodeJS.ProcessEnv = {}) {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		[tsx, join(root, 'scripts', 'release-check.ts'), '--folder', folder, '--tag', tag],
		{ encoding: 'utf8', env: { PATH: process.env.PATH, GITHUB_OUTPUT: outputs, ...environment } },
	);
	return { status, stdout, problems: stderr.trim().split('\n') };
}

describe('release:check', () => {
	it('accepts a tagged version of a clean repository, and names its dist-tag', () => {
		expect(check('1.2.3', { GITHUB_REPOSITORY: 'acme/n8n-nodes-messaging-service' })).toMatchObject({
			status: 0,
			stdout: 'Version 1.2.3 may be published, under the dist-tag latest.\n',
		});
		expect(readFileSync(outputs, 'utf8')).toBe('dist-tag=latest\n');
	});

	interface Case {
		readonly name: string;
		readonly tag?: string;
		readonly edits?: ReadonlyArray<readonly [file: string, pattern: RegExp, replacement: string]>;
		readonly uncommitted?: true;
		readonly environment?: NodeJS.ProcessEnv;
		readonly problem: RegExp;
	}
	const changelog = 'CHANGELOG.md';
	const version = /"version": "1\.2\.3"/g;
	it.each<Case>([
		{ name: 'a tag of another version', tag: '1.2.4', problem: /^The tag 1\.2\.4 is not the version 1\.2\.3/ },
		{ name: 'a tag with a v', tag: 'v1.2.3', problem: /^The tag v1\.2\.3 is not the version 1\.2\.3/ },
		{
			name: 'a lock file of another version',
			edits: [['package-lock.json', /"version": "1\.2\.3"/, '"version": "1.2.2"']],
			problem: /^package-lock\.json has another version .*npm install/,
		},
		{
			name: 'a file that names another version',
			edits: [['README.md', /messaging-service-relay@1\.2\.3/, 'messaging-service-relay@1.2.2']],
			problem: /^These files name another version: README\.md\. Run npm run generate/,
		},
		{
			name: 'a version without a section in the changelog',
			edits: [[changelog, /^## 1\.2\.3/m, '## 1.2.30']],
			problem: /^CHANGELOG\.md has no section for 1\.2\.3/,
		},
		{
			name: 'an empty section in the changelog',
			edits: [[changelog, /^Faster\.$/m, '']],
			problem: /^CHANGELOG\.md has no section for 1\.2\.3/,
		},
		{
			name: 'an owner with an example',
			edits: [['owner.json', /security@acme\.test/, 'security@acme.example']],
			problem: /^owner\.json still has examples in securityEmail\. .*npm run generate/,
		},
		{
			name: 'a workflow in another repository',
			environment: { GITHUB_REPOSITORY: 'fork/x' },
			problem:
				/^The workflow runs in https:\/\/github\.com\/fork\/x, but owner\.json names https:\/\/github\.com\/acme\//,
		},
		{
			name: 'a change that is not committed',
			edits: [[changelog, /^Faster\.$/m, 'Much faster.']],
			uncommitted: true,
			problem: /^These files have changes that are not committed: CHANGELOG\.md\./,
		},
		{
			name: 'a version that npm does not know',
			tag: '1.2',
			edits: [
				['package.json', version, '"version": "1.2"'],
				['package-lock.json', version, '"version": "1.2"'],
				[changelog, /^## 1\.2\.3/m, '## 1.2'],
				['README.md', /.*/, 'No version.'],
			],
			problem: /^The version 1\.2 in package\.json is not valid\./,
		},
	])('rejects $name, and nothing else', ({ tag = '1.2.3', edits = [], uncommitted, environment = {}, problem }) => {
		for (const [file, pattern, replacement] of edits) edit(file, pattern, replacement);
		if (edits.length > 0 && !uncommitted) commit();
		expect(releaseProblems(readRelease(folder, tag, environment))).toEqual([expect.stringMatching(problem)]);
	});

	it('lists all problems at once, and exits with 1', () => {
		writeFileSync(join(folder, 'new.txt'), '');
		edit('owner.json', /\.test/g, '.example');
		const { status, stdout, problems } = check('2.0.0');
		expect([status, stdout, readFileSync(outputs, 'utf8')]).toEqual([1, '', '']);
		expect(problems).toEqual([
			expect.stringMatching(/^The tag 2\.0\.0 /),
			expect.stringMatching(/^owner\.json still has examples in email, website, securityEmail, conductEmail\./),
			expect.stringMatching(/not committed: owner\.json, new\.txt\./),
			'Nothing was published.',
		]);
	});

	it('asks for a tag', () => {
		expect(check('')).toMatchObject({ status: 2, problems: ['Usage: npm run release:check -- --tag TAG'] });
	});
});

describe('owner.json', () => {
	it('is valid in this repository, and stops a release as long as it has examples', () => {
		const own = readOwner(root);
		write('owner.json', own);
		git('commit', '--quiet', '--allow-empty', '--all', '--message', 'Change the owner');
		const problems = releaseProblems(readRelease(folder, '1.2.3', {}));
		const examples = exampleFields(own);
		expect(problems).toHaveLength(examples.length > 0 ? 1 : 0);
		if (examples.length > 0) expect(problems[0]).toContain(`still has examples in ${examples.join(', ')}.`);
	});

	it.each<[keyof Owner, string]>([
		['name', ''],
		['email', 'n8n at acme.test'],
		['repository', 'https://github.com/acme/sms.git'],
		['repository', 'https://github.com/acme'],
		['repository', 'git@github.com:acme/sms'],
		['website', 'http://acme.test'],
		['website', 'https://acme.test/'],
		['zapierApiHost', 'https://api.acme.test'],
		['zapierApiHost', 'api.acme.test/api/v1'],
		['zapierKeysPage', 'acme.test/keys'],
	])('is rejected with the %s "%s", by the name of the field', (field, value) => {
		write('owner.json', { ...owner, [field]: value });
		expect(() => readOwner(folder)).toThrow(new RegExp(`^owner\\.json is not valid\\. ${field}: `));
	});

	it('is rejected with an unknown field, because a wrong name would have no effect', () => {
		write('owner.json', { ...owner, zapierHost: 'api.acme.test' });
		expect(() => readOwner(folder)).toThrow(/^owner\.json is not valid\. .*zapierHost/);
	});
});

it('finds a section of the changelog by its whole version, with and without a date', () => {
	const part = fc.nat({ max: 30 });
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(part, part, part), { minLength: 1, selector: String }), (versions) => {
			const names = versions.map((version) => version.join('.'));
			const changelog = names.map((name, at) => `## ${name}${at % 2 ? ' (2027-01-31)' : ''}\n\nChanges of ${name}.\n`);
			for (const name of names) {
				expect(changelogSection(`# Changelog\n\n${changelog.join('\n')}`, name)).toBe(`Changes of ${name}.`);
			}
			expect(changelogSection(changelog.join('\n'), '31.0.0')).toBe('');
		}),
	);
});

it('publishes a version with a hyphen as next', () => {
	expect([distTag('1.3.0'), distTag('1.3.0-beta.1')]).toEqual(['latest', 'next']);
});

it("finds files that don't belong in the package", () => {
	const files = ['LICENSE', 'dist/nodes/A/A.node.js', 'dist/nodes/A/a.svg', 'dist/nodes/A/A.node.json'];
	const strange = ['.env', 'dist/nodes/A.test.ts', 'dist/package.json', 'nodes/A.ts', 'owner.json'];
	expect(unexpectedFiles([...files, ...strange])).toEqual(strange);
});

it('does not publish from a folder', () => {
	const run = spawnSync(process.execPath, [join(root, 'scripts', 'stop-publish.mjs')], { encoding: 'utf8' });
	expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining('docs/publishing.md') as string });
	expect(readFileSync(join(root, 'package.json'), 'utf8')).toContain(
		'"prepublishOnly": "node scripts/stop-publish.mjs"',
	);
});
