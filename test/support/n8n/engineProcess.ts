import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { NodeResult, NodeRun, ToolCall } from './engine';

const program = join(__dirname, 'engineChild.ts');

/** A request to an engine in a process of its own. */
export type EngineRequest =
	| { readonly kind: 'run'; readonly run: Omit<NodeRun, 'onStart' | 'beforeSecondRun'> }
	| { readonly kind: 'tool'; readonly calls: readonly ToolCall[]; readonly executionId: string }
	| { readonly kind: 'mcp'; readonly calls: readonly ToolCall[] };

/** A request with its number, and its result with the same number. */
export interface Numbered<Part> {
	readonly number: number;
	readonly part: Part;
}

/** n8n's own engine with our package, in a process of its own, such as a worker. It remembers nothing of the others. */
export interface EngineProcess {
	run(run: Extract<EngineRequest, { kind: 'run' }>['run']): Promise<NodeResult>;
	/** Lets an agent call the node as a tool, in the given execution. Returns the texts that it reads. */
	callTool(calls: readonly ToolCall[], executionId: string): Promise<string[]>;
	/** Lets an MCP client call the node as a tool, without an execution. */
	callMcp(calls: readonly ToolCall[]): Promise<string[]>;
	/** Ends it as a power cut would. */
	kill(): Promise<void>;
}

/**
 * Starts the process.
 * @param credentials decrypted credentials by type
 */
export async function startEngineProcess(
	credentials: Record<string, ICredentialDataDecryptedObject>,
): Promise<EngineProcess> {
	const child = fork(program, [JSON.stringify(credentials)], {
		execArgv: ['--disable-warning=ExperimentalWarning', '--import', 'tsx'],
		env: { ...process.env, NODE_OPTIONS: '' },
	});
	const waiting = new Map<number, (result: unknown) => void>();
	child.on('message', ({ number, part }: Numbered<unknown>) => waiting.get(number)?.(part));
	const kill = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, 'exit');
		child.kill('SIGKILL');
		await ended;
	};
	process.once('exit', () => child.kill('SIGKILL'));
	let count = 0;
	const ask = async <Result>(part: EngineRequest): Promise<Result> => {
		const number = ++count;
		return await new Promise<Result>((resolve, reject) => {
			const lost = () => reject(new Error('The process of the engine has ended'));
			child.once('exit', lost);
			waiting.set(number, (result) => {
				child.off('exit', lost);
				resolve(result as Result);
			});
			child.send({ number, part });
		});
	};
	await new Promise<void>((resolve, reject) => {
		waiting.set(0, () => resolve());
		child.once('exit', () => reject(new Error('The process of the engine did not start')));
	});
	return {
		run: async (run) => await ask<NodeResult>({ kind: 'run', run }),
		callTool: async (calls, executionId) => await ask<string[]>({ kind: 'tool', calls, executionId }),
		callMcp: async (calls) => await ask<string[]>({ kind: 'mcp', calls }),
		kill,
	};
}
