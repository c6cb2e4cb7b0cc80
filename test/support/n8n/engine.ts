import './environment';
import { randomUUID } from 'node:crypto';
import {
	CredentialTestContext,
	LoadOptionsContext,
	SupplyDataContext,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	NodeHelpers,
	type Workflow,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeParameters,
	type INodeType,
	type IRun,
	type IVersionedNodeType,
} from 'n8n-workflow';
import { hooksOf, loadPackage } from './loadedPackage';

/** Passes the items of the test to the node under test. */
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
	responses: string[] = [];
	parallel = false;

	execute: INodeType['execute'];

	constructor() {
		const fetchTool = async (context: IExecuteFunctions, itemIndex: number) => {
			const [tool] = (await context.getInputConnectionData('ai_tool', itemIndex)) as Tool[];
			if (!tool) throw new Error('No tool is connected');
			return tool;
		};
		const calls = () => this.calls;
		const response = (responses: string[]) => (this.responses = responses);
		const parallel = () => this.parallel;
		// Each call fetches its own tool, as n8n's agent does for the items of a batch.
		this.execute = async function (this: IExecuteFunctions) {
			const invoke = async (call: ToolCall, index: number) => {
				const tool = await fetchTool(this, index);
				return await tool.invoke(call).catch((error: unknown) => `thrown: ${String(error)}`);
			};
			const responses: Array<Promise<string>> = [];
			for (const [index, call] of calls().entries()) {
				const pending = invoke(call, index);
				if (!parallel()) await pending;
				responses.push(pending);
			}
			response(await Promise.all(responses));
			return [[{ json: {} }]];
		};
	}
}

/** Replaces n8n's MCP Server Trigger, whose webhook calls the node under test as a tool. */
class McpServer implements INodeType {
	description: INodeType['description'] = {
		displayName: 'MCP Server',
		name: 'mcpServer',
		group: ['trigger'],
		version: 1,
		description: '',
		defaults: { name: 'MCP Server' },
		inputs: ['ai_tool'],
		outputs: [],
		properties: [],
	};
}

/** Arguments that an agent fills in. */
export interface ToolCall {
	readonly to: string;
	readonly message: string;
	/** When to send, if the tool asks for it. */
	readonly at?: string;
}

interface Tool {
	invoke(call: ToolCall): Promise<string>;
}

/** Setup and input of the node under test. */
export interface NodeRun {
	readonly parameters: INodeParameters;
	readonly items?: ReadonlyArray<Record<string, unknown>>;
	/** Items of a second run of the node, in the same execution. */
	readonly secondItems?: ReadonlyArray<Record<string, unknown>>;
	/** Called after the first run of the node. */
	readonly beforeSecondRun?: () => void | Promise<void>;
	/** Parameters of a second node of the same type, connected behind the first. */
	readonly then?: INodeParameters;
	/** Settings of that second node. */
	readonly thenSettings?: Partial<INode>;
	/** Settings of the node: onError, retryOnFail, maxTries, waitBetweenTries. */
	readonly settings?: Partial<INode>;
	/** ID of the execution. Default: a new one. */
	readonly executionId?: string;
	/** Receives a function that cancels the execution. */
	readonly onStart?: (cancel: () => void) => void;
}

/** A search in a dropdown list of the editor. */
export interface Search {
	readonly filter?: string;
	/** The previous page's token, to get the next page. */
	readonly paginationToken?: string;
	readonly type?: 'messagingService' | 'messagingServiceTool';
}

/** The result of a run. */
export interface NodeResult {
	readonly status: IRun['status'];
	readonly error: { message: string; description?: string | null; context?: { itemIndex?: number } } | undefined;
	/** The outputs of the second node, if there is one and it ran. */
	readonly thenOutputs: INodeExecutionData[][];
	/** The node's outputs. With On Error set to the error output, the error output is the last one. */
	readonly outputs: INodeExecutionData[][];
	/** Hints that the node shows above its output. */
	readonly hints: string[];
	/** All that n8n keeps of the node's runs, including errors with their stacks and causes. */
	readonly kept: unknown;
}

