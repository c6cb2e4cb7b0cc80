import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';

/** A complete response from behind a proxy. */
export interface PassedResponse {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
}

/** How a proxy forwards a request. */
interface ForwardOptions {
	/** Instead of the path of the request. */
	readonly path?: string;
	/** Cuts the connection to the server. */
	readonly signal?: AbortSignal;
}

/** A request at a proxy. */
export interface ProxiedRequest {
	readonly method: string;
	/** With the query. */
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
	/**
	 * Forwards the request to a server.
	 * @param target the server, without a slash at the end
	 * @throws Error if there is no complete response
	 */
	readonly forward: (target: string, options?: ForwardOptions) => Promise<PassedResponse>;
}

/** A proxy on loopback. */
export interface HttpProxy {
	/** Without a slash at the end. */
	readonly url: string;
	readonly close: () => Promise<void>;
}

/**
 * Starts a proxy between two programs, which decides what each request meets.
 * @param react responds to a request. If it throws, the connection is cut
 */
export async function startHttpProxy(
	react: (request: ProxiedRequest, response: ServerResponse) => Promise<void>,
): Promise<HttpProxy> {
	// One request for each connection. One that stays open may be closed while a request leaves, whose response would be lost.
	const agent = new Agent({ pipelining: 0 });
	const server = createServer((incoming, outgoing) => {
		const { method = 'GET', url: path = '/', headers } = incoming;
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const body = Buffer.concat(chunks);
			const forward: ProxiedRequest['forward'] = async (target, options = {}) => {
				const response = await agent.request({
					origin: target,
					path: options.path ?? path,
					method,
					headers: { ...endToEnd(headers), host: new URL(target).host },
					...(body.length > 0 && { body }),
					...(options.signal && { signal: options.signal }),
				});
				const bytes = await response.body.bytes();
				return { status: response.statusCode, headers: response.headers, body: Buffer.from(bytes) };
			};
			react({ method, path, headers, body, forward }, outgoing).catch(() => outgoing.destroy());
		});
	});
	// For the same reason, only the client ends a connection without a request.
	server.keepAliveTimeout = 0;
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await Promise.all([closed, agent.destroy()]);
		},
	};
}

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name)));
}

/**
 * Sends a response of a server to the client.
 * @param part sends only so many bytes of the body, and then cuts the connection
 */
export function pass(response: ServerResponse, { status, headers, body }: PassedResponse, part = body.length): void {
	response.writeHead(status, { ...endToEnd(headers), 'content-length': body.length });
	if (part >= body.length) response.end(body);
	else response.write(body.subarray(0, part), () => response.destroy());
}

/** Ends a connection without a response, as a reset that the client cannot take for a response. */
export function cut({ req }: ServerResponse): void {
	req.socket.resetAndDestroy();
}
