import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const OXFMT = join(import.meta.dirname, '..', '..', 'node_modules', 'oxfmt', 'bin', 'oxfmt');

/**
 * Formats files in place with the settings of the project.
 * @param root folder of the project
 * @param files paths in it
 * @throws {Error} if a file cannot be parsed
 */
export function formatFiles(root: string, files: readonly string[]): void {
	const { status, stderr } = spawnSync(process.execPath, [OXFMT, ...files], { cwd: root, encoding: 'utf8' });
	if (status !== 0) throw new Error(`The files cannot be formatted: ${stderr}`);
}
