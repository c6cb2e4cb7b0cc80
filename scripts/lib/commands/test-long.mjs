import { execa } from 'execa';
import { join } from 'node:path';
import { runCheck, runTestCommand } from '../checks.mjs';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/** The suites that have random tests. */
const suites = [
	{ title: 'Unit, n8n engine, Zapier handler, sandbox: full counts', config: 'jest.config.js', command: 'test.mjs' },
	{ title: 'Relay: full counts', config: 'test/relay/jest.config.js', command: 'test-relay.mjs' },
	{ title: 'Queue mode: full counts', config: 'test/queue/jest.config.js', command: 'test-queue.mjs' },
];

/**
 * Whether the arguments select a test of a suite.
 *
 * @param {string} config of jest, in the project
 * @param {string[]} jestArgs
 */
async function selectsTests(config, jestArgs) {
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const { stdout } = await execa(
		nodeProgram,
		[jest, '--config', join(projectFolder, config), '--listTests', ...jestArgs],
		{
			cwd: projectFolder,
			env: toolEnvironment(),
		},
	);
	return stdout.trim() !== '';
}

/**
 * Runs the suites with full counts and new random inputs, unless `SEED` is set. Leaves out a suite
 * of which the arguments select no test.
 */
export async function testLong() {
	process.env.SEED ??= 'random';
	process.env.LONG = '1';
	await runTestCommand({ steps: 1 }, async ({ install, jestArgs }) => {
		const results = [];
		for (const { title, config, command } of suites) {
			if (!(await selectsTests(config, jestArgs))) continue;
			const args = [join(projectFolder, 'scripts', command), ...(install ? ['--install'] : []), ...jestArgs];
			results.push(await runCheck(title, nodeProgram, args));
		}
		if (results.length === 0) throw new SetupError('The arguments select no test.');
		return results;
	});
}
