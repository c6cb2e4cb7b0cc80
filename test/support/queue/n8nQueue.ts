import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { eventually } from '../eventually';
import { openN8nApi, type N8nApi } from '../e2e/n8nApi';
import { readAccount, readSetup } from './queueSetup';

const packageName = 'n8n-nodes-messaging-service';

/** The type of the credential of our nodes. */
export const API_CREDENTIAL = 'messagingServiceApi';

/** The default wait for executions, in milliseconds. n8n polls once a minute, and a busy machine takes longer. */
const WITHIN_MS = 100_000;

/** Settings of one of our nodes, in the form of n8n's API. */
export interface NodeSettings {
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly retryOnFail?: boolean;
	readonly maxTries?: number;
	readonly waitBetweenTries?: number;
	readonly onError?: string;
}

const item = z.object({ json: z.record(z.string(), z.unknown()) });
const execution = z.object({
	id: z.coerce.string(),
	status: z.string(),
	stoppedAt: z.string().nullish(),
	retryOf: z.coerce.string().nullish(),
	data: z
		.object({
			resultData: z.object({
				runData: z
					.record(
						z.string(),
						z.array(
							z.object({
								data: z.object({ main: z.array(z.array(item).nullable()).optional() }).optional(),
								error: z.looseObject({ message: z.string().optional(), description: z.string().nullish() }).optional(),
							}),
						),
					)
					.default({}),
				error: z.looseObject({ message: z.string().optional() }).optional(),
			}),
		})
		.nullish(),
});

const page = z.object({ data: z.array(execution), nextCursor: z.string().nullish() });

/** One row of our node's output. */
export type Row = Readonly<Record<string, unknown>>;

/** An execution with the output of the node `Send`. */
export interface QueueExecution {
	readonly id: string;
	readonly status: string;
	/** Rows of the first output in its last run. Undefined without an output. */
	readonly rows: readonly Row[] | undefined;
	/** Rows of its error output. */
	readonly errorRows: readonly Row[] | undefined;
	/** The reason for a failed execution. */
	readonly error: string | undefined;
	readonly ranNodes: readonly string[];
}

/** A workflow that starts at a webhook. */
export interface WebhookWorkflow {
	readonly id: string;
	/** Starts it through the webhook processor. */
	start(body: object): Promise<void>;
	/** Waits for `count` executions that have ended. Returns the last. */
	ended(count: number, withinMs?: number): Promise<QueueExecution>;
	/** Waits for `count` executions. Returns the ID of the last, which may still run. */
	started(count: number): Promise<string>;
	execution(id: string): Promise<QueueExecution>;
	all(): Promise<QueueExecution[]>;
	/** The last `count` executions. */
	last(count: number): Promise<QueueExecution[]>;
	/**
	 * Waits until `count` more executions than before have ended. Reads only these, so it is quick after thousands.
	 * @param former ID of the last execution before
	 * @returns them, oldest first
	 */
	more(count: number, former: string, withinMs?: number): Promise<QueueExecution[]>;
}

/** n8n's public API in the main process. */
export function queueApi(): N8nApi {
	return openN8nApi(readSetup().mainUrl, readAccount().apiKey);
}

