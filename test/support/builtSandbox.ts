import { buildSync } from 'esbuild';
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
	buildSync({
		entryPoints: [join(root, 'sandbox', 'main.ts')],
		absWorkingDir: root,
		outdir: folder,
		bundle: true,
		platform: 'node',
		target: 'node24',
		external: ['esbuild'],
	});
	cpSync(join(root, 'sandbox', 'store', 'migrations'), join(folder, 'migrations'), { recursive: true });
	return ['--disable-warning=ExperimentalWarning', join(folder, 'main.js')];
}
