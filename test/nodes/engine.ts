import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Read by n8n-core while it loads.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_ENCRYPTION_KEY = 'engine-tests';
process.env.N8N_LOG_LEVEL = 'silent';

import {
	CredentialTestContext,
	ExecutionLifecycleHooks,
	HookContext,
	LoadOptionsContext,
	PackageDirectoryLoader,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	ICredentialsHelper,
	NodeHelpers,
	Workflow,
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IVersionedNodeType,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

const PACKAGE = 'n8n-nodes-messaging-service';
const root = join(__dirname, '..', '..');

/** Gives the items of the test to the node under test. */
class Items implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Items',
		name: 'items',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'Items' },
		inputs: [],
		outputs: ['main', 'main'],
		properties: [],
	};

	items: INodeExecutionData[] = [];
	secondItems: INodeExecutionData[] = [];

	// The engine binds execute() to its own context, not to this node.
	execute = (): Promise<INodeExecutionData[][]> => Promise.resolve([this.items, this.secondItems]);
}

/** Calls the node under test as an agent calls a tool. */
class Agent implements INodeType {
	description: INodeType['description'] = {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: { name: 'Agent' },
		inputs: ['main', 'ai_tool'],
		outputs: ['main'],
		properties: [],
	};

	calls: ToolCall[] = [];
	answers: string[] = [];
	parallel = false;

	execute: INodeType['execute'];

	constructor() {
		const fetchTool = async (context: IExecuteFunctions, itemIndex: number) => {
			const [tool] = (await context.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
			if (!tool) throw new Error('No tool is connected');
			return tool;
		};
		const calls = () => this.calls;
		const answer = (answers: string[]) => (this.answers = answers);
		const parallel = () => this.parallel;
		// Each call fetches its tool by itself, as n8n's agent does for the items of a batch.
		this.execute = async function (this: IExecuteFunctions) {
			const invoke = async (call: ToolCall, index: number) => {
				const tool = await fetchTool(this, index);
				return await tool.invoke(call).catch((error: unknown) => `thrown: ${String(error)}`);
			};
			const answers: Array<Promise<string>> = [];
			for (const [index, call] of calls().entries()) {
				const answering = invoke(call, index);
				if (!parallel()) await answering;
				answers.push(answering);
			}
			answer(await Promise.all(answers));
			return [[{ json: {} }]];
		};
	}
}

/** What an agent fills in. */
export interface ToolCall {
	readonly to: string;
	readonly message: string;
}

interface Tool {
	invoke(call: ToolCall): Promise<string>;
}

/** How the node under test is set up and what it is given. */
export interface NodeRun {
	readonly parameters: INodeParameters;
	readonly items?: ReadonlyArray<Record<string, unknown>>;
	/** Given to the node in a second run of it, in the same execution. */
	readonly secondItems?: ReadonlyArray<Record<string, unknown>>;
	/** Parameters of a second node of the same type, behind the first. */
	readonly then?: INodeParameters;
	/** Settings of the node: onError, retryOnFail, maxTries, waitBetweenTries. */
	readonly settings?: Partial<INode>;
	/** Id of the execution; a new one unless given. */
	readonly executionId?: string;
	/** Called with what cancels the execution. */
	readonly onStart?: (cancel: () => void) => void;
}

/** What became of a run. */
export interface NodeResult {
	readonly status: IRun['status'];
	readonly error: { message: string; description?: string | null; context?: { itemIndex?: number } } | undefined;
	/** Output 0 and, with On Error set to the error output, output 1. */
	readonly outputs: INodeExecutionData[][];
}

/** n8n's own engine with our package in it, loaded from dist/ as n8n loads it. */
export interface Engine {
	run(run: NodeRun): Promise<NodeResult>;
	/** Lets an agent call the node as a tool; gives what the agent reads. */
	callTool(calls: readonly ToolCall[], settings?: Partial<INode>, order?: 'parallel'): Promise<string[]>;
	searchSenderIds(filter?: string): Promise<INodeListSearchResult>;
	testCredential(type: string, data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult>;
	/** Calls the trigger's webhook; `answer` is what the caller would get. */
	post(request: WebhookPost): Promise<{ result: IWebhookResponseData; answer: { status?: number; body?: unknown } }>;
	/** Runs the trigger's check at activation. */
	activateTrigger(): Promise<boolean>;
}

/** One call of the trigger's webhook, its body already parsed as n8n's server does. */
export interface WebhookPost {
	readonly secret: string;
	readonly contentType: string;
	readonly body: unknown;
}

let executions = 0;

/**
 * Loads the package into an engine.
 * @param credentials decrypted credentials by type
 */
export async function startEngine(credentials: Record<string, ICredentialDataDecryptedObject>): Promise<Engine> {
	const loader = new PackageDirectoryLoader(root);
	await loader.loadAll();
	const source = new Items();
	const agent = new Agent();
	const types: Record<string, INodeType | IVersionedNodeType> = { 'test.items': source, 'test.agent': agent };
	for (const [name, { type }] of Object.entries(loader.nodeTypes)) types[`${PACKAGE}.${name}`] = type;
	types[`${PACKAGE}.messagingServiceTool`] = asTool(types[`${PACKAGE}.messagingService`]);
	const nodeTypes: INodeTypes = {
		getByName: (name) => known(types, name),
		getByNameAndVersion: (name, version) => NodeHelpers.getVersionedNodeType(known(types, name), version),
		getKnownTypes: () => ({}),
	};
	const credentialType = (name: string): ICredentialType => loader.getCredential(name).type;
	const helper = new Credentials(credentials, credentialType);
	const node = (name: string, type: string, parameters: INodeParameters, settings: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: Object.fromEntries(Object.keys(credentials).map((key) => [key, { id: '1', name: key }])),
		...settings,
	});
	const workflowOf = (nodes: INode[], connections: Workflow['connectionsBySourceNode'] = {}) =>
		new Workflow({ id: 'w1', nodes, connections, active: false, nodeTypes, settings: { executionOrder: 'v1' } });
	const runWorkflow = async (
		nodes: INode[],
		connections: Workflow['connectionsBySourceNode'],
		executionId = `execution-${++executions}`,
		onStart?: (cancel: () => void) => void,
	): Promise<IRun> => {
		const workflow = workflowOf(nodes, connections);
		const hooks = new ExecutionLifecycleHooks('manual', executionId, {
			id: 'w1',
			name: 'test',
			nodes,
			connections,
			active: false,
			isArchived: false,
			activeVersionId: null,
			createdAt: new Date(),
			updatedAt: new Date(),
		});
		await workflow.expression.acquireIsolate();
		try {
			const engine = new WorkflowExecute({ ...additionalData(helper), hooks, executionId }, 'manual');
			const running = engine.run({ workflow, startNode: nodes[0] });
			onStart?.(() => running.cancel());
			return await running;
		} finally {
			await workflow.expression.releaseIsolate();
		}
	};
	const trigger = () => node('Trigger', `${PACKAGE}.messagingServiceTrigger`, { triggerOn: ['inboundSms'] });

