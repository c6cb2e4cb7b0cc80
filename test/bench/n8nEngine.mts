import 'reflect-metadata';
import { Container } from '@n8n/di';
import {
	Cipher,
	Credentials,
	EncryptionKeyProxy,
	ExecutionLifecycleHooks,
	PackageDirectoryLoader,
	WorkflowExecute,
} from 'n8n-core';
import {
	ICredentialsHelper,
	isExpression,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IVersionedNodeType,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { createRequire } from 'node:module';
import { getHeapStatistics } from 'node:v8';
import { z } from 'zod/v4';

/**
 * n8n's engine in a separate process, with our package and n8n's HTTP Request and Twilio nodes. At each order of its parent,
 * it runs one node with the given number of items and reports the time. Arguments: folder of our package, base URL of the
 * service. Bundled next to a `node_modules` with one n8n-core and one n8n-workflow for all nodes.
 */
const [packageFolder = '', baseUrl = ''] = process.argv.slice(2);

const runOrder = z.object({
	node: z.enum(['send', 'sendBulk', 'httpRequest', 'twilio']),
	count: z.number(),
	/** Options of the node. */
	options: z.record(z.string(), z.json()),
});

/** The cost of a run. */
export const runReport = z.object({
	ms: z.number(),
	/** Processor time of the engine's process, in milliseconds. */
	processorMs: z.number(),
	/** The most heap in use during the run, in megabytes. */
	heapMb: z.number(),
	/** The most resident memory since the process started, in megabytes. */
	rssMb: z.number(),
});

/** Passes the items to the measured node. */
class Items implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Items',
		name: 'items',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Items' },
		inputs: [],
		outputs: ['main'],
		properties: [],
	};

	items: INodeExecutionData[] = [];

	execute = (): Promise<INodeExecutionData[][]> => Promise.resolve([this.items]);
}

const SMS_NODE = 'n8n-nodes-messaging-service.messagingService';
const API_KEY = 'sk_bench';
const credentialData: Record<string, ICredentialDataDecryptedObject> = {
	messagingServiceApi: { apiKey: API_KEY, baseUrl, authHeader: 'X-API-Key' },
	httpHeaderAuth: { name: 'X-API-Key', value: API_KEY },
	twilioApi: { authType: 'authToken', accountSid: 'AC0', authToken: 'token' },
};

/** Decrypts a credential each time and resolves its expressions, as n8n's server does, but without a database. */
class StoredCredentials extends ICredentialsHelper {
	constructor(
		private readonly stored: ReadonlyMap<string, string>,
		private readonly types: ReadonlyMap<string, ICredentialType>,
	) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getCredentials = () => Promise.reject(new Error('not used'));
	preAuthentication = () => Promise.resolve(undefined);
	runPreAuthentication = () => Promise.resolve(undefined);
	updateCredentials = () => Promise.resolve();
	updateCredentialsOauthTokenData = () => Promise.resolve();
	getCredentialsProperties = (type: string) => this.types.get(type)?.properties ?? [];

	getDecrypted = async (_: unknown, details: INodeCredentialsDetails, type: string) =>
		await new Credentials({ id: details.id, name: details.name }, type, this.stored.get(type)).getData();

	authenticate = (
		$credentials: ICredentialDataDecryptedObject,
		type: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	) => {
		const authenticate = this.types.get(type)?.authenticate;
		if (typeof authenticate === 'function') return authenticate($credentials, options);
		if (typeof authenticate !== 'object') throw new Error(`${type} does not authenticate generically`);
		const resolve = (value: unknown): string =>
			isExpression(value)
				? String(workflow.expression.getSimpleParameterValue(node, value, 'internal', { $credentials }, undefined, ''))
				: String(value);
		const resolved = Object.entries(authenticate.properties).map(([place, values]) => {
			const pairs = Object.entries(Object(values) as IDataObject).map(([key, value]) => [resolve(key), resolve(value)]);
			const given: unknown = Reflect.get(options, place);
			return [place, { ...Object(given), ...(Object.fromEntries(pairs) as IDataObject) } as unknown] as const;
		});
		return Promise.resolve({ ...options, ...Object.fromEntries(resolved) });
	};
}

const items = new Items();

