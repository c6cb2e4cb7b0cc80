import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../eventually';

const projectFolder = join(__dirname, '..', '..', '..');

/** The addresses and the login that `npm start` prints when it is ready. */
export interface Ready {
	readonly phone: string;
	readonly editor: string;
	readonly email: string;
	readonly password: string;
	readonly n8nUrl: string;
	readonly sandboxUrl: string;
	readonly relayUrl: string;
	/** The relay's admin token. */
	readonly relayToken: string;
}

/** The part of a demo's state file that tests read. */
export interface DemoMemory {
	readonly apiKey: string;
	readonly workflowId: string;
	readonly credentials: Readonly<Record<string, { readonly id: string; readonly data: object }>>;
	readonly relay: { readonly ingestSecret: string };
}

/** A running `npm start`. */
export interface Demo {
	readonly child: ChildProcess;
	/** Its output so far. */
	output(): string;
	/** Waits until it prints that it is ready. Throws if it ends before. */
	ready(): Promise<Ready>;
	/** Waits until it has ended and returns its exit code. Throws if it takes longer. */
	ended(withinMs?: number): Promise<number | null>;
}

const startedDemos: Demo[] = [];

/** Ends every `npm start` that still runs, for tests that failed halfway. Waits until all have ended. */
export async function endAllDemos(): Promise<void> {
	for (const demo of startedDemos) {
		if (demo.child.exitCode !== null || demo.child.signalCode !== null) continue;
		demo.child.kill('SIGTERM');
		await demo.ended();
	}
}

/**
 * Runs what `npm start` runs.
 * @param args its options
 * @param env variables to add to this process's own
 * @param command another command with the same output, such as that of `npm run dev`
 */
export function startDemo(
	args: readonly string[],
	env: NodeJS.ProcessEnv = {},
	command = join(projectFolder, 'scripts', 'start.mjs'),
): Demo {
	const child = spawn(process.execPath, [command, ...args], {
		env: { ...process.env, ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let text = '';
	child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
	let closed = false;
	child.once('close', () => (closed = true));
	const demo: Demo = {
		child,
		output: () => text,
		async ready() {
			await eventually(
				'npm start to be ready',
				() => {
					if (closed) throw new Error(`npm start ended:\n${text}`);
					return /^ {2}Stop /m.test(text) ? true : undefined;
				},
				290_000,
			);
			return parseReady(text);
		},
		async ended(withinMs = 60_000) {
			await eventually('npm start to end', () => (closed ? true : undefined), withinMs);
			return child.exitCode;
		},
	};
	startedDemos.push(demo);
	return demo;
}

function parseReady(text: string): Ready {
	const line = (label: string) => {
		const value = new RegExp(`^ {2}${label} +(\\S+)$`, 'm').exec(text)?.[1];
		if (value === undefined) throw new Error(`npm start printed no line "${label}":\n${text}`);
		return value;
	};
	const editor = line('Editor');
	const phone = line('Phone');
	return {
		phone,
		editor,
		email: line('Email'),
		password: line('Password'),
		n8nUrl: new URL(editor).origin,
		sandboxUrl: new URL(phone).origin,
		relayUrl: new URL(line('Relay')).origin,
		relayToken: line('Token'),
	};
}

/**
 * Reads a demo's state file.
 * @param folder its state folder
 */
export function readDemoMemory(folder: string): DemoMemory {
	return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as DemoMemory;
}

/** A process group in the lock file of `npm start`. */
export interface Group {
	readonly name: string;
	readonly group: number;
}

/**
 * Reads the process groups of a running `npm start` from its lock file.
 * @param folder its state folder
 * @returns none before it has started one
 */
export function readGroups(folder: string): Group[] {
	const file = join(folder, 'start.lock');
	if (!existsSync(file)) return [];
	const { groups = [] } = JSON.parse(readFileSync(file, 'utf8')) as { groups?: Group[] };
	return groups;
}

/** Lists the running processes of a group, without zombies. */
export function membersOf({ group }: Group): number[] {
	const table = existsSync('/proc/self/stat') ? linuxProcesses() : psProcesses();
	return table.filter((entry) => entry.group === group && !entry.state.startsWith('Z')).map(({ pid }) => pid);
}

interface ProcessEntry {
	readonly pid: number;
	readonly group: number;
	readonly state: string;
}

/** Slim containers have no ps. */
function linuxProcesses(): ProcessEntry[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.flatMap((name) => {
			try {
				const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
				const [state = '', , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
				return [{ pid: Number(name), group: Number(group), state }];
			} catch {
				return [];
			}
		});
}

function psProcesses(): ProcessEntry[] {
	return execFileSync('ps', ['-A', '-o', 'pid=,pgid=,stat='], { encoding: 'utf8' })
		.trim()
		.split('\n')
		.map((line) => {
			const [pid, group, state = ''] = line.trim().split(/\s+/);
			return { pid: Number(pid), group: Number(group), state };
		});
}
