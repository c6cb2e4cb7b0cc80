import { mkdirSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { reportFolder } from '../paths.mjs';
import { printError } from '../setup-error.mjs';
import { installProject, isProjectInstalled } from './install.mjs';
import { createProgress } from './progress.mjs';
import { endInstaller } from './run-installer.mjs';
import { checkNodeAndNpm } from './requirements.mjs';

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

let ending = false;

/**
 * Starts a command on a machine that has only Node and npm: installs the project's packages if they are missing, as the first
 * step of the command. Then runs the command, which may import packages. Prints an error of either and exits with 1.
 *
 * @template [T=undefined]
 * @param {object} options
 * @param {number} options.steps the number of the command's steps, including this one
 * @param {() => T} [options.readOptions] reads the command's options before anything is installed
 * @param {(options: T, note: (text: string) => void) => Promise<void>} [options.check] checks what the command needs, as a step
 * of its own before any long installation
 * @param {string[]} [options.reports] the command's report files. An earlier run's could be mistaken for this run's, so they
 * are deleted
 * @param {NodeJS.WriteStream} [options.output] the stream for the step's lines, stdout by default
 * @param {boolean} [options.quiet] prints nothing if the packages are installed
 * @param {(options: T) => Promise<void>} run imports and runs the command
 */
export async function bootstrap(
	{ steps, readOptions, check, reports = [], output = process.stdout, quiet = false },
	run,
) {
	/** @param {NodeJS.Signals} signal */
	function end(signal) {
		ending = true;
		void endInstaller().then(() => process.exit(128 + constants.signals[signal]));
	}
	for (const signal of signals) process.on(signal, end);
	try {
		const options = /** @type {T} */ (readOptions?.());
		mkdirSync(reportFolder, { recursive: true });
		for (const name of reports) rmSync(join(reportFolder, name), { force: true });
		checkNodeAndNpm();
		const { step, note } = createProgress({ total: steps, output });
		if (check) await step('Checking this machine', () => check(options, note));
		if (!isProjectInstalled()) await step('Installing packages (about a minute)', () => installProject(note));
		else if (!quiet) await step('Packages are installed', async () => {});
		for (const signal of signals) process.off(signal, end);
		await run(options);
	} catch (error) {
		// An interrupted installation also fails: not worth a message.
		if (ending) return;
		printError(error);
		process.exitCode = 1;
	}
}
