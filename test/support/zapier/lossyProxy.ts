import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Headers that belong to one connection, or to a body that `fetch` has decoded. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
	...['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'content-encoding'],
]);

/** A request that passed the proxy. */
interface PassedRequest {
	readonly call: string;
	readonly headers: IncomingHttpHeaders;
}

/** A proxy on loopback that loses responses. */
export interface LossyProxy extends AsyncDisposable {
	/** Without a slash at the end. */
	readonly url: string;
	/** How many of the next responses to a POST get lost, after the server behind has sent them. */
	lose: number;
	/** All requests, in order. */
	readonly passed: PassedRequest[];
}

/**
 * Starts a proxy that forwards all requests.
 * @param target the server, without a slash at the end
 * @param prefix path below which the proxy shows the server, such as `/relay`
 */
export async function lossyProxy(target: () => string, prefix = ''): Promise<LossyProxy> {
	const server = createServer((incoming, outgoing) => {
		const { method = 'GET', url = '/', headers } = incoming;
		proxy.passed.push({ call: `${method} ${url}`, headers });
		const parts: Buffer[] = [];
		incoming.on('data', (part: Buffer) => parts.push(part));
		incoming.on('end', () => void forward());
		async function forward(): Promise<void> {
			const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.has(name));
			const response = await fetch(`${target()}${url.slice(prefix.length)}`, {
				method,
				headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
				...(method === 'POST' && { body: Buffer.concat(parts) }),
				redirect: 'manual',
			}).catch(() => undefined);
			const body = await response?.arrayBuffer();
			if (!response || !body || (method === 'POST' && proxy.lose-- > 0)) {
				incoming.socket.resetAndDestroy();
				return;
			}
			const shown = [...response.headers].filter(([name]) => !OF_CONNECTION.has(name));
			outgoing.writeHead(response.status, Object.fromEntries(shown)).end(Buffer.from(body));
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const proxy: LossyProxy = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
		lose: 0,
		passed: [],
		async [Symbol.asyncDispose]() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	return proxy;
}
