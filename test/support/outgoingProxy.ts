import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy for outgoing requests on this machine. It reaches no server. */
export interface OutgoingProxy extends AsyncDisposable {
	/** The variables of the environment that name it. */
	readonly env: { readonly HTTP_PROXY: string; readonly HTTPS_PROXY: string };
	/** The URLs of plain requests, and the hosts of tunnels. */
	readonly targets: readonly string[];
}

/** Starts a proxy that responds to plain requests itself, with 200, and rejects tunnels with 403. */
export async function startOutgoingProxy(): Promise<OutgoingProxy> {
	const targets: string[] = [];
	const server = createServer((request, response) => {
		targets.push(request.url ?? '');
		response.writeHead(200, { 'content-type': 'application/json' }).end('{"by":"proxy"}');
	});
	server.on('connect', ({ url = '' }, socket) => {
		targets.push(url);
		socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		env: { HTTP_PROXY: url, HTTPS_PROXY: url },
		targets,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
