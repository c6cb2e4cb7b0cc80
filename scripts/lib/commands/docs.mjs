import { join } from 'node:path';
import { installInTerminal } from '../install/in-terminal.mjs';
import { installSite } from '../install/packages.mjs';
import { nodeProgram, projectFolder, siteFolder, toolEnvironment } from '../paths.mjs';
import { runInTerminal } from '../process/terminal.mjs';

/** VitePress, which serves and builds the site. */
const vitePress = join(siteFolder, 'node_modules', 'vitepress', 'bin', 'vitepress.js');

/**
 * Runs VitePress in this terminal until it ends, and exits as it did. The built site is in `.local/docs/site`.
 *
 * @param {string[]} args VitePress's command (`dev` or `build`) and options
 * @throws {import('../setup-error.mjs').SetupError} if its packages cannot be installed, or it cannot be started
 */
export async function runDocs([command = 'dev', ...options]) {
	await installInTerminal(siteFolder, installSite, process.stdout);
	const args = [vitePress, command, siteFolder, ...options];
	await runInTerminal('VitePress', { program: nodeProgram, args, cwd: projectFolder, env: toolEnvironment() });
}
