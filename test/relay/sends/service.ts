import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the service read. */
export interface ServiceRequest {
	readonly method: string;
	readonly url: string;
	readonly headers: IncomingMessage['headers'];
	readonly body: string;
}

/** A service whose reaction a test chooses. */
export interface ScriptedService {
	readonly baseUrl: string;
	/** All requests that were read in full. */
	readonly received: ServiceRequest[];
	/** The reaction to the next requests. */
	respond: (response: ServerResponse, request: ServiceRequest) => void;
	/** Waits until so many requests were read. */
	readonly waitFor: (count: number) => Promise<void>;
	readonly close: () => Promise<void>;
}

/** Responds as the service does to an accepted SMS. */
export function accept(response: ServerResponse, id = 'msg_1'): void {
	const body = { success: true, message_id: id, status: 'submitted', cost: 0.05, billed_via: 'wallet', balance: 9.95 };
	response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Starts a service on a free port of this machine, or on a port that was free before. It accepts every SMS. */
export async function startService(port = 0): Promise<ScriptedService> {
	const received: ServiceRequest[] = [];
	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (part: string) => (body += part));
		request.on('end', () => {
			const { method = '', url = '', headers } = request;
			const read = { method, url, headers, body };
			received.push(read);
			server.emit('read');
			service.respond(response, read);
		});
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	const service: ScriptedService = {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`,
		received,
		respond: (response) => accept(response),
		async waitFor(count) {
			while (received.length < count) await once(server, 'read');
		},
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	return service;
}