/** The editor's own API in the main process, logged in. The function it returns calls a path under /rest. */
export async function editorApi(): Promise<(method: string, path: string, body?: object) => Promise<unknown>> {
	const { mainUrl } = readSetup();
	const { email, password } = readAccount();
	const headers = { 'content-type': 'application/json' };
	const login = JSON.stringify({ emailOrLdapLoginId: email, password });
	const loggedIn = await fetch(`${mainUrl}/rest/login`, { method: 'POST', headers, body: login });
	if (!loggedIn.ok) throw new Error(`n8n rejected the login: ${loggedIn.status}`);
	const cookie = loggedIn.headers
		.getSetCookie()
		.map((line) => line.split(';')[0])
		.join('; ');
	return async (method, path, body) => {
		const options = { method, headers: { ...headers, cookie }, body: body ? JSON.stringify(body) : null };
		const response = await fetch(`${mainUrl}/rest${path}`, options);
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n responded to ${method} ${path} with ${response.status}: ${text}`);
		return JSON.parse(text) as unknown;
	};
}

/**
 * A node of ours with its credential.
 * @param credentialId another one than the credential for the sandbox
 */
export function ownNode(
	name: string,
	node: string,
	settings: NodeSettings,
	position: number,
	credentialId = readAccount().credentials[API_CREDENTIAL]?.id,
): object {
	return {
		id: randomUUID(),
		name,
		type: `${packageName}.${node}`,
		typeVersion: 1,
		position: [position * 220, 0],
		webhookId: randomUUID(),
		...settings,
		credentials: { [API_CREDENTIAL]: { id: credentialId, name: API_CREDENTIAL } },
	};
}

/** Connects nodes in a line. */
export function inLine(names: readonly string[]): object {
	return Object.fromEntries<object>(
		names.slice(1).map((to, index) => [names[index] ?? to, { main: [[{ node: to, type: 'main', index: 0 }]] }]),
	);
}

/**
 * Creates a workflow that receives `{ people: [...] }` at a webhook and passes an item for each to `Send`, a
 * node of ours. Waits until the webhook processor accepts requests for it.
 * @param credentialId as for {@link ownNode}
 */
export async function createWebhookWorkflow(
	name: string,
	settings: NodeSettings,
	credentialId?: string,
): Promise<WebhookWorkflow> {
	const api = queueApi();
	const { webhookUrl } = readSetup();
	const path = randomUUID();
	const { id } = await api.call<{ id: string }>('POST', '/workflows', {
		name,
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				id: randomUUID(),
				name: 'Webhook',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				webhookId: path,
				parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
			},
			{
				id: randomUUID(),
				name: 'People',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: [220, 0],
				parameters: { fieldToSplitOut: 'body.people', options: {} },
			},
			ownNode('Send', 'messagingService', settings, 2, credentialId),
		],
		connections: inLine(['Webhook', 'People', 'Send']),
	});
	await api.call('POST', `/workflows/${id}/activate`);
	const url = `${webhookUrl}/webhook/${path}`;
	await eventually(
		'the webhook',
		async () => {
			// n8n's response to a GET request names the accepted method.
			const body = await fetch(url).then(async (response) => await response.text());
			return body.includes('POST') ? true : undefined;
		},
		WITHIN_MS,
	);
	const found = executionsOf(id);
	return {
		id,
		...found,
		async start(body) {
			const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
			const response = await fetch(url, options);
			if (!response.ok) throw new Error(`The webhook responded with ${response.status}: ${await response.text()}`);
		},
	};
}

/** Reads a workflow's executions. */
export function executionsOf(workflowId: string): Omit<WebhookWorkflow, 'id' | 'start'> {
	const api = queueApi();
	async function list(cursor?: string): Promise<Array<z.output<typeof execution>>> {
		const path = `/executions?workflowId=${workflowId}&limit=250${cursor ? `&cursor=${cursor}` : ''}`;
		const { data, nextCursor } = page.parse(await api.call('GET', path));
		const rest = nextCursor ? await list(nextCursor) : [];
		return [...rest, ...data].sort((a, b) => Number(a.id) - Number(b.id));
	}
	async function newest(count: number): Promise<Array<z.output<typeof execution>>> {
		const { data } = page.parse(await api.call('GET', `/executions?workflowId=${workflowId}&limit=${count}`));
		return data.sort((a, b) => Number(a.id) - Number(b.id));
	}
	async function one(id: string): Promise<QueueExecution> {
		return toExecution(execution.parse(await api.call('GET', `/executions/${id}?includeData=true`)));
	}
	return {
		execution: one,
		all: async () => await Promise.all((await list()).map(async ({ id }) => await one(id))),
		last: async (count) => await Promise.all((await list()).slice(-count).map(async ({ id }) => await one(id))),
		started: async (count) =>
			await eventually(
				`execution ${count}`,
				async () => {
					const found = await list();
					return found.length >= count ? found.at(-1)?.id : undefined;
				},
				WITHIN_MS,
			),
		ended: async (count, withinMs = WITHIN_MS) =>
			await eventually(
				`${count} executions that ended`,
				async () => {
					const found = await list();
					const last = found.at(-1);
					const ended = found.length >= count && found.every(hasEnded);
					return ended && last ? await one(last.id) : undefined;
				},
				withinMs,
			),
		more: async (count, former, withinMs = WITHIN_MS) =>
			await eventually(
				`${count} more executions that ended`,
				async () => {
					const found = await newest(count);
					const ended =
						found.length === count && found.every((each) => hasEnded(each) && Number(each.id) > Number(former));
					return ended ? await Promise.all(found.map(async ({ id }) => await one(id))) : undefined;
				},
				withinMs,
			),
	};
}

function hasEnded({ status, stoppedAt }: z.output<typeof execution>): boolean {
	return !['new', 'running', 'waiting'].includes(status) && Boolean(stoppedAt);
}

function toExecution({ id, status, data }: z.output<typeof execution>): QueueExecution {
	const runs = data?.resultData.runData ?? {};
	const last = runs.Send?.at(-1);
	return {
		id,
		status,
		rows: last?.data?.main?.[0]?.map(({ json }) => json),
		errorRows: last?.data?.main?.[1]?.map(({ json }) => json),
		error: data?.resultData.error?.message ?? last?.error?.message,
		ranNodes: Object.keys(runs),
	};
}
