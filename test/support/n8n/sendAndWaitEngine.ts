import './environment';
import { WebhookContext, WorkflowExecute } from 'n8n-core';
import type {
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	IRunExecutionData,
	IWebhookResponseData,
	IWorkflowExecuteAdditionalData,
	Workflow,
} from 'n8n-workflow';
import { hooksOf, loadPackage, type CredentialData } from './loadedPackage';

/**
 * The page for a phone's browser: from the node itself or, when the execution continues, from n8n with the
 * node's page.
 */
export interface ResponsePage {
	readonly status: number;
	readonly html: string;
	readonly headers: Readonly<Record<string, string>>;
}

/** An execution that may wait for an answer. */
export interface SendAndWaitExecution {
	readonly status: IRun['status'];
	readonly waitTill: Date | undefined;
	readonly error: { readonly message: string; readonly description?: string | null } | undefined;
	/** The items that the node's last run returned, on whichever output. */
	readonly output: readonly INodeExecutionData[];
	/** The output with these items: 0 for Response, 1 for No Response, 2 for Reminder. */
	readonly branch: number;
	/** Opens a link as a browser does. `answer` is the execution after the form was sent. */
	visit(
		link: string,
		form?: Readonly<Record<string, string>>,
	): Promise<{ page: ResponsePage; answer?: SendAndWaitExecution }>;
	/** Continues the execution as after its wait. A reminder goes back to the node. */
	timeUp(): Promise<SendAndWaitExecution>;
}

/** Setup and input of the node under test. */
export interface SendAndWaitRun {
	readonly parameters: INodeParameters;
	readonly items?: ReadonlyArray<Record<string, unknown>>;
	/** Item of a second round of a loop, after the answer to the first. */
	readonly secondRound?: Readonly<Record<string, unknown>>;
	/** Item of a second round of a loop, if the time of the first was up. */
	readonly afterNoResponse?: Readonly<Record<string, unknown>>;
	readonly settings?: Partial<INode>;
	/** The variant of the node that n8n derives for agents, which call it through the engine. */
	readonly as?: 'tool' | 'review';
	/** The public address of n8n. */
	readonly n8nUrl?: string;
	/** How the Reminder output leads back to the node. Default: through a node that keeps the item. */
	readonly wayBack?: 'keeps the item' | 'empties the item' | 'none';
	/** Receives the function that cancels the execution. */
	readonly onStart?: (cancel: () => void) => void;
}

/** The action node in an engine whose executions wait and continue as in n8n's server. */
export interface SendAndWaitEngine {
	ask(ask: SendAndWaitRun): Promise<SendAndWaitExecution>;
}

let executions = 0;

