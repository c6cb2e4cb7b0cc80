import { parseArgs } from 'node:util';
import { toErrorInfo } from './errorInfo';

/** Options of the command line. */
export interface CommandLine {
	/** TCP port, 0 for a free one. */
	readonly port: number;
	/** Address to listen on. */
	readonly host: string;
	/** File path, or `:memory:`. */
	readonly data: string;
}

/** An option is wrong. The message names it. */
export class CommandLineError extends Error {
	override readonly name = 'CommandLineError';
}

const USAGE = 'Usage: sandbox [--port NUMBER] [--host ADDRESS] [--data FILE|:memory:]';

/**
 * Parses the command line.
 * @param args the arguments without the program's name
 * @throws CommandLineError that names the unknown option or the wrong value
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
	const { port = '4010', host = '127.0.0.1', data = ':memory:' } = parse(args);
	if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
		throw new CommandLineError(`--port must be a number from 0 to 65535, not ${JSON.stringify(port)}.\n${USAGE}`);
	}
	if (data === '') throw new CommandLineError(`--data is empty. Use a file or :memory:.\n${USAGE}`);
	if (host === '') throw new CommandLineError(`--host is empty. Use an address such as 127.0.0.1.\n${USAGE}`);
	return { port: Number(port), host, data };
}

function parse(args: readonly string[]): { port?: string; host?: string; data?: string } {
	try {
		const type = 'string';
		return parseArgs({ args: [...args], options: { port: { type }, host: { type }, data: { type } } }).values;
	} catch (error) {
		throw new CommandLineError(`${toErrorInfo(error).message}\n${USAGE}`);
	}
}
