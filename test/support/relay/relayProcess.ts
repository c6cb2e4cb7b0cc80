import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atFileEnd } from '../atFileEnd';
import { builtRelay } from './builtRelay';
import { clientOf, startOf, type Relay, type RelayOptions } from './relay';

const root = join(__dirname, '..', '..', '..');

/** Options of a relay in a process of its own. */
export interface ProcessOptions extends RelayOptions {
	/** Retries, probes and looks for jobs of killed processes within a second, as with the settings `QUICK`. */
	readonly quick?: boolean;
}

/** A relay in a process of its own. */
export interface RelayProcess extends Relay {
	/** All lines of its output so far. */
	readonly output: () => readonly string[];
	/** Kills the process at once. */
	readonly kill: () => Promise<void>;
	readonly pid: number;
}

/** The arguments of Node for a program with PGlite that lives for seconds. Most of its time would go into optimizing PGlite. */
export const SHORT_LIVED: readonly string[] = process.env.LONG === '1' ? [] : ['--liftoff-only'];

const children = new Set<ChildProcess>();

// Relays of a test that failed or was interrupted must not stay.
atFileEnd(() => {
	for (const child of children) child.kill('SIGKILL');
});

/** Starts a relay in a process of its own, and waits until it is ready. See `startRelay`, which is much faster. */
export async function startRelayProcess({ quick = false, ...options }: ProcessOptions = {}): Promise<RelayProcess> {
	const { args, env, folder } = startOf(options);
	const { program, quickProgram } = builtRelay();
	const child = spawn(process.execPath, [...SHORT_LIVED, quick ? quickProgram : program, ...args], {
		cwd: root,
		env: { PATH: process.env.PATH, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	children.add(child);
	child.once('exit', () => children.delete(child));
	const lines: string[] = [];
	for (const stream of [child.stdout, child.stderr]) {
		createInterface({ input: stream }).on('line', (line) => lines.push(line));
	}
	return {
		...clientOf(await readyUrl(child, lines)),
		folder,
		pid: child.pid ?? 0,
		output: () => [...lines],
		kill: async () => await end(child, 'SIGKILL'),
		stop: async () => await end(child, 'SIGTERM'),
	};
}

async function readyUrl(child: ChildProcess, lines: readonly string[]): Promise<string> {
	return await new Promise((resolve, reject) => {
		const check = () => {
			const url = lines.map((line) => /^ready (\S+)$/.exec(line)?.[1]).find((found) => found !== undefined);
			if (url !== undefined) resolve(url);
		};
		child.stdout?.on('data', () => setImmediate(check));
		child.once('exit', (code) => reject(new Error(`The relay ended with ${code}: ${lines.join('\n')}`)));
	});
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exited = once(child, 'exit');
	child.kill(signal);
	await exited;
}
