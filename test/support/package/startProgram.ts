import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const children = new Set<ChildProcess>();

/** Kills the programs that a failed test left running. They would keep jest waiting. */
export function killPrograms(): void {
	for (const child of children) child.kill('SIGKILL');
}

process.once('exit', killPrograms);

/** A program that runs until `stop`. */
export interface StartedProgram {
	/** The address of its line `ready http://…`. */
	readonly url: string;
	/** Its lines before that one. */
	readonly introduction: readonly string[];
	/** Stops it in an orderly way. @returns its exit code, and all that it wrote to stderr */
	readonly stop: () => Promise<{ readonly code: unknown; readonly errors: string }>;
}

/**
 * Starts a program, and waits until it is ready.
 * @throws Error with its errors, if it ends before that
 */
export async function startProgram(
	command: readonly [string, ...string[]],
	options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<StartedProgram> {
	const [program, ...args] = command;
	const { cwd, env = {} } = options;
	const child = spawn(program, args, {
		cwd,
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	children.add(child);
	child.once('exit', () => children.delete(child));
	const errors = text(child.stderr);
	const introduction: string[] = [];
	for await (const line of createInterface({ input: child.stdout })) {
		const url = /^ready (\S+)$/.exec(line)?.[1];
		if (url === undefined) {
			introduction.push(line);
			continue;
		}
		return {
			url,
			introduction,
			async stop() {
				const code = await end(child);
				return { code, errors: await errors };
			},
		};
	}
	throw new Error(`${command.join(' ')} ended before it was ready: ${introduction.join('\n')}\n${await errors}`);
}

async function end(child: ChildProcess): Promise<unknown> {
	if (child.exitCode !== null) return child.exitCode;
	const exited = once(child, 'exit');
	child.kill('SIGTERM');
	await exited;
	return child.exitCode;
}
