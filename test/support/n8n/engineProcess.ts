import { join } from 'node:path';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { startRequestProcess } from '../requestProcess';
import type { NodeResult, NodeRun, ToolCall } from './engine';

const program = join(__dirname, 'engineChild.ts');

/** A request to an engine in a process of its own. */
export type EngineRequest =
	| { readonly kind: 'run'; readonly run: Omit<NodeRun, 'onStart' | 'beforeSecondRun'> }
	| { readonly kind: 'tool'; readonly calls: readonly ToolCall[]; readonly executionId: string }
	| { readonly kind: 'mcp'; readonly calls: readonly ToolCall[]; readonly inQueueMode: boolean };

/** n8n's own engine with our package, in a process of its own, such as a worker. It remembers nothing of the others. */
export interface EngineProcess {
	run(run: Extract<EngineRequest, { kind: 'run' }>['run']): Promise<NodeResult>;
	/** Lets an agent call the node as a tool, in the given execution. Returns the texts that it reads. */
	callTool(calls: readonly ToolCall[], executionId: string): Promise<string[]>;
	/** Lets an MCP client call the node as a tool, without an execution. */
	callMcp(calls: readonly ToolCall[]): Promise<string[]>;
	/** The same in queue mode, where each call has an execution of its own. */
	callMcpInQueueMode(calls: readonly ToolCall[]): Promise<string[]>;
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
	const { ask, kill } = await startRequestProcess(program, [JSON.stringify(credentials)]);
	// engineChild.ts responds with these types.
	const request = async <Result>(part: EngineRequest) => (await ask(part)) as Result;
	return {
		run: async (run) => await request<NodeResult>({ kind: 'run', run }),
		callTool: async (calls, executionId) => await request<string[]>({ kind: 'tool', calls, executionId }),
		callMcp: async (calls) => await request<string[]>({ kind: 'mcp', calls, inQueueMode: false }),
		callMcpInQueueMode: async (calls) => await request<string[]>({ kind: 'mcp', calls, inQueueMode: true }),
		kill,
	};
}
