import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { localFolder } from '../paths.mjs';
import { SetupError } from '../setup-error.mjs';

/** @param {string} command */
const usage = (command) => `${command} -- [options]

  --fresh            start over: delete the account, workflows and messages. n8n stays installed
  --port N           port of the n8n editor, 5678 by default. If it is in use, the next free port
  --sandbox-port N   port of the sandbox, 4010 by default. If it is in use, the next free port
  --relay-port N     port of the relay, 4400 by default. If it is in use, the next free port
  --state DIR        folder for the data of this demo, .local/state by default
  --install          install missing system packages with apt-get (needs root)
  --help             show these options
`;

/**
 * @typedef {{ command: string, fresh: boolean, install: boolean, port: number, sandboxPort: number,
 * relayPort: number, state: string }} DemoOptions
 * `command` as users type it; the others are the command's options
 */

/**
 * Reads the options of `npm start` and `npm run dev`. With `--help`, prints them and exits.
 *
 * @param {string} command the command as users type it
 * @returns {DemoOptions}
 * @throws {SetupError} names the wrong option, and lists all
 */
export function readDemoOptions(command) {
	try {
		const { values } = parseArgs({
			options: {
				fresh: { type: 'boolean', default: false },
				install: { type: 'boolean', default: false },
				help: { type: 'boolean', default: false },
				port: { type: 'string', default: '5678' },
				'sandbox-port': { type: 'string', default: '4010' },
				'relay-port': { type: 'string', default: '4400' },
				state: { type: 'string', default: join(localFolder, 'state') },
			},
		});
		/** @param {'port' | 'sandbox-port' | 'relay-port'} name */
		const port = (name) => {
			const number = Number(values[name]);
			if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number;
			throw new Error(`--${name} must be a port number from 1 to 65535, such as 5678.`);
		};
		if (values.help) {
			process.stdout.write(usage(command));
			process.exit(0);
		}
		const { fresh, install, state } = values;
		const ports = { port: port('port'), sandboxPort: port('sandbox-port'), relayPort: port('relay-port') };
		return { command, fresh, install, state, ...ports };
	} catch (error) {
		throw new SetupError(error instanceof Error ? error.message : String(error), usage(command));
	}
}
