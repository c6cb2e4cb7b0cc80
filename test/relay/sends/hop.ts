import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The reaction of the proxy to one call of the service's API. */
export type HopReaction =
	| 'pass'
	/** Cuts the connection without forwarding. */
	| 'cut before'
	/** Forwards, and cuts the connection after the response of the relay arrived. */
	| 'cut after'
	/** Forwards, and cuts in the middle of the body. */
	| 'truncate'
	/** Never responds, and forwards. */
	| 'hang'
	/** Responds with a page of its own, after it forwarded or without. */
	| { readonly page: number; readonly forwards: boolean };

/** A proxy between a client and a relay. */
export interface Hop {
	/** The base URL for a client. */
	readonly baseUrl: string;
	/** Requests that arrived: method, path, headers and body. */
	readonly received: Array<{
		readonly method: string;
		readonly url: string;
		readonly headers: IncomingMessage['headers'];
		readonly body: string;
	}>;
	/** Calls of the service's API among them. */
	readonly calls: () => Hop['received'];
	/** Reactions to the next calls. After the last one, all pass. Other paths, such as `/v1/me`, always pass. */
	readonly plan: (...reactions: HopReaction[]) => void;
	/** Waits until so many calls were forwarded, and the relay responded. */
	readonly forwarded: (count: number) => Promise<void>;
	/** The relay behind it, without a slash at the end. */
	target: string;
	readonly close: () => Promise<void>;
}

/** Starts a proxy in front of a relay, on a free port of this machine. */
export async function startHop(target: string): Promise<Hop> {
	const received: Hop['received'] = [];
	let reactions: HopReaction[] = [];
	let forwarded = 0;

	async function forward(request: IncomingMessage, body: string): Promise<Response> {
		const { method = '', url = '', headers } = request;
		const names = ['content-type', 'x-api-key', 'authorization', 'idempotency-key', 'accept'];
		const kept = names.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const]));
		return await fetch(`${hop.target}${url}`, {
			method,
			headers: Object.fromEntries(kept),
			redirect: 'manual',
			...(body !== '' && { body }),
		});
	}

	async function react(
		reaction: HopReaction,
		request: IncomingMessage,
		body: string,
		response: ServerResponse,
	): Promise<unknown> {
		if (reaction === 'cut before') return request.socket.resetAndDestroy();
		if (typeof reaction === 'object' && !reaction.forwards) return errorPage(response, reaction.page);
		const got = await forward(request, body);
		const text = await got.text();
		if (request.url?.startsWith('/api/') === true) {
			forwarded += 1;
			server.emit('forwarded');
		}
		if (reaction === 'hang') return undefined;
		if (reaction === 'cut after') return request.socket.resetAndDestroy();
		if (typeof reaction === 'object') return errorPage(response, reaction.page);
		const own = Object.fromEntries([...got.headers].filter(([name]) => !HOP_BY_HOP.has(name)));
		response.writeHead(got.status, { ...own, 'content-length': Buffer.byteLength(text) });
		if (reaction === 'pass') return response.end(text);
		return response.write(text.slice(0, Math.floor(text.length / 2)), () => request.socket.destroy());
	}

	const server = createServer((request, response) => {
		let body = '';
		request.setEncoding('utf8').on('data', (part: string) => (body += part));
		request.on('end', () => {
			const { method = '', url = '', headers } = request;
			received.push({ method, url, headers, body });
			const reaction = url.startsWith('/api/') ? (reactions.shift() ?? 'pass') : 'pass';
			// As a proxy does if the relay is away.
			react(reaction, request, body, response).catch(() => errorPage(response, 502));
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const hop: Hop = {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`,
		received,
		calls: () => received.filter(({ url }) => url.startsWith('/api/')),
		plan: (...next) => (reactions = next),
		async forwarded(count) {
			while (forwarded < count) await once(server, 'forwarded');
		},
		target,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	return hop;
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding']);

function errorPage(response: ServerResponse, status: number): ServerResponse {
	return response.writeHead(status, { 'content-type': 'text/html' }).end(`<h1>${status} from a proxy</h1>`);
}
