import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy on loopback. */
export interface PrefixProxy {
	/** The address of the relay behind the proxy, with a slash at the end. */
	readonly url: string;
	readonly close: () => Promise<void>;
}

/**
 * Starts a proxy that shows a server below a path, and removes the path from requests.
 * @param target the server, without a slash at the end
 * @param prefix such as `/relay/`
 * @param keepsHost keeps the Host header, as Caddy does. By default it is replaced, as nginx does
 */
export async function startPrefixProxy(target: string, prefix: string, keepsHost = false): Promise<PrefixProxy> {
	const server = createServer((incoming, outgoing) => {
		const path = incoming.url ?? '/';
		if (!path.startsWith(prefix)) {
			outgoing.writeHead(404).end('Another program of this host');
			return;
		}
		const headers = { ...incoming.headers, ...(!keepsHost && { host: new URL(target).host }) };
		const passed = request(
			`${target}/${path.slice(prefix.length)}`,
			{ method: incoming.method, headers },
			(response) => {
				outgoing.writeHead(response.statusCode ?? 502, response.headers);
				response.pipe(outgoing);
			},
		);
		passed.on('error', () => outgoing.destroy());
		outgoing.on('close', () => passed.destroy());
		incoming.pipe(passed);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
