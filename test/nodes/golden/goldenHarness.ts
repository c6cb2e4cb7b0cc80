import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../../sandbox/server';
import { sandboxControl } from '../../fixtures/sandboxControl';
import { startEngine, type Engine, type NodeRun } from '../engine';
import { nameOf, parametersOf } from './calls';
import { shownBy, steady, type Entry } from './table';

/** The credential that the node uses. */
interface Credential {
	baseUrl: string;
	apiKey: string;
	authHeader: string;
}

/** The node in its engine, a sandbox, and the recorded entries. */
export interface GoldenHarness {
	readonly sandbox: Sandbox;
	readonly control: ReturnType<typeof sandboxControl>;
	readonly engine: Engine;
	readonly entries: readonly Entry[];
	/** Runs an operation that fails, and records the texts that the user reads. */
	readonly record: (chapter: string, failure: string, id: string, more?: Recorded) => Promise<void>;
	/** Records texts that the user reads outside a run. */
	readonly note: (chapter: string, failure: string, where: string, ...shown: readonly string[]) => void;
	/** Changes the node's credential while a task runs. */
	readonly at: <T>(credential: Partial<Credential>, task: () => Promise<T>) => Promise<T>;
	/** Runs the credential test. */
	readonly testCredential: () => Promise<INodeCredentialTestResult>;
}

/** How to run an operation, and the place to record if it is not the operation's own name. */
export interface Recorded extends Omit<NodeRun, 'parameters'> {
	readonly parameters?: INodeParameters;
	readonly where?: string;
}

/** Starts the engine and a sandbox. */
export async function startHarness(): Promise<GoldenHarness> {
	const sandbox = await startSandbox({ clock: 'stopped' });
	const credential: Credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' };
	const messagingServiceApi: Record<string, string> = { ...credential };
	const engine = await startEngine({ messagingServiceApi });
	const entries: Entry[] = [];
	const note: GoldenHarness['note'] = (chapter, failure, where, ...shown) => {
		entries.push({ chapter, failure, where, shown: shown.map(steady) });
	};
	return {
		sandbox,
		control: sandboxControl(sandbox),
		engine,
		entries,
		note,
		record: async (chapter, failure, id, { parameters, where = nameOf(id), ...more } = {}) => {
			const result = await engine.run({ parameters: parametersOf(id, parameters), ...more });
			note(chapter, failure, where, ...shownBy(result));
		},
		at: async (elsewhere, task) => {
			Object.assign(messagingServiceApi, elsewhere);
			try {
				return await task();
			} finally {
				Object.assign(messagingServiceApi, credential);
			}
		},
		testCredential: async () => await engine.testCredential('messagingServiceApi', { ...messagingServiceApi }),
	};
}
