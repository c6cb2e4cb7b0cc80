import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { INodeExecutionData } from 'n8n-workflow';
import type { TriggerEngine } from './triggerEngine';

/** The trigger behind a real port, for gateways and the service to post to. */
export interface ServedTrigger extends AsyncDisposable {
	/** Where to post to, the secret included. */
	readonly url: string;
	/** What it started the workflow with, in the order of the starts. */
	readonly started: Array<INodeExecutionData['json']>;
	/** Statuses that callers got. */
	readonly answered: number[];
	/** Resolves when every post that came has been worked off. */
	idle(): Promise<void>;
}

/** Serves a trigger as n8n's server does: its answer may come before its work is done. */
export async function serveTrigger(engine: TriggerEngine, secret: string): Promise<ServedTrigger> {
	const started: ServedTrigger['started'] = [];
	const answered: number[] = [];
	const underWay = new Set<Promise<void>>();
	const server = createServer((request, response) => {
		const working = handle(request).finally(() => underWay.delete(working));
		underWay.add(working);

		async function handle(incoming: IncomingMessage): Promise<void> {
			const chunks: Buffer[] = [];
			for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
			const end = (status: number) => {
				if (response.headersSent) return;
				answered.push(status);
				response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
			};
			const { items, status } = await engine.post({
				secret: incoming.url?.split('/').at(-1) ?? '',
				contentType: incoming.headers['content-type'] ?? '',
				body: Buffer.concat(chunks),
				headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
				onAnswer: (given) => end(given),
			});
			started.push(...items);
			end(status);
		}
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no TCP port');
	return {
		url: `http://127.0.0.1:${address.port}/webhook/${engine.path}${secret}`,
		started,
		answered,
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
