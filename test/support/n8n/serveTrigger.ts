import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { INodeExecutionData } from 'n8n-workflow';
import type { TriggerEngine, WebhookResponse } from './triggerEngine';

type Item = INodeExecutionData['json'];

/** The trigger behind a real port, for requests of gateways and the service. */
export interface ServedTrigger extends AsyncDisposable {
	/** The webhook URL, including the secret. */
	readonly url: string;
	/** Start of the URL. */
	readonly origin: string;
	/** How many items each execution started with. */
	readonly executions: number[];
	/** Items that started the workflow, in order. */
	readonly started: Item[];
	/** Statuses of the responses to callers. */
	readonly statuses: number[];
	/** Resolves when no request is in flight. */
	idle(): Promise<void>;
}

/** The behavior of n8n behind the trigger. */
export interface ServeOptions {
	/** Stores the execution before n8n responds. If it rejects, n8n responds with 500. Default: never fails. */
	readonly run?: (items: readonly Item[]) => Promise<void>;
	/** Called when a caller disconnects before the response. */
	readonly onLeft?: () => void;
	/** Whether n8n knows the webhook. If not, it responds with 404. Default: always. */
	readonly isActive?: (path: string) => boolean;
}

/**
 * Serves a trigger as n8n's server does (webhook-helpers.js, executeWebhook). The node can respond before its
 * work is done. Otherwise n8n responds when the execution is stored, or with 500 if storing fails
 * (response-helper.js, sendErrorResponse).
 */
export async function serveTrigger(
	engine: TriggerEngine,
	secret: string,
	{ run, onLeft, isActive }: ServeOptions = {},
): Promise<ServedTrigger> {
	const started: ServedTrigger['started'] = [];
	const statuses: number[] = [];
	const executions: number[] = [];
	const inFlight = new Set<Promise<void>>();
	const server = createServer((request, response) => {
		const working = handle(request, response).finally(() => inFlight.delete(working));
		inFlight.add(working);
	});

	async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const response = asExpress(outgoing);
		response.once('finish', () => statuses.push(response.statusCode));
		response.once('close', () => {
			if (!response.writableFinished) onLeft?.();
		});
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
		const { url: path = '' } = incoming;
		if (isActive && !isActive(path)) {
			response.status(404).json({ code: 404, message: 'The requested webhook is not registered.' });
			return;
		}
		const { items, result } = await engine.post({
			mode: path.startsWith('/webhook-test/') ? 'manual' : 'webhook',
			secret: path.split('/').at(-1) ?? '',
			contentType: incoming.headers['content-type'] ?? '',
			body: Buffer.concat(chunks),
			headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
			response,
		});
		try {
			if (items.length > 0) await run?.(items);
		} catch (error) {
			if (!response.writableEnded) response.status(500).json({ code: 0, message: String(error) });
			return;
		}
		started.push(...items);
		if (items.length > 0) executions.push(items.length);
		if (result.noWebhookResponse !== true) response.status(200).json(result.webhookResponse);
	}

	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	const origin = `http://127.0.0.1:${address.port}`;
	return {
		url: `${origin}/webhook/${engine.path}${secret}`,
		origin,
		executions,
		started,
		statuses,
		idle: async () => {
			while (inFlight.size > 0) await Promise.all(inFlight);
		},
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

/** Adds the two methods of Express that a node and n8n use. */
function asExpress(response: ServerResponse): WebhookResponse {
	const express = Object.assign(response, {
		status: (code: number) => {
			response.statusCode = code;
			return express;
		},
		json: (body: unknown) => {
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(body));
			return express;
		},
	});
	return express;
}
