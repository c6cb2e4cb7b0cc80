import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod/v4';
import { versionedFiles, versionsIn, writeVersion } from '../../scripts/lib/release/versionedFiles';

const root = join(__dirname, '..', '..');
const manifest = z.looseObject({ version: z.string().optional() });

let folder: string;
const git = (...args: string[]) =>
	execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
		cwd: folder,
		encoding: 'utf8',
	});
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

/** A copy of the repository with the files as they are now, and the installed packages. */
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'version-'));
	const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
	for (const path of files.toString().split('\0')) {
		if (path === '' || !existsSync(join(root, path)) || /\.(png|gif|jpg)$/.test(path)) continue;
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		cpSync(join(root, path), join(folder, path));
	}
	git('init', '--quiet');
	writeFileSync(join(folder, '.git', 'info', 'exclude'), 'node_modules\n');
	for (const part of ['.', 'relay', 'zapier']) {
		const packages = join(root, part, 'node_modules');
		if (existsSync(packages)) symlinkSync(packages, join(folder, part, 'node_modules'));
	}
	git('add', '--all');
	git('commit', '--quiet', '--message', 'Copy the repository');
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('npm version', () => {
	it('makes one commit in which every file has the new version', () => {
		const before = manifest.parse(JSON.parse(read('package.json'))).version;
		const run = spawnSync('npm', ['version', 'minor'], {
			cwd: folder,
			encoding: 'utf8',
			env: {
				...process.env,
				GIT_AUTHOR_NAME: 'Test',
				GIT_AUTHOR_EMAIL: 'test@example.com',
				GIT_COMMITTER_NAME: 'Test',
				GIT_COMMITTER_EMAIL: 'test@example.com',
			},
		});
		expect({ status: run.status, errors: run.stderr.match(/error.*/gi) }).toEqual({ status: 0, errors: null });
		const { version = '' } = manifest.parse(JSON.parse(read('package.json')));
		expect(version).not.toBe(before);
		expect(git('status', '--porcelain')).toBe('');
		expect(git('tag', '--points-at', 'HEAD')).toBe(`${version}\n`);
		const named = versionedFiles.map((path) => [path, versionsIn(read(path))]);
		expect(named).toEqual(versionedFiles.map((path) => [path, [version]]));
		for (const path of ['docs/openapi.json', 'docs/relay-openapi.json']) {
			expect(JSON.parse(read(path))).toMatchObject({ info: { version } });
		}
		const check = spawnSync(process.execPath, ['--import', 'tsx', 'scripts/release-check.ts', '--tag', version], {
			cwd: folder,
			encoding: 'utf8',
			env: { PATH: process.env.PATH },
		});
		// The owner enters the changes and the names by hand.
		expect(check.stderr.trim().split('\n')).toEqual([
			expect.stringMatching(/^CHANGELOG\.md has no section for /),
			expect.stringMatching(/^owner\.json still has examples in /),
			'Nothing was published.',
		]);
	}, 180_000);

	it.each(['relay', 'site'])('leaves no second version in the folder %s', (part) => {
		expect(manifest.parse(JSON.parse(read(`${part}/package.json`))).version).toBeUndefined();
		const lock = z.looseObject({ version: z.string().optional(), packages: z.looseObject({ '': manifest }) });
		const locked = lock.parse(JSON.parse(read(`${part}/package-lock.json`)));
		expect([locked.version, locked.packages[''].version]).toEqual([undefined, undefined]);
	});
});

it('changes the versions of our packages only', () => {
	const text = 'messaging-service-relay@0.1.0 n8n@2.41.1 n8n-nodes-messaging-service-0.1.0-beta.1.tgz hono 4.13.19';
	expect(writeVersion(text, '1.0.0')).toBe(
		'messaging-service-relay@1.0.0 n8n@2.41.1 n8n-nodes-messaging-service-1.0.0.tgz hono 4.13.19',
	);
});