/** n8n's own engine with our package, loaded from dist/ as n8n loads it. */
export interface Engine {
	run(run: NodeRun): Promise<NodeResult>;
	/** Lets an agent call the node as a tool. Returns the texts that the agent reads. */
	callTool(
		calls: readonly ToolCall[],
		settings?: Partial<INode>,
		order?: 'parallel' | 'one by one',
		options?: INodeParameters,
		to?: INodeParameters['to'],
		more?: INodeParameters,
		executionId?: string,
	): Promise<string[]>;
	/**
	 * Lets an MCP client call the node as a tool, one call after the other. Each call is its own webhook without
	 * an execution, as with n8n's MCP Server Trigger outside queue mode.
	 * @returns the texts that the client reads
	 */
	callMcp(calls: readonly ToolCall[], more?: INodeParameters, settings?: Partial<INode>): Promise<string[]>;
	/** The same in queue mode: n8n's worker makes each call in an execution of its own. */
	callMcpInQueueMode(calls: readonly ToolCall[], more?: INodeParameters): Promise<string[]>;
	/**
	 * Fills a dropdown list of the editor, as n8n's server does when a user opens or searches it.
	 * @param search its `type` is the node with the field: the node itself, or the tool that n8n derives from it
	 * for agents
	 */
	search(method: string, search?: Search): Promise<INodeListSearchResult>;
	testCredential(type: string, data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult>;
}

let executions = 0;

/**
 * Loads the package into an engine.
 * @param credentials decrypted credentials by type
 */
export async function startEngine(credentials: Record<string, ICredentialDataDecryptedObject>): Promise<Engine> {
	const { types, nodeTypes, node, workflowOf, additionalData, typeOf } = await loadPackage(credentials);
	const source = new Items();
	const agent = new Agent();
	Object.assign(types, { 'test.items': source, 'test.agent': agent, 'test.mcpTrigger': new McpServer() });
	types[typeOf('messagingServiceTool')] = asTool(types[typeOf('messagingService')]);
	const runWorkflow = async (
		nodes: INode[],
		connections: Workflow['connectionsBySourceNode'],
		executionId = `execution-${++executions}`,
		{ onStart, beforeSecondRun }: Pick<NodeRun, 'onStart' | 'beforeSecondRun'> = {},
	): Promise<IRun> => {
		const workflow = workflowOf(nodes, connections);
		const hooks = hooksOf(executionId, nodes, connections);
		let runs = 0;
		hooks.addHandler('nodeExecuteAfter', async (name) => {
			if (name === 'Node' && ++runs === 1) await beforeSecondRun?.();
		});
		await workflow.expression.acquireIsolate();
		try {
			const engine = new WorkflowExecute({ ...additionalData(), hooks, executionId }, 'manual');
			const sandbox = engine.run({ workflow, startNode: nodes[0] });
			onStart?.(() => sandbox.cancel());
			return await sandbox;
		} finally {
			await workflow.expression.releaseIsolate();
		}
	};

	const toolParameters: INodeParameters = {
		resource: 'sms',
		operation: 'send',
		senderId: { __rl: true, mode: 'name', value: 'KOFISHOP' },
		to: "={{ $fromAI('to', '', 'string') }}",
		message: "={{ $fromAI('message', '', 'string') }}",
	};

	const mcpWorkflow = (more?: INodeParameters, settings?: Partial<INode>) => {
		const tool = node('Tool', typeOf('messagingServiceTool'), { ...toolParameters, ...more }, settings);
		const server = node('MCP', 'test.mcpTrigger', {});
		const workflow = workflowOf([server, tool], {
			Tool: { ai_tool: [[{ node: 'MCP', type: 'ai_tool', index: 0 }]] },
		});
		return { workflow, server, tool };
	};

	return {
		async run({ parameters, items = [{}], secondItems = [], then, thenSettings, settings, executionId, ...events }) {
			const toItems = (all: NonNullable<NodeRun['items']>) =>
				all.map((json) => ({ json: { ...json } }) as INodeExecutionData);
			source.items = toItems(items);
			source.secondItems = toItems(secondItems);
			const nodes = [
				node('Items', 'test.items', {}),
				node('Node', typeOf('messagingService'), parameters, { waitBetweenTries: 1, ...settings }),
				...(then ? [node('Then', typeOf('messagingService'), then, thenSettings)] : []),
			];
			const toNode = [{ node: 'Node', type: 'main' as const, index: 0 }];
			const connections = {
				Items: { main: [toNode, secondItems.length > 0 ? toNode : []] },
				...(then && { Node: { main: [[{ node: 'Then', type: 'main' as const, index: 0 }]] } }),
			};
			const run = await runWorkflow(nodes, connections, executionId, events);
			const { error, runData } = run.data.resultData;
			const outputs = runData.Node?.at(-1)?.data?.main ?? [];
			const thenOutputs = runData.Then?.at(-1)?.data?.main ?? [];
			return {
				status: run.status,
				error: error && {
					message: error.message,
					description: 'description' in error ? error.description : undefined,
					context: error.context,
				},
				outputs: outputs.map((output) => output ?? []),
				thenOutputs: thenOutputs.map((output) => output ?? []),
				kept: [error, runData.Node],
				hints: (runData.Node?.at(-1)?.hints ?? []).map(({ message }) => message),
			};
		},

		async callTool(calls, settings, order, options = {}, to = toolParameters.to, more = {}, executionId) {
			agent.parallel = order === 'parallel';
			source.items = calls.map(() => ({ json: {} }));
			agent.calls = [...calls];
			const parameters = { ...toolParameters, to, options, ...more };
			const nodes = [
				node('Items', 'test.items', {}),
				node('Agent', 'test.agent', {}),
				node('Tool', typeOf('messagingServiceTool'), parameters, { waitBetweenTries: 1, ...settings }),
			];
			const connections = {
				Items: { main: [[{ node: 'Agent', type: 'main' as const, index: 0 }]] },
				Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool' as const, index: 0 }]] },
			};
			const run = await runWorkflow(nodes, connections, executionId);
			if (run.status !== 'success') throw new Error(run.data.resultData.error?.message);
			return agent.responses;
		},

		async callMcp(calls, more, settings) {
			const { workflow, server } = mcpWorkflow(more, settings);
			const read: string[] = [];
			await workflow.expression.acquireIsolate();
			try {
				for (const call of calls) {
					const webhook = { node: 'MCP', path: 'mcp', httpMethod: 'POST', workflowId: 'w1' } as const;
					const data = { ...webhook, webhookDescription: { ...webhook, name: 'default' } } as never;
					const request = { ...additionalData(), httpRequest: { body: {} } as never };
					const context = new WebhookContext(workflow, server, request, 'webhook', data, [], null);
					const [connected] = (await context.getInputConnectionData('ai_tool', 0)) as Tool[];
					if (!connected) throw new Error('No tool is connected');
					read.push(await connected.invoke(call).catch((error: unknown) => `thrown: ${String(error)}`));
				}
			} finally {
				await workflow.expression.releaseIsolate();
			}
			return read;
		},

		async callMcpInQueueMode(calls, more) {
			const { workflow, server, tool } = mcpWorkflow(more);
			const nodeType = nodeTypes.getByNameAndVersion(tool.type, 1);
			const read: string[] = [];
			await workflow.expression.acquireIsolate();
			try {
				for (const call of calls) {
					const main = [[{ json: {} }]];
					// As JobProcessor.invokeTool of n8n.
					const context = new SupplyDataContext(
						...([workflow, tool, { ...additionalData(), executionId: randomUUID() }, 'webhook'] as const),
						...([createRunExecutionData(), 0, main[0] ?? [], { main }, 'ai_tool'] as const),
						{ node: tool, data: { main }, source: null },
						[],
						undefined,
						server,
					);
					context.addInputData('ai_tool', [[{ json: { ...call } }]]);
					const output = await nodeType.execute?.call(context as never);
					read.push(JSON.stringify(Array.isArray(output) ? output[0]?.map(({ json }) => json) : output));
				}
			} finally {
				await workflow.expression.releaseIsolate();
			}
			return read;
		},

		async search(method, { filter, paginationToken, type = 'messagingService' } = {}) {
			const picking = node('Node', typeOf(type), { resource: 'sms', operation: 'send' });
			const workflow = workflowOf([picking]);
			const context = new LoadOptionsContext(workflow, picking, additionalData(), 'parameters.to');
			const search = nodeTypes.getByNameAndVersion(picking.type, 1).methods?.listSearch?.[method];
			if (!search) throw new Error(`The node has no ${method}`);
			await workflow.expression.acquireIsolate();
			try {
				return await search.call(context, filter, paginationToken);
			} finally {
				await workflow.expression.releaseIsolate();
			}
		},

		async testCredential(type, data) {
			for (const loadedType of Object.values(types)) {
				const nodeType = NodeHelpers.getVersionedNodeType(loadedType, 1);
				const used = nodeType.description.credentials?.find(({ name }) => name === type);
				const test = typeof used?.testedBy === 'string' ? nodeType.methods?.credentialTest?.[used.testedBy] : undefined;
				if (test) {
					return await test.call(new CredentialTestContext(additionalData()), {
						id: '1',
						name: type,
						type,
						data,
					});
				}
			}
			throw new Error(`No node tests ${type}`);
		},
	};
}

/** The tool that n8n derives from a node with usableAsTool: the same code, connected to an agent. */
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
