/** A line is written once in this time, in milliseconds. A full disk would otherwise fill the log as well. */
const ONCE_IN_MS = 10_000;

const written = new Map<string, { readonly at: number; more: number }>();

/**
 * Writes a problem to standard error, the same one at most every ten seconds. Never pass it a message, number, secret or
 * URL: errors of libraries are reduced to their code, because their messages may quote data.
 */
export function logProblem(what: string, error?: unknown): void {
	const line = lineOf(what, error);
	const last = written.get(line);
	if (last && performance.now() - last.at < ONCE_IN_MS) {
		last.more += 1;
		return;
	}
	written.set(line, { at: performance.now(), more: 0 });
	write(last && last.more > 0 ? `${line} (and ${last.more} more since the last such line)` : line);
}

/** Writes an error that ends the process, with the places in the code and without the error's message. */
export function logFatal(what: string, error: unknown): void {
	write([lineOf(what, error), ...(error instanceof Error ? placesOf(error) : [])].join('\n'));
}

let output = (line: string): void => void process.stderr.write(line);

/** Writes all following lines elsewhere. */
export function logTo(write: (line: string) => void): void {
	output = write;
}

function write(text: string): void {
	output(`${new Date().toISOString()} ${text}\n`);
}

function lineOf(what: string, error: unknown): string {
	return error === undefined ? what : `${what}: ${causeOf(error)}`;
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
