import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { INodeExecutionData } from 'n8n-workflow';
import type { TriggerEngine, WebhookResponse } from './triggerEngine';

type Item = INodeExecutionData['json'];

/** The trigger behind a real port, for gateways and the service to post to. */
export interface ServedTrigger extends AsyncDisposable {
	/** Where to post to, the secret included. */
	readonly url: string;
	/** What it started the workflow with, in the order of the starts. */
	readonly started: Item[];
	/** Statuses that callers got. */
	readonly answered: number[];
	/** Resolves when every post that came has been worked off. */
	idle(): Promise<void>;
}

/** How n8n behaves behind the trigger. */
export interface ServeOptions {
	/** Stores the execution, before n8n responds; n8n responds with 500 if it rejects. It never fails unless given. */
	readonly run?: (items: readonly Item[]) => Promise<void>;
	/** Called when a caller left before it had a response. */
	readonly onLeft?: () => void;
}

/**
 * Serves a trigger as n8n's server does (webhook-helpers.js, executeWebhook): the node's own answer may come before its
 * work is done; else n8n responds once the execution is stored, and with 500 (response-helper.js, sendErrorResponse) if
 * that fails.
 */
export async function serveTrigger(
	engine: TriggerEngine,
	secret: string,
	{ run, onLeft }: ServeOptions = {},
): Promise<ServedTrigger> {
	const started: ServedTrigger['started'] = [];
	const responded: number[] = [];
	const underWay = new Set<Promise<void>>();
	const server = createServer((request, response) => {
		const working = handle(request, response).finally(() => underWay.delete(working));
		underWay.add(working);
	});

	async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
		const response = asExpress(outgoing);
		response.once('finish', () => responded.push(response.statusCode));
		response.once('close', () => {
			if (!response.writableFinished) onLeft?.();
		});
		const chunks: Buffer[] = [];
		for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
		const { items, result } = await engine.post({
			secret: incoming.url?.split('/').at(-1) ?? '',
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
		if (result.noWebhookResponse !== true) response.status(200).json(result.webhookResponse);
	}

	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	return {
		url: `http://127.0.0.1:${address.port}/webhook/${engine.path}${secret}`,
		started,
		answered: responded,
		idle: async () => {
			while (underWay.size > 0) await Promise.all(underWay);
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
