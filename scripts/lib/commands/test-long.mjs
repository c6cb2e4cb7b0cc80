import { execa } from 'execa';
import { join } from 'node:path';
import { runCheck, runTestCommand } from '../checks.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/** The suites with full counts, by the folder of their tests. */
const suites = [
	{ title: 'Relay: full counts', folder: 'relay', command: 'test-relay.mjs' },
	{ title: 'Queue mode: full counts', folder: 'queue', command: 'test-queue.mjs' },
];

/**
 * Whether the arguments select a test of a suite.
 *
 * @param {string} folder
 * @param {string[]} jestArgs
 */
async function selectsTests(folder, jestArgs) {
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const config = join(projectFolder, 'test', folder, 'jest.config.js');
	const { stdout } = await execa(nodeProgram, [jest, '--config', config, '--listTests', ...jestArgs], {
		cwd: projectFolder,
		env: toolEnvironment(),
	});
	return stdout.trim() !== '';
}

/**
 * Tests the relay, then n8n's queue mode, with full counts and new random inputs, unless `SEED` is set. Leaves out a suite
 * of which the arguments select no test.
 */
export async function testLong() {
	process.env.SEED ??= 'random';
	await runTestCommand({ steps: 1 }, async ({ install, jestArgs }) => {
		const results = [];
		for (const { title, folder, command } of suites) {
			if (!(await selectsTests(folder, jestArgs))) continue;
			const args = [join(projectFolder, 'scripts', command), '--long', ...(install ? ['--install'] : []), ...jestArgs];
			results.push(await runCheck(title, nodeProgram, args));
		}
		if (results.length === 0) throw new SetupError('The arguments select no test.');
		return results;
	});
}
