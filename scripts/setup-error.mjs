/** Something a person has to put right before the project can run: what it is, and how to go on. */
export class SetupProblem extends Error {
	/**
	 * @param {string} message what is wrong
	 * @param {string} [cure] what to do, one command or sentence a line
	 */
	constructor(message, cure) {
		super(message);
		this.name = 'SetupProblem';
		this.cure = cure;
	}
}

/**
 * Prints a failure for people: a problem with its cure, anything unforeseen with its stack.
 *
 * @param {unknown} error what was thrown
 * @param {NodeJS.WritableStream} [output] where to print
 */
export function printProblem(error, output = process.stderr) {
	if (!(error instanceof SetupProblem)) {
		output.write(`\n${error instanceof Error ? error.stack : String(error)}\n`);
		return;
	}
	output.write(`\n${error.message}\n`);
	if (error.cure) output.write(`\nHow to go on:\n${error.cure.replace(/^/gm, '  ')}\n`);
}
