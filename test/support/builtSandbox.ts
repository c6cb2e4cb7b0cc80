import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { atFileEnd } from './atFileEnd';

const root = join(__dirname, '..', '..');

/**
 * Builds the sandbox's program as one file for the calling test file. It starts in a fraction of the time, because from the
 * sources Node.js compiles each file.
 * @returns the arguments with which Node.js starts it
 */
export function builtSandbox(): readonly string[] {
	// In the repository, it finds esbuild.
	mkdirSync(join(root, '.local'), { recursive: true });
	const folder = mkdtempSync(join(root, '.local', 'sandbox-'));
	atFileEnd(() => rmSync(folder, { recursive: true, force: true }));
	// As a program: the library would leave a process for the test files that come after this one.
	const program = join(root, 'node_modules', '.bin', 'esbuild');
	const options = ['--bundle', '--platform=node', '--target=node24', '--external:esbuild', '--log-level=warning'];
	execFileSync(program, [join('sandbox', 'main.ts'), `--outdir=${folder}`, ...options], { cwd: root });
	cpSync(join(root, 'sandbox', 'store', 'migrations'), join(folder, 'migrations'), { recursive: true });
	return ['--disable-warning=ExperimentalWarning', join(folder, 'main.js')];
}
