import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';
import { gatewayEnv } from '../relay/gateway';
import { startRelay, type Relay } from '../relay/relay';
import { useSandbox, type UsedSandbox } from '../useSandbox';
import { startEngine, type Engine, type NodeResult, type NodeRun } from './engine';
import { startEngineProcess, type EngineProcess } from './engineProcess';

/** A row of the node. */
export type Row = Readonly<Record<string, unknown>>;

/** Engines in two processes that send through one relay to a sandbox. They exist while the tests of the file run. */
export interface RelayedEngines extends UsedSandbox {
	readonly relay: Relay;
	/** In the process of the tests. */
	readonly engine: Engine;
	/** In another process. */
	readonly other: EngineProcess;
	/** The credential of both. */
	readonly credential: ICredentialDataDecryptedObject;
	/** Starts an engine whose credential differs in some fields. */
	readonly engineWith: (more: ICredentialDataDecryptedObject) => Promise<Engine>;
	/** Runs the node in the first engine, and expects no error. @returns its rows */
	readonly rows: (run: NodeRun) => Promise<Row[]>;
	/** The same in the other process. */
	readonly rowsElsewhere: (run: Omit<NodeRun, 'onStart' | 'beforeSecondRun'>) => Promise<Row[]>;
	/** The accepted messages, as recipient and text, sorted. */
	readonly charged: () => Promise<string[]>;
	/** IDs of the sends that the relay lists as unknown, newest first. */
	readonly unknownSends: () => Promise<string[]>;
	/** Settles a send, as a person does on the page of the relay. */
	readonly settle: (id: string, outcome: 'arrived' | 'send_again') => Promise<void>;
}

/** The parameters of an SMS whose recipient and text are in each item. */
export function smsParameters(more: INodeParameters = {}, options: INodeParameters = {}): INodeParameters {
	return {
		resource: 'sms',
		operation: 'send',
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: '={{ $json.to }}',
		message: '={{ $json.text }}',
		options,
		...more,
	};
}

/** The options of a message whose Send Once Key is in each item. */
export const KEYED = { sendOnceKey: '={{ $json.key }}' };

let count = 0;

/** A text that no other test has, because the relay remembers the keys of all tests. */
export function fresh(text: string): string {
	return `${text} ${++count}`;
}

/**
 * The rows on the first output of the node.
 * @throws Error with the text of the error in which the run ended
 */
export function rowsOf({ outputs, error }: Pick<NodeResult, 'outputs' | 'error'>): Row[] {
	if (error) throw new Error(`The run ended in an error: ${error.message}. ${error.description ?? ''}`);
	return (outputs[0] ?? []).map(({ json }) => json);
}

/** Starts all of it before the tests of the calling file, and stops it after the last one. Call it at the top of the file. */
export function useRelayedEngines(): RelayedEngines {
	const { sandbox, control } = useSandbox();
	let started: Pick<RelayedEngines, 'relay' | 'engine' | 'other' | 'credential'> | undefined;
	const running = () => {
		if (!started) throw new Error('the relay starts with the first test of the file');
		return started;
	};
	beforeAll(async () => {
		const relay = await startRelay({ env: gatewayEnv(sandbox.baseUrl) });
		const credential = {
			baseUrl: `${relay.url}/api/v1/`,
			apiKey: sandbox.apiKey,
			authHeader: 'X-API-Key',
			baseUrlIsRelay: true,
			privateOverHttp: false,
		};
		const credentials = { messagingServiceApi: credential };
		const [engine, other] = await Promise.all([startEngine(credentials), startEngineProcess(credentials)]);
		started = { relay, engine, other, credential };
	}, 120_000);
	afterAll(async () => await Promise.all([started?.relay.stop(), started?.other.kill()]));
	return {
		sandbox,
		control,
		get relay() {
			return running().relay;
		},
		get engine() {
			return running().engine;
		},
		get other() {
			return running().other;
		},
		get credential() {
			return running().credential;
		},
		engineWith: async (more) => await startEngine({ messagingServiceApi: { ...running().credential, ...more } }),
		rows: async (run) => rowsOf(await running().engine.run(run)),
		rowsElsewhere: async (run) => rowsOf(await running().other.run(run)),
		charged: async () => (await control.messages()).map(({ to, message }) => `${to} ${message}`).sort(),
		unknownSends: async () => {
			const listed: unknown = await (await running().relay.api('GET', '/v1/sends?state=unknown')).json();
			const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(listed);
			return data.map(({ id }) => id);
		},
		settle: async (id, outcome) => {
			expect((await running().relay.api('POST', `/v1/sends/${id}/settle`, { outcome })).ok).toBe(true);
		},
	};
}
