import './environment';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { HookContext, WebhookContext } from 'n8n-core';
import {
	NodeHelpers,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { parse } from 'node:querystring';
import { loadPackage, type CredentialData } from './loadedPackage';

/** The webhook trigger in n8n's own contexts, loaded from dist/ as n8n loads it. */
export interface TriggerEngine {
	/** Calls the trigger's webhook as n8n's server does. */
	post(request: WebhookCall): Promise<WebhookResult>;
	/** Runs the trigger's check at activation. */
	activateTrigger(): Promise<boolean>;
	/** Calls a function that n8n calls when it registers or removes webhooks. */
	hook(name: WebhookHook, call: HookCall): Promise<boolean>;
	/** Names of the outputs that n8n gives the node. */
	outputs(): Promise<string[]>;
	/** Lines that the trigger wrote to n8n's log since the last call. */
	logged(): string[];
	/** The production URL that n8n shows and registers. */
	url(): Promise<string>;
	/** The part of the URL that identifies the trigger. */
	readonly path: string;
}

/** The functions of a trigger that n8n calls when it registers or removes webhooks. */
export type WebhookHook = 'checkExists' | 'create' | 'delete';

/** How n8n calls such a function. */
export interface HookCall {
	/** Start of n8n's webhook addresses, such as `http://127.0.0.1:5678`. */
	readonly origin: string;
	readonly mode: WorkflowExecuteMode;
	readonly activation: WorkflowActivateMode;
	/** Whether the webhook is the one of a test in the editor. */
	readonly isTest?: boolean;
}

/** One call of the trigger's webhook. */
export interface WebhookCall {
	/** The end of the path, with the secret in the URL. */
	readonly secret?: string;
	readonly contentType?: string;
	/** Encoded by the content type. Text and bytes stay unchanged. */
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	/** IP address of the caller. */
	readonly ip?: string;
	/** Default: `webhook`. `manual`: a test in the editor. */
	readonly mode?: WorkflowExecuteMode;
	/** Called as soon as the caller has its response. */
	readonly onResponse?: (status: number) => void;
	/** The response of a real server. Without it, n8n accepts everything that the trigger starts. */
	readonly response?: WebhookResponse;
}

/** The parts of Express's response that a node uses. */
export interface WebhookResponse extends EventEmitter {
	statusCode: number;
	readonly writableEnded: boolean;
	readonly writableFinished: boolean;
	status(code: number): WebhookResponse;
	json(body: unknown): WebhookResponse;
	end(): unknown;
}

/** A response without a connection. */
class HeldResponse extends EventEmitter implements WebhookResponse {
	statusCode = 200;
	writableEnded = false;
	get writableFinished(): boolean {
		return this.writableEnded;
	}

	status(code: number): this {
		this.statusCode = code;
		return this;
	}

	json(): this {
		return this.end();
	}

	end(): this {
		if (this.writableEnded) throw new Error('Responded twice');
		this.writableEnded = true;
		this.emit('finish');
		this.emit('close');
		return this;
	}
}

/** What n8n generates for a node and its workflow. */
export interface TriggerIdentity {
	/** Undefined: a node without it. */
	readonly webhookId: string | undefined;
	/** ID of the node. Default: a new one. */
	readonly id?: string;
	readonly workflowId?: string;
}

/** The result of a webhook call. */
export interface WebhookResult {
	readonly result: IWebhookResponseData;
	/** The response of the node itself. */
	readonly answer: { status?: number; body?: unknown };
	/** The status of the response to the caller. */
	readonly status: number;
	/** Items that start the workflow, on output 0. */
	readonly items: Array<INodeExecutionData['json']>;
}

let triggers = 0;

/** The choice of Receive Through that uses these credentials. */
function wayWith(credentials: CredentialData): string {
	return 'messagingServiceRelayApi' in credentials ? 'relay' : 'url';
}

/** The choice of Authentication that uses these credentials. */
function authenticationWith(credentials: CredentialData): string {
	if ('messagingServiceWebhookApi' in credentials) return 'secret';
	return 'messagingServiceSignatureApi' in credentials ? 'signature' : 'none';
}

/**
 * Loads the package and sets up a trigger of its own.
 * @param parameters of the trigger node. Without Receive Through and Authentication, the credentials decide them
 */
export async function startTriggerEngine(
	credentials: CredentialData,
	parameters: INodeParameters = { triggerOn: ['inboundSms'] },
	{ webhookId, id = `trigger-${++triggers}`, workflowId = 'w1' }: TriggerIdentity = { webhookId: randomUUID() },
): Promise<TriggerEngine> {
	const { nodeTypes, node, workflowOf: anyWorkflow, additionalData, typeOf } = await loadPackage(credentials);
	const workflowOf = (nodes: INode[]) => Object.assign(anyWorkflow(nodes), { id: workflowId, name: 'Replies' });
	const path = `${workflowId}/${id}/:secret`;
	const given = {
		receiveThrough: wayWith(credentials),
		authentication: authenticationWith(credentials),
		...parameters,
	};
	const trigger = () => node('Trigger', typeOf('messagingServiceTrigger'), given, { id, webhookId });
	const lines: string[] = [];
	jest.spyOn(Container.get(Logger), 'warn').mockImplementation((line, details) => {
		lines.push(`${line} ${JSON.stringify(details)}`);
	});

	async function callHook(name: WebhookHook, { origin, mode, activation, isTest = false }: HookCall): Promise<boolean> {
		const listening = trigger();
		const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
		const workflow = workflowOf([listening]);
		const urls = { webhookBaseUrl: `${origin}/webhook`, webhookTestBaseUrl: `${origin}/webhook-test` };
		const context = new HookContext(
			workflow,
			listening,
			Object.assign(additionalData(), urls),
			mode,
			activation,
			Object.assign(webhookData(nodeType, path), { isTest }),
		);
		const hook = nodeType.webhookMethods?.default?.[name];
		if (!hook) throw new Error(`The trigger has no ${name}`);
		await workflow.expression.acquireIsolate();
		try {
			return await hook.call(context);
		} finally {
			await workflow.expression.releaseIsolate();
		}
	}

	return {
		path: `${workflowId}/${id}/`,

		async post({ secret, contentType = 'application/json', body, headers = {}, ip = '127.0.0.1', mode, ...more }) {
			const { onResponse, response = new HeldResponse() } = more;
			const listening = trigger();
			const answer: WebhookResult['answer'] = {};
			const httpResponse = new Proxy(response, {
				get(target, key) {
					const value: unknown = Reflect.get(target, key);
					if (typeof value !== 'function') return value;
					return (...given: unknown[]): unknown => {
						if (key === 'status') answer.status = Number(given[0]);
						if (key === 'json') answer.body = given[0];
						const returned: unknown = Reflect.apply(value, target, given);
						if (key === 'json' || key === 'end') onResponse?.(target.statusCode);
						return returned === target ? httpResponse : returned;
					};
				},
			});
			const rawBody = contentType.startsWith('multipart/') ? undefined : toBytes(body, contentType);
			let parsed: unknown;
			try {
				parsed = parseAsN8n(rawBody, contentType);
			} catch (error) {
				const body = { message: 'Failed to parse request body', hint: error instanceof Error ? error.message : '' };
				return { result: {}, answer: { status: 422, body }, items: [], status: 422 };
			}
			const httpRequest = {
				headers: { 'content-type': contentType, ...headers },
				rawBody,
				body: parsed,
				encoding: encodingOf(contentType),
				params: secret === undefined ? {} : { secret },
				query: {},
				ip,
			};
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			const context = new WebhookContext(
				workflowOf([listening]),
				listening,
				Object.assign(additionalData(), { httpRequest, httpResponse }),
				mode ?? 'webhook',
				webhookData(nodeType, path),
				[],
				null,
			);
			if (!nodeType.webhook) throw new Error('The trigger has no webhook');
			const result = await nodeType.webhook.call(context);
			const items = result.workflowData?.flat().map(({ json }) => json) ?? [];
			if (response instanceof HeldResponse && result.noWebhookResponse !== true) response.end();
			return { result, answer, items, status: answer.status ?? 200 };
		},

		async activateTrigger() {
			return await callHook('checkExists', { origin: 'http://localhost', mode: 'trigger', activation: 'activate' });
		},

		hook: callHook,

		async outputs() {
			const listening = trigger();
			const workflow = workflowOf([listening]);
			const nodeType = nodeTypes.getByNameAndVersion(listening.type, 1);
			await workflow.expression.acquireIsolate();
			try {
				const outputs = NodeHelpers.getNodeOutputs(workflow, listening, nodeType.description);
				return outputs.map((output) => (typeof output === 'string' ? output : (output.displayName ?? '')));
			} finally {
				await workflow.expression.releaseIsolate();
			}
		},

		async url() {
			const listening = trigger();
			const workflow = workflowOf([listening]);
			const { description } = nodeTypes.getByNameAndVersion(listening.type, 1);
			const [webhook] = description.webhooks ?? [];
			await workflow.expression.acquireIsolate();
			try {
				const shown: unknown = workflow.expression.getSimpleParameterValue(listening, webhook?.path, 'internal', {});
				return NodeHelpers.getNodeWebhookUrl('', workflow.id, listening, String(shown), webhook?.isFullPath === true);
			} finally {
				await workflow.expression.releaseIsolate();
			}
		},

		logged: () => lines.splice(0),
	};
}

function toBytes(body: unknown, contentType: string): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (typeof body === 'string') return Buffer.from(body);
	if (!contentType.startsWith('application/x-www-form-urlencoded')) return Buffer.from(JSON.stringify(body));
	const pairs = Object.entries(body as object).flatMap(([name, value]: [string, unknown]) =>
		(Array.isArray(value) ? value : [value]).map((one: unknown): [string, string] => [name, String(one)]),
	);
	return Buffer.from(new URLSearchParams(pairs).toString());
}

