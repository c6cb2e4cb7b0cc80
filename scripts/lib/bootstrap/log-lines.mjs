import { readFileSync } from 'node:fs';

/**
 * Reads the end of a log.
 *
 * @param {string} file
 * @param {number} count the most lines to read
 * @returns {string} the lines, indented; empty if the file is missing
 */
export function lastLines(file, count) {
	try {
		return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n').replace(/^/gm, '    ');
	} catch {
		return '';
	}
}

/**
 * npm names the cause first, before long explanations. Other programs end with the cause.
 *
 * @param {string} file
 */
function relevantLines(file) {
	const npmErrors = readFileSync(file, 'utf8')
		.split('\n')
		.filter((line) => /^npm (error|ERR!) ./.test(line))
		.slice(0, 12);
	return npmErrors.length > 0 ? npmErrors.join('\n').replace(/^/gm, '    ') : lastLines(file, 25);
}

/**
 * Describes a program that failed.
 *
 * @param {string} name the program's name in messages
 * @param {string} reason `exit code N` or `signal NAME`
 * @param {string} [logFile] its output
 * @returns {string} with the relevant lines of the log
 */
export function describeFailure(name, reason, logFile) {
	const log = logFile ? `:\n\n${relevantLines(logFile)}\n\n(full log: ${logFile})` : '.';
	return `${name} failed with ${reason}${log}`;
}
