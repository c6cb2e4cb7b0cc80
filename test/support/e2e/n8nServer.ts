import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

const program = join(__dirname, 'runN8n.mjs');

const ready = z.object({
	url: z.string(),
	port: z.int(),
	/** The leader of its process group. */
	pid: z.int(),
	apiKey: z.string(),
	email: z.string(),
	password: z.string(),
});

/** A running n8n with the package. */
export interface N8nServer extends z.output<typeof ready> {
	/** Sends SIGTERM, and waits until it has ended. */
	readonly stop: () => Promise<void>;
	/** Sends SIGKILL to it and its children, as a power cut would, and waits until they have ended. */
	readonly kill: () => Promise<void>;
	/** Its output since this start. */
	readonly log: () => string;
}

/**
 * Starts n8n and waits until it is ready. It ends with this process.
 * @param folder keeps its database between starts. The first start builds and installs the package
 * @param port the port of an earlier start. Default: a free one
 * @param settings variables of n8n's environment
 * @param installed folder of an installed n8n. Default: the one of `npm start`
 */
export async function startN8nServer(
	folder: string,
	port?: number,
	settings: Readonly<Record<string, string>> = {},
	installed?: string,
): Promise<N8nServer> {
	const args = [program, folder, JSON.stringify(settings), ...(port === undefined ? [] : [String(port)])];
	const env = { ...process.env, ...(installed !== undefined && { TEST_N8N: installed }) };
	const host = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
	const started = ready.parse(JSON.parse(await firstLine(host)));
	const end = async (pid: number, signal: NodeJS.Signals) => {
		if (host.exitCode !== null || host.signalCode !== null) return;
		const ended = once(host, 'exit');
		process.kill(pid, signal);
		await ended;
	};
	return {
		...started,
		stop: async () => await end(started.pid, 'SIGTERM'),
		kill: async () => await end(-started.pid, 'SIGKILL'),
		log: () => {
			const newest = readdirSync(folder)
				.filter((name) => /^n8n-\d+\.log$/.test(name))
				.sort()
				.at(-1);
			return newest === undefined ? '' : readFileSync(join(folder, newest), 'utf8');
		},
	};
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