/** Loads the package. */
export async function startSendAndWaitEngine(credentials: CredentialData): Promise<SendAndWaitEngine> {
	const { types, nodeTypes, node, workflowOf, additionalData, typeOf } = await loadPackage(credentials);
	const action = types[typeOf('messagingService')];
	if (!action) throw new Error('The package has no node');
	const variants = { tool: 'messagingServiceTool', review: 'messagingServiceHitlTool' };
	for (const variant of Object.values(variants)) types[typeOf(variant)] = action;
	return {
		ask: async ({ parameters, items = [{}], secondRound, settings, as, n8nUrl = 'https://n8n.example', ...others }) => {
			const { wayBack = 'keeps the item', afterNoResponse, onStart } = others;
			const toItems = (all: readonly object[]) => all.map((json) => ({ json: { ...json } }));
			const second = secondRound ?? afterNoResponse;
			const rounds = second ? [toItems([second])] : [];
			types['test.items'] = giving(() => toItems(items));
			types['test.loop'] = giving(() => rounds.shift() ?? []);
			types['test.back'] = giving((given) => (wayBack === 'keeps the item' ? given : toItems([{}])));
			const nodes = [
				node('Items', 'test.items', {}),
				node('Ask "it"', typeOf(as ? variants[as] : 'messagingService'), parameters, {
					waitBetweenTries: 1,
					...settings,
				}),
				node('Loop', 'test.loop', {}),
				node('Back', 'test.back', {}),
			];
			const end = (name: string) => [{ node: name, type: 'main' as const, index: 0 }];
			const to = (name: string) => ({ main: [end(name)] });
			const connections = {
				Items: to('Ask "it"'),
				...(wayBack !== 'none' && {
					'Ask "it"': { main: [end('Loop'), afterNoResponse ? end('Loop') : [], end('Back')] },
					Loop: to('Ask "it"'),
					Back: to('Ask "it"'),
				}),
			};
			const executionId = `ask-${++executions}`;
			const dataOf = (): IWorkflowExecuteAdditionalData => ({
				...additionalData(),
				webhookWaitingBaseUrl: `${n8nUrl}/webhook-waiting`,
				hooks: hooksOf(executionId, nodes, connections),
				executionId,
			});

			async function within(use: (workflow: Workflow) => Promise<IRun>): Promise<SendAndWaitExecution> {
				const workflow = workflowOf(structuredClone(nodes), connections);
				await workflow.expression.acquireIsolate();
				try {
					return toAsking(await use(workflow));
				} finally {
					await workflow.expression.releaseIsolate();
				}
			}

			function toAsking(run: IRun): SendAndWaitExecution {
				const { error, runData } = run.data.resultData;
				// The server stores a waiting execution, so it continues with a copy.
				const kept = () => structuredClone(run.data);
				const main = runData['Ask "it"']?.at(-1)?.data?.main ?? [];
				const branch = main.findIndex((items) => items && items.length > 0);
				const goOn = async (data: IRunExecutionData) =>
					await within(async (workflow) => {
						const engine = new WorkflowExecute(dataOf(), 'manual', data);
						return await engine.processRunExecutionData(workflow);
					});
				return {
					status: run.status,
					waitTill: run.waitTill ?? undefined,
					error: error && {
						message: error.message,
						description: 'description' in error ? error.description : undefined,
					},
					output: main[branch] ?? [],
					branch,
					timeUp: async () => await goOn(kept()),
					visit: async (link, form) => {
						const data = kept();
						const { result, page } = await callWebhook(data, link, form);
						if (!result.workflowData) return { page };
						const [waiting] = data.executionData?.nodeExecutionStack ?? [];
						if (!waiting) throw new Error('The execution does not wait');
						// As n8n's server does for a waiting webhook.
						waiting.node.disabled = true;
						waiting.data.main = result.workflowData;
						waiting.metadata = { ...waiting.metadata, forwardAllOutputs: true };
						data.waitTill = undefined;
						data.resultData.runData['Ask "it"']?.pop();
						return { page, answer: await goOn(data) };
					},
				};
			}

			async function callWebhook(data: IRunExecutionData, link: string, form?: Readonly<Record<string, string>>) {
				const workflow = workflowOf(structuredClone(nodes), connections);
				const asking = workflow.getNode('Ask "it"');
				if (!asking) throw new Error('No node');
				const nodeType = nodeTypes.getByNameAndVersion(asking.type, 1);
				const responded = { status: 200, html: '', headers: {} as Record<string, string> };
				const httpResponse = {
					status(status: number) {
						responded.status = status;
						return this;
					},
					setHeader(name: string, value: string) {
						responded.headers[name.toLowerCase()] = value;
						return this;
					},
					send(html: string) {
						responded.html = html;
						return this;
					},
				};
				const query = Object.fromEntries(new URL(link).searchParams);
				const method = form ? 'POST' : 'GET';
				const httpRequest = { method, headers: {}, body: { ...form }, params: {}, query };
				const context = new WebhookContext(
					workflow,
					asking,
					Object.assign(dataOf(), { httpRequest, httpResponse }),
					'webhook',
					webhookData(nodeType, method),
					[],
					data,
				);
				await workflow.expression.acquireIsolate();
				try {
					const result: IWebhookResponseData | undefined = await nodeType.webhook?.call(context);
					if (!result) throw new Error('The node has no webhook');
					if (result.webhookResponse !== undefined) responded.html = String(result.webhookResponse);
					return { result, page: responded };
				} finally {
					await workflow.expression.releaseIsolate();
				}
			}

			return await within(async (workflow) => {
				const engine = new WorkflowExecute(dataOf(), 'manual');
				const run = engine.run({ workflow, startNode: workflow.getNode('Items') ?? undefined });
				onStart?.(() => run.cancel());
				return await run;
			});
		},
	};
}

/** A node that makes its items from those it gets. */
function giving(items: (given: INodeExecutionData[]) => INodeExecutionData[]): INodeType {
	return {
		description: {
			displayName: 'Items',
			name: 'items',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: { name: 'Items' },
			inputs: ['main'],
			outputs: ['main'],
			properties: [],
		},
		async execute() {
			return await Promise.resolve([items(this.getInputData())]);
		},
	};
}

function webhookData(nodeType: INodeType, httpMethod: 'GET' | 'POST') {
	const webhookDescription = nodeType.description.webhooks?.find((webhook) => webhook.httpMethod === httpMethod);
	if (!webhookDescription) throw new Error(`The node has no webhook for ${httpMethod}`);
	return {
		node: 'Ask "it"',
		path: 'Ask "it"',
		webhookDescription,
		workflowId: 'w1',
		httpMethod,
		workflowExecuteAdditionalData: undefined as unknown as IWorkflowExecuteAdditionalData,
	};
}
