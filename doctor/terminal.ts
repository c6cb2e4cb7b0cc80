import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The terminal of the doctor. */
export interface Terminal {
	/** Writes to stdout. */
	print(text: string): void;
	/** Writes to stderr. */
	warn(text: string): void;
	/** Asks for a secret without showing it. @returns undefined if no one can type here */
	askSecret(question: string): Promise<string | undefined>;
}

/** Shows nothing that a user types. */
const silent = new Writable({ write: (_chunk, _encoding, done) => done() });

/** The terminal of this process. */
export const processTerminal: Terminal = {
	print: (text) => void process.stdout.write(text),
	warn: (text) => void process.stderr.write(text),
	askSecret: async (question) => {
		if (!process.stdin.isTTY) return undefined;
		process.stderr.write(question);
		const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
		try {
			return await new Promise((resolve) => {
				lines.once('line', resolve);
				lines.once('close', () => resolve(undefined));
			});
		} finally {
			lines.close();
			process.stderr.write('\n');
		}
	},
};