interface Loaded {
	readonly nodeTypes: INodeTypes;
	readonly credentialsHelper: ICredentialsHelper;
}

/** Loads our package as n8n does. From n8n's base package, which is very large, it loads only the measured nodes. */
async function load(): Promise<Loaded> {
	const loader = new PackageDirectoryLoader(packageFolder);
	await loader.loadAll();
	const ourNode = loader.nodeTypes.messagingService?.type;
	if (!ourNode) throw new Error('The package has no node');
	const requireBase = createRequire(`${packageFolder}/package.json`);
	const base = (file: string, name: string): unknown => {
		const loaded = requireBase(`n8n-nodes-base/dist/${file}.js`) as Record<string, new () => unknown>;
		const Class = loaded[name];
		if (!Class) throw new Error(`n8n-nodes-base has no ${name}`);
		return new Class();
	};
	const types: Record<string, INodeType | IVersionedNodeType> = {
		'bench.items': items,
		[SMS_NODE]: ourNode,
		'n8n-nodes-base.httpRequest': base('nodes/HttpRequest/HttpRequest.node', 'HttpRequest') as IVersionedNodeType,
		'n8n-nodes-base.twilio': base('nodes/Twilio/Twilio.node', 'Twilio') as INodeType,
	};
	const known = (name: string) => {
		const type = types[name];
		if (!type) throw new Error(`Unknown node type ${name}`);
		return type;
	};
	const credentialTypes = new Map([
		['messagingServiceApi', loader.getCredential('messagingServiceApi').type],
		['twilioApi', base('credentials/TwilioApi.credentials', 'TwilioApi') as ICredentialType],
	]);
	const key = {
		id: 'bench',
		value: Container.get(Cipher).encryptDEKWithInstanceKey(String(process.env.N8N_ENCRYPTION_KEY)),
		algorithm: 'aes-256-cbc',
		format: 'no-prefix' as const,
	};
	const giveKey = () => Promise.resolve(key);
	Container.get(EncryptionKeyProxy).setProvider({ getActiveKey: giveKey, getKeyById: giveKey, getLegacyKey: giveKey });
	const stored = new Map<string, string>();
	for (const [type, data] of Object.entries(credentialData)) {
		const credentials = new Credentials({ id: type, name: type }, type);
		await credentials.setData(data);
		stored.set(type, String(credentials.getDataToSave().data));
	}
	return {
		nodeTypes: {
			getByName: known,
			getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(known(name), version),
			getKnownTypes: () => ({}),
		},
		credentialsHelper: new StoredCredentials(stored, credentialTypes),
	};
}

const MESSAGE = '=Hello {{ $json.name }}, we are open 8 am to 6 pm.';
const PHONE = '={{ $json.phone }}';

function nodeOf(name: z.infer<typeof runOrder>['node'], options: INodeParameters): Partial<INode> {
	switch (name) {
		case 'send':
			return {
				type: SMS_NODE,
				parameters: {
					resource: 'sms',
					operation: 'send',
					senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
					to: { __rl: true, mode: 'phone', value: PHONE },
					message: MESSAGE,
					options,
				},
			};
		case 'sendBulk':
			return {
				type: SMS_NODE,
				parameters: {
					resource: 'sms',
					operation: 'sendBulk',
					senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
					to: PHONE,
					message: 'We are open 8 am to 6 pm.',
					options,
				},
			};
		case 'httpRequest':
			return {
				type: 'n8n-nodes-base.httpRequest',
				parameters: {
					method: 'POST',
					url: `${baseUrl}sms/send`,
					authentication: 'genericCredentialType',
					genericAuthType: 'httpHeaderAuth',
					sendBody: true,
					bodyParameters: {
						parameters: [
							{ name: 'to', value: PHONE },
							{ name: 'sender_id', value: 'KOFISHOP' },
							{ name: 'message', value: MESSAGE },
						],
					},
					options,
				},
			};
		case 'twilio':
			return {
				type: 'n8n-nodes-base.twilio',
				parameters: {
					resource: 'sms',
					operation: 'send',
					from: '+15005550006',
					to: PHONE,
					message: MESSAGE,
					options,
				},
			};
	}
}

