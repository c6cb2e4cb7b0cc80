import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';

/** A sandbox that takes its time for each message, so that a campaign has a middle. */
export interface SlowService {
	readonly baseUrl: string;
	/**
	 * Waits for a moment at which one message in flight has arrived and another has not. If the connections break then, the
	 * first is charged and the second never is.
	 */
	readonly bothInFlight: () => Promise<void>;
	readonly close: () => Promise<void>;
}

/**
 * Starts a slow service in front of a sandbox, on a free port of this machine. Every second message reaches the sandbox at
 * once, and its response comes late. The others reach it late, unless the caller has left.
 * @param sandboxUrl without a slash at the end
 * @param holdMs how long it holds a message, in milliseconds
 */
export async function startSlowService(sandboxUrl: string, holdMs: number): Promise<SlowService> {
	const changes = new EventEmitter();
	const held = { arrived: 0, waiting: 0 };
	let messages = 0;

	async function hold(kind: keyof typeof held): Promise<void> {
		held[kind] += 1;
		changes.emit('held');
		await wait(holdMs);
		held[kind] -= 1;
	}

	async function forward({ method = 'GET', url = '', headers }: IncomingMessage, body: string): Promise<Response> {
		const passed = ['content-type', 'authorization', 'x-api-key'].flatMap((name): Array<[string, string]> => {
			const value = headers[name];
			return typeof value === 'string' ? [[name, value]] : [];
		});
		return await fetch(`${sandboxUrl}${url}`, { method, headers: passed, body: body === '' ? null : body });
	}

	async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await text(request);
		const isMessage = request.method === 'POST';
		const arrivesFirst = isMessage && messages++ % 2 === 0;
		if (isMessage && !arrivesFirst) await hold('waiting');
		if (response.closed) return;
		const given = await forward(request, body);
		const content = await given.text();
		if (arrivesFirst) await hold('arrived');
		response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' }).end(content);
	}

	// The caller is killed, so its connection may end at any moment.
	const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/api/v1/`,
		async bothInFlight() {
			while (held.arrived === 0 || held.waiting === 0) await once(changes, 'held');
		},
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