	return {
		async run({ parameters, items = [{}], secondItems = [], then, settings, executionId, onStart }) {
			const toItems = (all: NonNullable<NodeRun['items']>) =>
				all.map((json) => ({ json: { ...json } }) as INodeExecutionData);
			source.items = toItems(items);
			source.secondItems = toItems(secondItems);
			const nodes = [
				node('Items', 'test.items', {}),
				node('Node', `${PACKAGE}.messagingService`, parameters, { waitBetweenTries: 1, ...settings }),
				...(then ? [node('Then', `${PACKAGE}.messagingService`, then)] : []),
			];
			const toNode = [{ node: 'Node', type: 'main' as const, index: 0 }];
			const connections = {
				Items: { main: [toNode, secondItems.length > 0 ? toNode : []] },
				...(then && { Node: { main: [[{ node: 'Then', type: 'main' as const, index: 0 }]] } }),
			};
			const run = await runWorkflow(nodes, connections, executionId, onStart);
			const { error, runData } = run.data.resultData;
			const outputs = runData.Node?.at(-1)?.data?.main ?? [];
			return {
				status: run.status,
				error: error && {
					message: error.message,
					description: 'description' in error ? error.description : undefined,
					context: error.context,
				},
				outputs: outputs.map((output) => output ?? []),
			};
		},

		async callTool(calls, settings, order) {
			agent.parallel = order === 'parallel';
			source.items = calls.map(() => ({ json: {} }));
			agent.calls = [...calls];
			const parameters = {
				resource: 'sms',
				operation: 'send',
				senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
				to: "={{ $fromAI('to', '', 'string') }}",
				message: "={{ $fromAI('message', '', 'string') }}",
			};
			const nodes = [
				node('Items', 'test.items', {}),
				node('Agent', 'test.agent', {}),
				node('Tool', `${PACKAGE}.messagingServiceTool`, parameters, { waitBetweenTries: 1, ...settings }),
			];
			const run = await runWorkflow(nodes, {
				Items: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
				Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
			});
			if (run.status !== 'success') throw new Error(run.data.resultData.error?.message);
			return agent.answers;
		},

		async searchSenderIds(filter) {
			const picking = node('Node', `${PACKAGE}.messagingService`, { resource: 'sms', operation: 'send' });
			const workflow = workflowOf([picking]);
			const context = new LoadOptionsContext(workflow, picking, additionalData(helper), 'parameters.senderId');
			const search = nodeTypes.getByNameAndVersion(picking.type, 1).methods?.listSearch?.searchSenderIds;
			if (!search) throw new Error('The node has no searchSenderIds');
			await workflow.expression.acquireIsolate();
			try {
				return await search.call(context, filter);
			} finally {
				await workflow.expression.releaseIsolate();
			}
		},

		async testCredential(type, data) {
			for (const loaded of Object.values(loader.nodeTypes)) {
				const nodeType = NodeHelpers.getVersionedNodeType(loaded.type, 1);
				const used = nodeType.description.credentials?.find(({ name }) => name === type);
				const test = typeof used?.testedBy === 'string' ? nodeType.methods?.credentialTest?.[used.testedBy] : undefined;
				if (test) {
					return await test.call(new CredentialTestContext(additionalData(helper)), {
						id: '1',
						name: type,
						type,
						data,
					});
				}
			}
			throw new Error(`No node tests ${type}`);
		},

		async post({ secret, contentType, body }) {
			const listening = trigger();
			const workflow = workflowOf([listening]);
			const answer: { status?: number; body?: unknown } = {};
			const httpResponse = {
				status(status: number) {
					answer.status = status;
					return this;
				},
				json(sent: unknown) {
					answer.body = sent;
					return this;
				},
				end() {
					return this;
				},
			};
			const httpRequest = { headers: { 'content-type': contentType }, body, params: { secret }, query: {} };
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			const context = new WebhookContext(
				workflow,
				listening,
				Object.assign(additionalData(helper), { httpRequest, httpResponse }),
				'webhook',
				webhookData(nodeType),
				[],
				null,
			);
			if (!nodeType.webhook) throw new Error('The trigger has no webhook');
			const result = await nodeType.webhook.call(context);
			return { result, answer };
		},

		async activateTrigger() {
			const listening = trigger();
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			const context = new HookContext(
				workflowOf([listening]),
				listening,
				additionalData(helper),
				'trigger',
				'activate',
				webhookData(nodeType),
			);
			const check = nodeType.webhookMethods?.default?.checkExists;
			if (!check) throw new Error('The trigger has no checkExists');
			return await check.call(context);
		},
	};
}

/** What n8n makes of a node with usableAsTool: the same code, connected to an agent. */
function asTool(type: INodeType | IVersionedNodeType | undefined): INodeType {
	if (!type) throw new Error('The package has no node');
	const original = NodeHelpers.getVersionedNodeType(type, 1);
	const description = {
		...original.description,
		name: 'messagingServiceTool',
		inputs: [],
		outputs: ['ai_tool' as const],
	};
	return Object.assign(Object.create(original) as INodeType, { description });
}

function known(types: Record<string, INodeType | IVersionedNodeType>, name: string): INodeType | IVersionedNodeType {
	const type = types[name];
	if (!type) throw new Error(`Unknown node type ${name}`);
	return type;
}

function webhookData(nodeType: INodeType) {
	const webhookDescription = nodeType.description.webhooks?.[0];
	if (!webhookDescription) throw new Error('The trigger has no webhook description');
	return {
		node: 'Trigger',
		path: 'w1/Trigger/:secret',
		webhookDescription,
		workflowId: 'w1',
		httpMethod: 'POST' as const,
		workflowExecuteAdditionalData: undefined as unknown as IWorkflowExecuteAdditionalData,
	};
}

/** Resolves the credential's headers with n8n's own expressions, as n8n's server does. */
class Credentials extends ICredentialsHelper {
	constructor(
		private readonly decrypted: Record<string, ICredentialDataDecryptedObject>,
		private readonly typeOf: (name: string) => ICredentialType,
	) {
		super();
	}

