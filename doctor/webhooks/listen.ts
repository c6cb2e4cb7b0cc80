import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { MAX_BODY_BYTES } from '../../shared';
import type { NameMask } from '../publicNames';
import { readWebhook, type ReceivedWebhook } from './readWebhook';

/** A server that collects webhooks. */
export interface WebhookListener {
	/** Path that only the service knows, with a leading slash. */
	readonly path: string;
	/** TCP port. */
	readonly port: number;
	readonly received: readonly ReceivedWebhook[];
	stop(): Promise<void>;
}

/**
 * Listens for webhooks on this machine. Requests to another path get a 404 and are not kept.
 * @param port 0 for a free one
 * @throws Error with code `EADDRINUSE` if the port is in use
 */
export async function listenForWebhooks(port: number, mask: NameMask): Promise<WebhookListener> {
	const path = `/doctor/${randomUUID()}`;
	const received: ReceivedWebhook[] = [];
	const server = createServer((request, response) => {
		if (request.method !== 'POST' || request.url?.split('?')[0] !== path) {
			response.writeHead(404).end();
			return;
		}
		const chunks: Buffer[] = [];
		let size = 0;
		request.on('data', (chunk: Buffer) => {
			size += chunk.length;
			if (size <= MAX_BODY_BYTES) chunks.push(chunk);
		});
		request.on('end', () => {
			received.push(readWebhook(request.headers, Buffer.concat(chunks), mask));
			response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
		});
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('the doctor listens on no TCP port');
	return {
		path,
		port: address.port,
		received,
		stop: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
