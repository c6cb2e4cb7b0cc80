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
	/** Path of a seed file. */
	readonly seed: string | undefined;
	/** File of recorded shapes; undefined for the sandbox's own shapes. */
	readonly shapes: string | undefined;
	/** The command to run beside the sandbox, which ends with it, and its arguments. */
	readonly command: readonly [string, ...string[]] | undefined;
	/** Whether to print {@link HELP} instead. */
	readonly help: boolean;
}

/** An option is wrong. The message names it. */
export class CommandLineError extends Error {
	override readonly name = 'CommandLineError';
}

const USAGE = `Usage: messaging-service-sandbox [options]
       messaging-service-sandbox exec [options] -- COMMAND [ARGUMENT...]`;

/** What `--help` prints. */
export const HELP = `Messaging Service on your own machine, without an account, a phone or money.

${USAGE}

exec starts a sandbox, runs your command, and stops the sandbox. The command gets these variables:
  MESSAGING_SERVICE_BASE_URL     base URL of the API, such as http://127.0.0.1:4010/api/v1/
  MESSAGING_SERVICE_API_KEY      an API key
  MESSAGING_SERVICE_SANDBOX_URL  address of the pages and the control routes

  --port NUMBER   TCP port, 0 for a free one. Default: 4010, and a free one for exec
  --host ADDRESS  address to listen on. Default: 127.0.0.1
  --data FILE     keeps the data in a file. Default: in memory
  --seed FILE     account and faults of a new sandbox, in YAML or JSON
  --shapes FILE   responds in the shapes that the doctor recorded
  --help          prints this text
`;

/**
 * Parses the command line.
 * @param args the arguments without the program's name
 * @throws CommandLineError that names the unknown option or the wrong value
 */
export function parseCommandLine(args: readonly string[]): CommandLine {
	const isExec = args[0] === 'exec';
	const [own, command] = isExec ? splitCommand(args.slice(1)) : [args, undefined];
	const standardPort = isExec ? '0' : '4010';
	const { port = standardPort, host = '127.0.0.1', data = ':memory:', seed, shapes, help = false } = parse(own);
	if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
		throw new CommandLineError(`--port must be a number from 0 to 65535, not ${JSON.stringify(port)}.\n${USAGE}`);
	}
	if (data === '') throw new CommandLineError(`--data is empty. Use a file or :memory:.\n${USAGE}`);
	if (host === '') throw new CommandLineError(`--host is empty. Use an address such as 127.0.0.1.\n${USAGE}`);
	if (seed === '') throw new CommandLineError(`--seed is empty. Use a file in YAML or JSON.\n${USAGE}`);
	if (shapes === '') throw new CommandLineError(`--shapes is empty. Use the file that the doctor wrote.\n${USAGE}`);
	if (isExec && !command && !help) {
		throw new CommandLineError(`exec has no command. Write it after --, such as exec -- npm test.\n${USAGE}`);
	}
	return { port: Number(port), host, data, seed, shapes, command, help };
}

/** Splits the arguments of `exec` at the first `--`. */
function splitCommand(
	args: readonly string[],
): readonly [readonly string[], readonly [string, ...string[]] | undefined] {
	const end = args.indexOf('--');
	if (end < 0) return [args, undefined];
	const [program, ...rest] = args.slice(end + 1);
	return [args.slice(0, end), program === undefined || program === '' ? undefined : [program, ...rest]];
}

const type = 'string';
const options = {
	port: { type },
	host: { type },
	data: { type },
	seed: { type },
	shapes: { type },
	help: { type: 'boolean' },
} as const;

function parse(args: readonly string[]) {
	try {
		return parseArgs({ args: [...args], options }).values;
	} catch (error) {
		throw new CommandLineError(`${toErrorInfo(error).message}\n${USAGE}`);
	}
}
