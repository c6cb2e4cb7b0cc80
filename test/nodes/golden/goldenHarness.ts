import type { INodeCredentialTestResult, INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../../sandbox/server';
import { sandboxControl } from '../../support/sandboxControl';
import { steady, type Entry } from '../../support/golden';
import { startEngine, type Engine, type NodeResult, type NodeRun } from '../../support/n8n/engine';
import { nameOf, parametersOf } from './calls';

/** The credential that the node uses. */
interface Credential {
	baseUrl: string;
	apiKey: string;
	authHeader: string;
	/** `true` in a credential that faces a relay. */
	baseUrlIsRelay: string;
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
	const credential: Credential = {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.apiKey,
		authHeader: 'X-API-Key',
		baseUrlIsRelay: 'false',
	};
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

/** Texts that the editor shows after a run: its error, or the items that describe it. */
function shownBy({ error, outputs }: NodeResult): string[] {
	if (!error) return outputs.flatMap((items) => items.map(({ json }) => steady(JSON.stringify(json))));
	const item = error.context?.itemIndex === undefined ? '' : ` [item ${error.context.itemIndex}]`;
	return [steady(`${error.message}${item}`), steady(error.description ?? '(no description)')];
}
