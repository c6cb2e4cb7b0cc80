import { once } from 'node:events';
import { Agent, createServer, request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A complete response from behind a proxy. */
export interface PassedResponse {
	readonly status: number;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
}

/** A request at a proxy. */
export interface ProxiedRequest {
	readonly headers: IncomingHttpHeaders;
	/**
	 * Forwards the request to a server.
	 * @param target the server, without a slash at the end
	 * @param signal cuts the connection to the server
	 * @throws Error if there is no complete response
	 */
	readonly forward: (target: string, signal?: AbortSignal) => Promise<PassedResponse>;
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
	const agent = new Agent({ keepAlive: true });
	const server = createServer((incoming, outgoing) => {
		const { method, url = '/', headers } = incoming;
		const chunks: Buffer[] = [];
		incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
		incoming.on('end', () => {
			const body = Buffer.concat(chunks);
			const forward: ProxiedRequest['forward'] = async (target, signal) => {
				const passed = request(`${target}${url}`, {
					method,
					headers: { ...headers, host: new URL(target).host, connection: 'keep-alive' },
					agent,
					...(signal && { signal }),
				});
				passed.end(body);
				return await responseOf(passed);
			};
			react({ headers, forward }, outgoing).catch(() => outgoing.destroy());
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			agent.destroy();
			await closed;
		},
	};
}

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Sends a response of a server to the client, or only its beginning. */
export function pass(response: ServerResponse, { status, headers, body }: PassedResponse, part = body.length): void {
	const passed = Object.entries(headers).filter(([name]) => !OF_ONE_CONNECTION.has(name));
	response.writeHead(status, { ...Object.fromEntries(passed), 'content-length': body.length });
	if (part >= body.length) response.end(body);
	else response.write(body.subarray(0, part), () => response.destroy());
}

async function responseOf(passed: ReturnType<typeof request>): Promise<PassedResponse> {
	return await new Promise((resolve, reject) => {
		passed.on('error', reject);
		passed.on('response', (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.on('error', reject);
			response.on('end', () => {
				const { statusCode: status = 0, headers } = response;
				resolve({ status, headers, body: Buffer.concat(chunks) });
			});
		});
	});
}
