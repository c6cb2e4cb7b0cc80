import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { endAllProcesses, runProgram } from './process/processes.mjs';
import { createProgress, formatElapsed } from './bootstrap/progress.mjs';
import { logFolder, nodeProgram, projectFolder, reportFolder, toolEnvironment } from './paths.mjs';
import { printError } from './setup-error.mjs';

/** @typedef {{ title: string, passed: boolean, ms: number }} CheckResult */

/**
 * Runs a test command, and prints a summary or an error.
 *
 * @param {{ steps: number }} options the number of its steps, including the bootstrap's
 * @param {(context: { progress: import('./bootstrap/progress.mjs').Progress, install: boolean, jestArgs: string[] }) =>
 * Promise<CheckResult[]>} work `install`: may install missing system packages; `jestArgs` are the other arguments
 */
export async function runTestCommand({ steps }, work) {
	endOnSignals();
	try {
		const progress = createProgress({ total: steps, finished: 1 });
		const args = process.argv.slice(2);
		const jestArgs = args.filter((argument) => argument !== '--install');
		const results = await work({ progress, install: args.length > jestArgs.length, jestArgs });
		process.exitCode = printSummary(results) ? 0 : 1;
	} catch (error) {
		printError(error);
		process.exitCode = 1;
	}
}

/**
 * Runs a program as a check, shows its output, and prints whether it passed.
 *
 * @param {string} title the name of the check
 * @param {string} program
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<CheckResult>} also if the check fails
 */
export async function runCheck(title, program, args, env = toolEnvironment()) {
	process.stdout.write(`\n── ${title}\n`);
	const began = performance.now();
	const passed = await runProgram(title, program, args, {
		cwd: projectFolder,
		env,
	})
		.then(() => true)
		.catch(() => false);
	const ms = performance.now() - began;
	process.stdout.write(`── ${title}: ${passed ? 'passed' : 'FAILED'} in ${formatElapsed(ms)}\n`);
	return { title, passed, ms };
}

/**
 * Runs scripts of package.json side by side as checks, and shows the output of each when it ends.
 *
 * @param {Readonly<Record<string, string>>} scripts by title
 * @returns {Promise<CheckResult[]>} in their order, also if checks fail
 */
export async function runScripts(scripts) {
	return await Promise.all(
		Object.entries(scripts).map(async ([title, script]) => {
			const began = performance.now();
			const logFile = join(logFolder, 'checks', `${script.replace(':', '-')}.log`);
			const passed = await runProgram(title, 'npm', ['run', '--silent', script], {
				cwd: projectFolder,
				env: toolEnvironment(),
				logFile,
			})
				.then(() => true)
				.catch(() => false);
			const ms = performance.now() - began;
			process.stdout.write(`\n── ${title}\n${readFileSync(logFile, 'utf8')}`);
			process.stdout.write(`── ${title}: ${passed ? 'passed' : 'FAILED'} in ${formatElapsed(ms)}\n`);
			return { title, passed, ms };
		}),
	);
}

/**
 * Runs jest as a check, and writes its results to the report folder as JSON.
 *
 * @param {{ title: string, config: string, report: string, args: string[], env?: NodeJS.ProcessEnv, nodeArgs?: string[] }}
 * options `config` is relative to the project, `report` is a file name, `nodeArgs` are more arguments for Node
 * @returns {Promise<CheckResult>}
 */
export async function runJest({ title, config, report, args, env, nodeArgs = [] }) {
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	return await runCheck(
		title,
		nodeProgram,
		[
			'--disable-warning=ExperimentalWarning',
			// Each test file loads its own copy of most modules, and a small space for them is collected too often.
			'--max-semi-space-size=64',
			...nodeArgs,
			jest,
			'--config',
			join(projectFolder, config),
			'--json',
			`--outputFile=${join(reportFolder, report)}`,
			...args,
		],
		env,
	);
}

/**
 * Writes check results for `.ci/run`.
 *
 * @param {string} name file name in the report folder
 * @param {CheckResult[]} results
 */
export function writeCheckReport(name, results) {
	writeFileSync(join(reportFolder, name), `${JSON.stringify(results, null, '\t')}\n`);
}

/**
 * Prints whether each check passed.
 *
 * @param {CheckResult[]} results
 * @returns {boolean} true when all passed
 */
function printSummary(results) {
	process.stdout.write('\n');
	for (const { title, passed, ms } of results) {
		process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${title} (${formatElapsed(ms)})\n`);
	}
	return results.every(({ passed }) => passed);
}

/** Ends all started processes, then this one, on SIGINT, SIGTERM or SIGHUP. */
function endOnSignals() {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
		// The end-to-end test first ends n8n and the sandbox, which takes longer than ending a tool.
		process.on(signal, () => void endAllProcesses(40_000).then(() => process.exit(1)));
	}
}