	getParentTypes = () => [];
	isCredentialUsableByNode = () => true;
	getDecrypted = (_: unknown, __: unknown, type: string) => Promise.resolve(this.decrypted[type] ?? {});
	getCredentials = () => Promise.reject(new Error('not used'));
	preAuthentication = () => Promise.resolve(undefined);
	runPreAuthentication = () => Promise.resolve(undefined);
	updateCredentials = () => Promise.resolve();
	updateCredentialsOauthTokenData = () => Promise.resolve();
	getCredentialsProperties = (type: string) => this.typeOf(type).properties;

	authenticate = (
		$credentials: ICredentialDataDecryptedObject,
		type: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	) => {
		const { authenticate } = this.typeOf(type);
		if (typeof authenticate !== 'object') throw new Error(`${type} does not authenticate generically`);
		const resolve = (expression: unknown): unknown =>
			workflow.expression.getSimpleParameterValue(
				node,
				String(expression),
				'internal',
				{ $credentials },
				undefined,
				'',
			);
		const headers = Object.entries(authenticate.properties.headers ?? {}).map(([name, value]): [string, string] => [
			String(resolve(name)),
			String(resolve(value)),
		]);
		return Promise.resolve({ ...options, headers: { ...options.headers, ...Object.fromEntries(headers) } });
	};
}

function additionalData(credentialsHelper: ICredentialsHelper): IWorkflowExecuteAdditionalData {
	const base = 'http://localhost';
	const notUsed = () => Promise.reject(new Error('not used'));
	return {
		credentialsHelper,
		currentNodeExecutionIndex: 0,
		restApiUrl: `${base}/rest`,
		instanceBaseUrl: base,
		formWaitingBaseUrl: `${base}/form-waiting`,
		webhookBaseUrl: `${base}/webhook`,
		webhookWaitingBaseUrl: `${base}/webhook-waiting`,
		webhookTestBaseUrl: `${base}/webhook-test`,
		variables: {},
		executeWorkflow: notUsed,
		getRunExecutionData: () => Promise.resolve(undefined),
		logAiEvent: () => undefined,
		setExecutionStatus: () => undefined,
		startRunnerTask: notUsed,
	} as unknown as IWorkflowExecuteAdditionalData;
}
