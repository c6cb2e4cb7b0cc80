import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { requireOutside } from '../atFileEnd';

const program = join(__dirname, 'runN8n.mjs');

/** Reserves a port for as long as the jest worker runs, so that no other file takes it while n8n is away. */
export const { reservePort } = requireOutside(
	join(__dirname, '..', '..', '..', 'scripts', 'lib', 'process', 'free-port.mjs'),
) as typeof import('../../../scripts/lib/process/free-port.mjs');

/** The access to a running n8n. */
export const n8nAccess = z.object({
	url: z.string(),
	port: z.int(),
	/** The leader of its process group. */
	pid: z.int(),
	apiKey: z.string(),
	email: z.string(),
	password: z.string(),
});

export type N8nAccess = z.output<typeof n8nAccess>;

/** A running n8n with the package. */
export interface N8nServer extends N8nAccess {
	/** Sends SIGTERM, and waits until it has ended. */
	readonly stop: () => Promise<void>;
	/** Sends SIGKILL to it and its children, as a power cut would, and waits until they have ended. */
	readonly kill: () => Promise<void>;
	/** Its output since this start. */
	readonly log: () => string;
}

/** What a start of n8n may choose. */
export interface N8nOptions {
	/** The port of an earlier start. Default: a free one. */
	readonly port?: number;
	/** Variables of n8n's environment. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Folder of an installed n8n. Default: the one of `npm start`. */
	readonly installed?: string;
}

/**
 * Starts n8n and waits until it is ready. It ends with this process. Only tests that stop it or need settings of their own
 * do so. The others share one (`sharedN8n.ts`).
 * @param folder keeps its database between starts. The first start builds and installs the package
 */
export async function startN8nServer(folder: string, options: N8nOptions = {}): Promise<N8nServer> {
	const { host, access } = await spawnN8n(folder, options);
	const end = async (pid: number, signal: NodeJS.Signals) => {
		if (host.exitCode !== null || host.signalCode !== null) return;
		const ended = once(host, 'exit');
		process.kill(pid, signal);
		await ended;
	};
	return {
		...access,
		stop: async () => await end(access.pid, 'SIGTERM'),
		kill: async () => await end(-access.pid, 'SIGKILL'),
		log: () => {
			const newest = readdirSync(folder)
				.filter((name) => /^n8n-\d+\.log$/.test(name))
				.sort()
				.at(-1);
			return newest === undefined ? '' : readFileSync(join(folder, newest), 'utf8');
		},
	};
}

/**
 * Starts the program that runs n8n, and waits until n8n is ready.
 * @returns `host`: the program, which ends n8n when its standard input closes
 */
export async function spawnN8n(
	folder: string,
	{ port, settings = {}, installed }: N8nOptions,
): Promise<{ readonly host: ChildProcess; readonly access: N8nAccess }> {
	// The ports of npm start and of the other tests begin elsewhere.
	const args = [program, folder, JSON.stringify(settings), String(port ?? (await reservePort(4_500)))];
	const env = { ...process.env, ...(installed !== undefined && { TEST_N8N: installed }) };
	const host = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
	return { host, access: n8nAccess.parse(JSON.parse(await firstLine(host))) };
}

async function firstLine(host: ChildProcess): Promise<string> {
	let [output, errors] = ['', ''];
	host.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	return await new Promise((resolve, reject) => {
		host.stdout?.on('data', (chunk: Buffer) => {
			output += chunk.toString();
			if (output.includes('\n')) resolve(output.slice(0, output.indexOf('\n')));
		});
		host.once('close', (code) => reject(new Error(`n8n ended with ${code} before it was ready: ${errors}`)));
	});
}