function additionalData(credentialsHelper: ICredentialsHelper): IWorkflowExecuteAdditionalData {
	const url = 'http://localhost';
	const notUsed = () => Promise.reject(new Error('not used'));
	return {
		credentialsHelper,
		currentNodeExecutionIndex: 0,
		restApiUrl: `${url}/rest`,
		instanceBaseUrl: url,
		formWaitingBaseUrl: `${url}/form-waiting`,
		webhookBaseUrl: `${url}/webhook`,
		webhookWaitingBaseUrl: `${url}/webhook-waiting`,
		webhookTestBaseUrl: `${url}/webhook-test`,
		variables: {},
		executeWorkflow: notUsed,
		getRunExecutionData: () => Promise.resolve(undefined),
		logAiEvent: () => undefined,
		setExecutionStatus: () => undefined,
		startRunnerTask: notUsed,
	} as unknown as IWorkflowExecuteAdditionalData;
}

const phoneOf = (index: number) => `+23324${String(index).padStart(7, '0')}`;
let executions = 0;

async function measure(
	{ nodeTypes, credentialsHelper }: Loaded,
	{ node, count, options }: z.infer<typeof runOrder>,
): Promise<z.infer<typeof runReport>> {
	items.items = Array.from({ length: count }, (_, index) => ({
		json: { phone: phoneOf(index), name: `Ama ${index}` },
		pairedItem: { item: 0 },
	}));
	const { type = '', parameters = {} } = nodeOf(node, options as INodeParameters);
	const nodeType = nodeTypes.getByNameAndVersion(type);
	const version = nodeType.description.version;
	const credentials = Object.fromEntries(
		Object.keys(credentialData).map((key) => [key, { id: key, name: key }] as const),
	);
	const nodes: INode[] = [
		{ id: 'Items', name: 'Items', type: 'bench.items', typeVersion: 1, position: [0, 0], parameters: {} },
		{
			id: 'Node',
			name: 'Node',
			type,
			typeVersion: Array.isArray(version) ? Math.max(...version) : version,
			position: [0, 0],
			parameters,
			credentials,
		},
	];
	const connections = { Items: { main: [[{ node: 'Node', type: 'main' as const, index: 0 }]] } };
	const settings = { executionOrder: 'v1' as const };
	const workflow = new Workflow({ id: 'w1', nodes, connections, active: true, nodeTypes, settings });
	const executionId = `bench-${++executions}`;
	const hooks = new ExecutionLifecycleHooks('trigger', executionId, {
		id: 'w1',
		name: 'bench',
		nodes,
		connections,
		active: true,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	});
	globalThis.gc?.();
	let heap = 0;
	// Opens no file: a node that sends all items at the same time may use all file handles of the process.
	const sample = () => {
		heap = Math.max(heap, getHeapStatistics().used_heap_size);
	};
	const watch = setInterval(sample, 50);
	const cpuBefore = process.cpuUsage();
	const began = performance.now();
	await workflow.expression.acquireIsolate();
	const engine = new WorkflowExecute({ ...additionalData(credentialsHelper), hooks, executionId }, 'trigger');
	const run = await engine.run({ workflow, startNode: nodes[0] });
	await workflow.expression.releaseIsolate();
	const ms = performance.now() - began;
	const { user, system } = process.cpuUsage(cpuBefore);
	sample();
	clearInterval(watch);
	const { error, runData } = run.data.resultData;
	if (error) throw new Error(`${node}: ${error.message}`);
	const rows = runData.Node?.[0]?.data?.main?.[0] ?? [];
	const idOf = ({ json }: INodeExecutionData) => json.message_id ?? json.sid ?? json.to;
	const misplaced = rows.findIndex((row, index) => idOf(row) !== phoneOf(index));
	if (rows.length !== count || misplaced >= 0) {
		throw new Error(`${node}: ${rows.length} rows; row ${misplaced}: ${JSON.stringify(rows[misplaced])}`);
	}
	return { ms, processorMs: (user + system) / 1000, heapMb: heap / 1e6, rssMb: process.resourceUsage().maxRSS / 1e3 };
}

void load().then((loaded) => {
	process.on('message', (message) => {
		void measure(loaded, runOrder.parse(message)).then(
			(report) => process.send?.(report),
			(error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
		);
	});
	process.send?.('ready');
});
