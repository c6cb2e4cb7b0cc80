import { join } from 'node:path';
import { nodeProgram, projectFolder, toolEnvironment } from '../paths.mjs';
import { runInTerminal } from '../process/terminal.mjs';

/**
 * Runs the doctor in this terminal until it ends, and exits as it did.
 *
 * @param {string[]} args the doctor's options
 * @throws {import('../setup-error.mjs').SetupError} if it cannot be started
 */
export async function runDoctor(args) {
	await runInTerminal('The doctor', {
		program: nodeProgram,
		args: [
			'--disable-warning=ExperimentalWarning',
			'--import',
			'tsx',
			join(projectFolder, 'doctor', 'bin.ts'),
			...args,
		],
		cwd: projectFolder,
		env: toolEnvironment(),
	});
}