/** The encoding that n8n reads from the content type: packages/@n8n/backend-network, parseIncomingMessage. */
function encodingOf(contentType: string): string {
	return /charset=\s*"?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
}

/**
 * n8n's own body parser: packages/cli/src/middlewares/body-parser.ts.
 * @throws Error to which n8n itself responds with 422: JSON that it cannot read, or an encoding that Node does not know
 */
function parseAsN8n(rawBody: Buffer | undefined, contentType: string): unknown {
	if (!rawBody || rawBody.length === 0) return undefined;
	const [type] = contentType.toLowerCase().split(';');
	const encoding = encodingOf(contentType);
	const text = () => {
		if (!Buffer.isEncoding(encoding)) throw new Error(`Unknown encoding: ${encoding}`);
		return rawBody.toString(encoding).replace(/^\uFEFF/, '');
	};
	if (type === 'application/json') return JSON.parse(text());
	if (type === 'application/x-www-form-urlencoded') return parse(text(), undefined, undefined, { maxKeys: 1000 });
	return type === 'text/plain' ? text() : undefined;
}

function webhookData(nodeType: INodeType, path: string) {
	const webhookDescription = nodeType.description.webhooks?.[0];
	if (!webhookDescription) throw new Error('The trigger has no webhook description');
	return {
		node: 'Trigger',
		path,
		webhookDescription,
		workflowId: 'w1',
		httpMethod: 'POST' as const,
		workflowExecuteAdditionalData: undefined as unknown as IWorkflowExecuteAdditionalData,
	};
}
