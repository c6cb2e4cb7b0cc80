import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { z } from 'zod/v4';

const root = join(__dirname, '..', '..');
const minutes = 60_000;
let work: string;
let clone: string;

beforeAll(() => {
	work = mkdtempSync(join(tmpdir(), 'clone-'));
	clone = join(work, 'clone');
	execFileSync('git', ['clone', '--quiet', root, clone]);
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Runs a program in the clone as a user does: without the variables and programs that this run of npm adds. */
function run(program: string, ...args: string[]) {
	const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/i.test(name));
	const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(root));
	return spawnSync(program, args, {
		cwd: clone,
		encoding: 'utf8',
		env: { ...Object.fromEntries(own), PATH: path.join(delimiter), npm_config_prefer_offline: 'true' },
	});
}

const lockFile = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) });

function versionsIn(folder: string): z.output<typeof lockFile>['packages'] {
	return lockFile.parse(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))).packages;
}

const nodeFiles = (folder: string) => globSync('dist/{nodes,credentials}/**/*.js', { cwd: folder }).length;

// The tests use one clone, in this order.
describe('a fresh clone', () => {
	it(
		'is installed by a plain npm ci, with the Node.js that runs the tests',
		() => {
			expect(run('npm', 'ci')).toMatchObject({ status: 0 });
			expect(existsSync(join(clone, 'node_modules', 'node', 'bin', 'node'))).toBe(true);
			expect(run('npx', 'jest', 'test/shared/baseUrl.test.ts')).toMatchObject({ status: 0 });
		},
		10 * minutes,
	);

	it(
		'is installed by a plain npm install, which keeps the versions of the lock file',
		() => {
			expect(run('npm', 'install')).toMatchObject({ status: 0 });
			// npm 10 leaves out fields that it does not know.
			expect(versionsIn(clone)).toEqual(versionsIn(root));
		},
		10 * minutes,
	);

	it(
		'is packed with the code, although it was not built before',
		() => {
			rmSync(join(clone, 'dist'), { recursive: true, force: true });
			const { status, stdout } = run('npm', 'pack', '--silent', '--pack-destination', work);
			expect([status, stdout]).toEqual([0, expect.stringMatching(/^n8n-nodes-messaging-service-[\d.]+\.tgz\n$/)]);
			execFileSync('tar', ['xzf', join(work, stdout.trim()), '-C', work]);
			expect(nodeFiles(join(work, 'package'))).toBe(7);
		},
		10 * minutes,
	);

	it.each([
		['a user folder that does not exist', 'new', 'new'],
		['the path of .n8n itself', 'named/.n8n', 'named'],
	])(
		'is installed in n8n by one command, with %s',
		(_, given, userFolder) => {
			const { status, stdout } = run('npm', 'run', 'install:n8n', '--', '--user-folder', join(work, given));
			expect([status, stdout]).toEqual([0, expect.stringContaining('Restart n8n')]);
			const installed = join(work, userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-service');
			const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
			expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).toMatchObject({ version });
			expect(nodeFiles(installed)).toBe(7);
			expect(globSync('*', { cwd: join(work, userFolder, '.n8n', 'nodes') })).toEqual(['node_modules']);
		},
		10 * minutes,
	);
});
