import { fork } from 'node:child_process';
import { once } from 'node:events';
import { temporaryFolder } from './temporaryFolder';

/** A request with its number, and its result with the same number. */
interface Numbered {
	readonly number: number;
	readonly part: unknown;
}

/** A program in a process of its own that responds to requests. */
export interface RequestProcess {
	/** Sends a request. @returns the result, as JSON keeps it. @throws Error if the process ends first */
	readonly ask: (request: unknown) => Promise<unknown>;
	/** Ends it as a power cut would. */
	readonly kill: () => Promise<void>;
}

/**
 * Starts a TypeScript program that calls {@link respondToRequests}, and waits until it is ready.
 * @param program its file
 */
export async function startRequestProcess(program: string, args: readonly string[] = []): Promise<RequestProcess> {
	const child = fork(program, args, {
		execArgv: ['--disable-warning=ExperimentalWarning', '--import', 'tsx'],
		// The process may end as by a power cut, so the test file removes its folder.
		env: { ...process.env, NODE_OPTIONS: '', TEST_FOLDER: temporaryFolder() },
	});
	const waiting = new Map<number, (result: unknown) => void>();
	child.on('message', ({ number, part }: Numbered) => {
		waiting.get(number)?.(part);
		waiting.delete(number);
	});
	// A process of a test that was interrupted must not stay.
	process.once('exit', () => child.kill('SIGKILL'));
	await new Promise<void>((resolve, reject) => {
		waiting.set(0, () => resolve());
		child.once('exit', () => reject(new Error(`${program} did not start`)));
	});
	let count = 0;
	return {
		async ask(request) {
			const number = ++count;
			return await new Promise((resolve, reject) => {
				const lost = () => reject(new Error(`${program} has ended`));
				child.once('exit', lost);
				waiting.set(number, (result) => {
					child.off('exit', lost);
					resolve(result);
				});
				child.send({ number, part: request }, (error) => {
					if (error) reject(error);
				});
			});
		},
		async kill() {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, 'exit');
			child.kill('SIGKILL');
			await ended;
		},
	};
}

/**
 * Responds to the requests of the process that started this one, and says that it is ready.
 * @param respond makes the result of a request; never throws
 */
export function respondToRequests(respond: (request: unknown) => Promise<unknown>): void {
	process.on('message', ({ number, part }: Numbered) => {
		void respond(part).then((result) => process.send?.({ number, part: result }));
	});
	process.on('disconnect', () => process.exit());
	process.send?.({ number: 0, part: 'ready' });
}
