import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { eventually } from '../eventually';

/** A request that a receiver got. */
export interface ReceivedRequest {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	/** The raw body. */
	readonly text: string;
	/** When it arrived, in milliseconds since 1970. */
	readonly at: number;
	/** The status that the receiver responded; 0 before that. */
	readonly status: number;
}

/** A response of a receiver: a status, a status with headers, or `hang` for none. */
export type ReceiverResponse = number | 'hang' | { readonly status: number; readonly headers: Record<string, string> };

/** An event in a request. */
export interface ReceivedEvent {
	readonly id: string;
	readonly type: string;
	readonly sequence: number;
	readonly data: Readonly<Record<string, unknown>>;
}

/** A webhook receiver on loopback. */
export interface Receiver {
	readonly url: string;
	readonly requests: readonly ReceivedRequest[];
	/** The events of requests with a 2xx response, in the order of their arrival. Batches are flattened. */
	readonly events: () => ReceivedEvent[];
	/** Decides the response. `count`: requests before this one. Default: 200. */
	respond: (request: { readonly text: string; readonly count: number }) => ReceiverResponse | Promise<ReceiverResponse>;
	/** Waits until this many events were accepted. */
	readonly waitFor: (count: number, withinMs?: number) => Promise<ReceivedEvent[]>;
	/** Closes the port. Connections are cut. */
	readonly close: () => Promise<void>;
}

/** Starts a receiver. */
export async function startReceiver(port = 0): Promise<Receiver> {
	const requests: Array<{ -readonly [Key in keyof ReceivedRequest]: ReceivedRequest[Key] }> = [];
	const receiver = {
		respond: (() => 200) as Receiver['respond'],
	};
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const text = Buffer.concat(chunks).toString('utf8');
			const received = { path: request.url ?? '', headers: request.headers, text, at: Date.now(), status: 0 };
			const decided = receiver.respond({ text, count: requests.length });
			requests.push(received);
			void Promise.resolve(decided).then((answer) => {
				if (answer === 'hang') return;
				const { status, headers } = typeof answer === 'object' ? answer : { status: answer, headers: {} };
				received.status = status;
				response.writeHead(status, headers).end();
			});
		});
	});
	server.listen(port, '127.0.0.1');
	await once(server, 'listening');
	const { port: actual } = server.address() as AddressInfo;
	const events = () =>
		requests
			.filter(({ status }) => status >= 200 && status < 300)
			.flatMap(({ text }) => {
				const body = JSON.parse(text) as ReceivedEvent | ReceivedEvent[];
				return Array.isArray(body) ? body : [body];
			});
	return Object.assign(receiver, {
		url: `http://127.0.0.1:${actual}/hook`,
		requests,
		events,
		waitFor: async (count: number, withinMs?: number) =>
			await eventually(
				`${count} events`,
				() => Promise.resolve(events().length >= count ? events() : undefined),
				...(withinMs === undefined ? [] : [withinMs]),
			),
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	});
}
