import type { INodeParameters, WorkflowActivateMode } from 'n8n-workflow';
import { stubRelay, type StubRelay, type StubSubscription } from '../stubRelay';
import type { CredentialData } from './loadedPackage';
import { serveTrigger, type ServedTrigger, type ServeOptions } from './serveTrigger';
import { startTriggerEngine, type HookCall, type TriggerEngine, type TriggerIdentity } from './triggerEngine';

/** A token that the stub knows. */
export const RELAY_TOKEN = 'rly_token_for_tests';

/** A trigger that receives through a relay, with the parts of n8n that register it. */
export interface RelayedTrigger extends AsyncDisposable {
	readonly engine: TriggerEngine;
	readonly served: ServedTrigger;
	/** As n8n does: checkExists, then create if that returns false. */
	readonly activate: (activation?: WorkflowActivateMode) => Promise<void>;
	/** As n8n does before it publishes a changed workflow, and when a user deactivates one. */
	readonly deactivate: () => Promise<void>;
	/** n8n goes away without calling the trigger. Its webhooks respond 404 until {@link activate}. */
	readonly stop: () => void;
	/** Starts to listen in the editor. */
	readonly listen: () => Promise<void>;
	/** Ends listening, as n8n does after the first event. */
	readonly endTest: () => Promise<void>;
	/** The registration of the published workflow. */
	readonly registered: () => StubSubscription | undefined;
	/** The registration of the test in the editor. */
	readonly registeredTest: () => StubSubscription | undefined;
}

/** What a test of a relayed trigger can choose. */
export interface RelayedOptions {
	readonly parameters?: INodeParameters;
	readonly credentials?: CredentialData;
	readonly identity?: TriggerIdentity;
	readonly serve?: ServeOptions;
	/** Default: the address of the relay. */
	readonly relayUrl?: string;
	/** Default: {@link RELAY_TOKEN}. */
	readonly relayToken?: string;
}

/** A relay: the stub, or one of which only the address is known. */
export type AnyRelay = Pick<StubRelay, 'url'> & Partial<Pick<StubRelay, 'subscriptions'>>;

/** Starts a relay that knows {@link RELAY_TOKEN}. */
export async function startRelay(): Promise<StubRelay> {
	return await stubRelay(RELAY_TOKEN);
}

/** Serves a trigger whose credential has the address of a relay. */
export async function relayedTrigger(relay: AnyRelay, options: RelayedOptions = {}): Promise<RelayedTrigger> {
	const { parameters = {}, credentials = {}, identity, serve } = options;
	const { relayUrl = relay.url, relayToken = RELAY_TOKEN } = options;
	const engine = await startTriggerEngine(
		{ messagingServiceRelayApi: { relayUrl, relayToken }, ...credentials },
		{ triggerOn: ['inboundSms'], ...parameters },
		identity,
	);
	const active = { webhook: false, 'webhook-test': false };
	const isActive = (path: string) => active[path.startsWith('/webhook-test/') ? 'webhook-test' : 'webhook'];
	const served = await serveTrigger(engine, '', { isActive, ...serve });
	const call = (more: Omit<HookCall, 'origin'>): HookCall => ({ origin: served.origin, ...more });
	const createIfMissing = async (how: HookCall) => {
		if (!(await engine.hook('checkExists', how))) await engine.hook('create', how);
	};
	const find = (isTest: boolean) =>
		[...(relay.subscriptions?.values() ?? [])].find(
			({ reference }) => reference.includes(`/${engine.path.slice(0, -1)}`) && reference.endsWith('/test') === isTest,
		);
	return {
		engine,
		served,
		activate: async (activation = 'activate') => {
			active.webhook = true;
			await createIfMissing(call({ mode: 'trigger', activation }));
		},
		deactivate: async () => {
			await engine.hook('delete', call({ mode: 'internal', activation: 'update' }));
			active.webhook = false;
		},
		stop: () => {
			active.webhook = false;
		},
		listen: async () => {
			active['webhook-test'] = true;
			await createIfMissing(call({ mode: 'manual', activation: 'manual', isTest: true }));
		},
		endTest: async () => {
			await engine.hook('delete', call({ mode: 'internal', activation: 'update', isTest: true }));
			active['webhook-test'] = false;
		},
		registered: () => find(false),
		registeredTest: () => find(true),
		[Symbol.asyncDispose]: async () => await served[Symbol.asyncDispose](),
	};
}
