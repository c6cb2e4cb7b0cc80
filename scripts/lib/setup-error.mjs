/** A problem that the user must fix before the project can run. */
export class SetupError extends Error {
	/**
	 * @param {string} message the problem
	 * @param {string} [hint] the next steps, one command or sentence per line
	 */
	constructor(message, hint) {
		super(message);
		this.name = 'SetupError';
		this.hint = hint;
	}
}

/**
 * Checks for an error of the system.
 *
 * @param {unknown} error the error
 * @param {string} code for example `ENOENT`
 * @returns {boolean}
 */
export function hasCode(error, code) {
	return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * Prints an error: a SetupError with its hint, any other error with its stack.
 *
 * @param {unknown} error the error
 * @param {NodeJS.WritableStream} [output] the stream to print to, stderr by default
 */
export function printError(error, output = process.stderr) {
	if (!(error instanceof SetupError)) {
		output.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
		return;
	}
	output.write(`\n${error.message}\n`);
	if (error.hint) output.write(`\nWhat to do:\n${error.hint.replace(/^/gm, '  ')}\n`);
}
