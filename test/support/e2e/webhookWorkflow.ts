import { randomUUID } from 'node:crypto';
import { eventually } from '../eventually';
import type { N8nApi } from './n8nApi';

/** One execution of a workflow with the output of its nodes, from n8n's public API. */
export interface WebhookExecution {
	readonly id: string;
	readonly status: string;
	readonly data: {
		readonly resultData: {
			readonly runData: Record<string, readonly NodeRun[]>;
			/** The error that ended it. */
			readonly error?: { readonly message: string };
		};
	};
}

/** An execution as n8n returns it. n8n 1 leaves the status out. */
type RawExecution = Omit<WebhookExecution, 'status'> & {
	readonly status?: string;
	readonly finished: boolean;
	readonly waitTill: string | null;
	readonly stoppedAt: string | null;
};

function withStatus({ finished, waitTill, stoppedAt, ...execution }: RawExecution): WebhookExecution {
	const ended = finished ? 'success' : 'error';
	return { ...execution, status: execution.status ?? (waitTill ? 'waiting' : stoppedAt ? ended : 'running') };
}

interface NodeRun {
	readonly data?: { readonly main?: ReadonlyArray<ReadonlyArray<{ readonly json: Record<string, unknown> }>> };
}

/** A node of a workflow, without the generated ID, webhook and position. */
export interface Node {
	readonly name: string;
	readonly type: string;
	readonly parameters: object;
	/** By default 1. */
	readonly typeVersion?: number;
	readonly credentials?: object;
	readonly executeOnce?: boolean;
}

/** An active workflow that a webhook starts. */
export interface WebhookWorkflow {
	readonly start: () => Promise<void>;
	/** Waits until the newest execution has this status. Throws if it fails instead. */
	readonly newest: (status: string, withinMs?: number) => Promise<WebhookExecution>;
	/** Waits until the newest execution has ended, in success or in an error. */
	readonly ended: (withinMs?: number) => Promise<WebhookExecution>;
}

/** The output items of a node's last run. */
export function rowsOf({ data }: WebhookExecution, node: string): Array<Record<string, unknown>> {
	return data.resultData.runData[node]?.at(-1)?.data?.main?.[0]?.map(({ json }) => json) ?? [];
}

/**
 * Creates a workflow in n8n and activates it.
 * @param nodes follow the webhook node `Start` in a chain, unless `connections` says otherwise
 * @param choices `settings` of the workflow, such as its error workflow
 */
export async function createWebhookWorkflow(
	n8n: N8nApi,
	n8nUrl: string,
	nodes: readonly Node[],
	{ connections, settings }: { readonly connections?: object; readonly settings?: object } = {},
): Promise<WebhookWorkflow> {
	const path = randomUUID();
	const webhook: Node = {
		name: 'Start',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: { path, httpMethod: 'POST', responseMode: 'onReceived' },
	};
	const all = [webhook, ...nodes];
	const chain = all.slice(0, -1).map(({ name }, index): [string, object] => {
		return [name, { main: [[{ node: all[index + 1]?.name, type: 'main', index: 0 }]] }];
	});
	const { id } = await n8n.call<{ id: string }>('POST', '/workflows', {
		name: nodes
			.map(({ name }) => name)
			.join(', ')
			.slice(0, 100),
		settings: { executionOrder: 'v1', ...settings },
		connections: connections ?? Object.fromEntries(chain),
		nodes: all.map((node, index) => ({
			typeVersion: 1,
			...node,
			id: randomUUID(),
			webhookId: randomUUID(),
			position: [index * 200, 0],
		})),
	});
	await n8n.call('POST', `/workflows/${id}/activate`);
	const newest = async () => {
		const found = await n8n.call<{ data: RawExecution[] }>('GET', `/executions?workflowId=${id}&includeData=true`);
		return found.data[0] && withStatus(found.data[0]);
	};
	return {
		start: async () => {
			// n8n reports the workflow as active before its webhook works.
			await eventually('the webhook', async () =>
				(await fetch(`${n8nUrl}/webhook/${path}`, { method: 'POST' })).ok ? true : undefined,
			);
		},
		newest: async (status, withinMs) =>
			await eventually(
				`an execution that is ${status}`,
				async () => {
					const execution = await newest();
					if (execution?.status === 'error') throw new Error(JSON.stringify(execution.data.resultData));
					return execution?.status === status ? execution : undefined;
				},
				withinMs,
			),
		ended: async (withinMs) =>
			await eventually(
				'an execution that ended',
				async () => {
					const execution = await newest();
					return execution && ['success', 'error'].includes(execution.status) ? execution : undefined;
				},
				withinMs,
			),
	};
}
