import { fork } from 'node:child_process';
import { once } from 'node:events';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/**
 * Starts a part of a benchmark as a separate process, which responds to each message with one.
 *
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, execArgv?: string[] }} [options]
 * @returns {Promise<{ first: any, ask: (message: object) => Promise<any>, stop: () => Promise<void> }>} `first` is its
 * first message, sent when it is ready; `ask` throws if the response is an error or the process ends
 */
export async function startPart(file, args, { env = process.env, execArgv = [] } = {}) {
	const child = fork(file, args, { env, execArgv });
	running.add(child);
	const ended = once(child, 'exit').then(([code, signal]) => {
		running.delete(child);
		throw new Error(`${file} ended with ${signal ?? code}`);
	});
	ended.catch(() => {});
	/** @returns {Promise<any>} */
	const nextMessage = async () => {
		const [message] = await Promise.race([once(child, 'message'), ended]);
		if (message.error) throw new Error(message.error);
		return message;
	};
	const first = await nextMessage();
	return {
		first,
		ask: async (message) => {
			const response = nextMessage();
			child.send(message);
			return await response;
		},
		stop: async () => {
			child.kill('SIGKILL');
			await ended.catch(() => {});
		},
	};
}
