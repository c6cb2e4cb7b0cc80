import { spawnSync } from 'node:child_process';
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(__dirname, '..', '..');
let work: string;

beforeEach(() => (work = mkdtempSync(join(tmpdir(), 'n8n-package-'))));
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Runs statements with what a script exports. */
function run(script: string, code: string, path = process.env.PATH) {
	const module = JSON.stringify(script);
	return spawnSync(process.execPath, ['--input-type=module', '-e', `const m = await import(${module}); ${code}`], {
		encoding: 'utf8',
		env: { PATH: path },
		timeout: 25_000,
	});
}

describe('installing the package in n8n', () => {
	const installed = () => join(work, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-messaging-service');
	const log = () => join(work, 'log');

	function addProgram(name: string, text: string): void {
		writeFileSync(join(work, name), `#!/bin/sh\n${text}\n`);
		chmodSync(join(work, name), 0o755);
	}

	function install(): string {
		const code = `await m.installPackageInN8n(${JSON.stringify(work)}, ${JSON.stringify(log())})`;
		const { status, stderr } = run(join(root, 'scripts/lib/n8n/package.mjs'), code, `${work}:${process.env.PATH}`);
		return `${status} ${stderr}`;
	}

	beforeEach(() => {
		mkdirSync(installed(), { recursive: true });
		writeFileSync(join(installed(), 'old.js'), 'old');
	});

	it.each(['npm', 'tar'])('keeps the installed package if %s fails', (program) => {
		addProgram('npm', 'touch "$4/package.tgz"');
		addProgram(program, 'exit 3');
		expect(install()).toMatch(/^1 [^]*exit code 3/);
		expect(readFileSync(join(installed(), 'old.js'), 'utf8')).toBe('old');
	});

	it('replaces the whole installed package', () => {
		addProgram(
			'npm',
			'mkdir "$4/package" && echo new > "$4/package/new.js" && tar -czf "$4/p.tgz" -C "$4" package && rm -r "$4/package"',
		);
		expect(install()).toBe('0 ');
		expect(readFileSync(join(installed(), 'new.js'), 'utf8')).toBe('new\n');
		expect(existsSync(join(installed(), 'old.js'))).toBe(false);
		expect(existsSync(join(work, '.n8n', 'nodes', 'packed'))).toBe(false);
	});
});

describe('building the nodes', () => {
	it.each(['.', 'test'])('keeps the source files in the folder %j', (out) => {
		// A copy, because a build without the check deletes them.
		for (const path of ['scripts/lib/n8n/build.mjs', 'scripts/lib/paths.mjs', 'scripts/lib/setup-error.mjs']) {
			cpSync(join(root, path), join(work, path));
		}
		symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));
		for (const file of ['nodes/A/A.node.ts', 'credentials/A.credentials.ts', 'test/nodes/a.test.ts']) {
			mkdirSync(dirname(join(work, file)), { recursive: true });
			writeFileSync(join(work, file), '');
		}
		const { status, stderr } = run(
			join(work, 'scripts/lib/n8n/build.mjs'),
			`await m.buildNodes({ watch: false, out: '${out}' })`,
		);
		expect(stderr).toContain('it would delete source files there');
		expect(status).toBe(1);
		expect(existsSync(join(work, 'nodes/A/A.node.ts')) && existsSync(join(work, 'test/nodes/a.test.ts'))).toBe(true);
	});
});
