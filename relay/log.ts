/**
 * Writes a problem to standard error. Never pass it a message, number, secret or URL: errors of libraries are reduced to
 * their code, because their messages may quote data.
 */
export function logProblem(what: string, error?: unknown): void {
	const cause = error === undefined ? '' : `: ${causeOf(error)}`;
	process.stderr.write(`${new Date().toISOString()} ${what}${cause}\n`);
}

/** Writes an error that ends the process, with the places in the code and without the error's message. */
export function logFatal(what: string, error: unknown): void {
	logProblem(what, error);
	const places = error instanceof Error ? placesOf(error) : [];
	if (places.length > 0) process.stderr.write(`${places.join('\n')}\n`);
}

/** A message may have lines that look like places, so the stack is read after its end. */
function placesOf({ message, stack = '' }: Error): string[] {
	const end = stack.lastIndexOf(message);
	return end < 0
		? []
		: stack
				.slice(end + message.length)
				.split('\n')
				.filter((line) => /^\s+at /.test(line));
}

function causeOf(error: unknown): string {
	if (!(error instanceof Error)) return 'unknown error';
	const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
	return `${error.name}${code}`;
}
