import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../../sandbox/server';
import { sandboxControl } from '../../fixtures/sandboxControl';
import { startEngine, type Engine, type NodeRun } from '../engine';
import { nameOf, parametersOf } from './calls';
import { shownBy, steady, type Entry } from './table';

/** Where the node is pointed at. */
interface Credential {
	baseUrl: string;
	apiKey: string;
	authHeader: string;
}

/** The node in its engine, a sandbox, and what was written down of them. */
export interface GoldenHarness {
	readonly sandbox: Sandbox;
	readonly control: ReturnType<typeof sandboxControl>;
	readonly engine: Engine;
	readonly entries: readonly Entry[];
	/** Runs an operation where something goes wrong, and writes down what the user reads. */
	readonly record: (chapter: string, failure: string, id: string, more?: Recorded) => Promise<void>;
	/** Writes down what the user reads elsewhere than in a run. */
	readonly note: (chapter: string, failure: string, where: string, ...shown: readonly string[]) => void;
	/** Points the node elsewhere while something is done. */
	readonly at: <T>(credential: Partial<Credential>, doing: () => Promise<T>) => Promise<T>;
	/** What the dialog of the credential says. */
	readonly testCredential: () => Promise<INodeCredentialTestResult>;
}

/** How an operation is run; where it is said to stand, if not under its own name. */
export interface Recorded extends Omit<NodeRun, 'parameters'> {
	readonly parameters?: INodeParameters;
	readonly where?: string;
}

/** Starts the world. */
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
		at: async (elsewhere, doing) => {
			Object.assign(messagingServiceApi, elsewhere);
			try {
				return await doing();
			} finally {
				Object.assign(messagingServiceApi, credential);
			}
		},
		testCredential: async () => await engine.testCredential('messagingServiceApi', { ...messagingServiceApi }),
	};
}
