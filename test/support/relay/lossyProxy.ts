import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the proxy. */
export interface ProxiedRequest {
	readonly method: string | undefined;
	readonly path: string | undefined;
	readonly headers: IncomingMessage['headers'];
}

/** A proxy that loses responses of the server behind it. */
export interface LossyProxy extends AsyncDisposable {
	/** Its address, without a slash at the end. */
	readonly url: string;
	/** All requests, in order. */
	readonly requests: readonly ProxiedRequest[];
	/** Loses the responses to the next POST requests, after the server behind it has responded. */
	lose(count: number): void;
}

/** Starts a proxy on a free port of this machine. @param target the server, without a slash at the end */
export async function lossyProxy(target: string): Promise<LossyProxy> {
	const requests: ProxiedRequest[] = [];
	let toLose = 0;
	const server = createServer((incoming, outgoing) => {
		const { method, url: path, headers } = incoming;
		requests.push({ method, path, headers });
		const passed = request(`${target}${path}`, { method, headers }, (response) => {
			if (method === 'POST' && toLose > 0) {
				toLose--;
				response.resume().on('end', () => incoming.socket.resetAndDestroy());
				return;
			}
			outgoing.writeHead(response.statusCode ?? 502, response.headers);
			response.pipe(outgoing);
		});
		passed.on('error', () => outgoing.destroy());
		incoming.pipe(passed);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		lose: (count) => {
			toLose = count;
		},
		[Symbol.asyncDispose]: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
