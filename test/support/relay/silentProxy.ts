import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of a PostgreSQL server, which can go silent like a host that lost its power. */
export interface SilentProxy {
	/** The URL of the database, through the proxy. */
	readonly url: string;
	/** From now on, nothing passes and no connection closes. */
	readonly silence: () => void;
	/** New connections pass again. The old ones stay silent, because the host that comes back does not know them. */
	readonly recover: () => void;
	readonly close: () => Promise<void>;
}

/**
 * Starts a proxy on loopback.
 * @param target the URL of the database
 */
export async function startSilentProxy(target: string): Promise<SilentProxy> {
	const url = new URL(target);
	const sockets = new Set<Socket>();
	let pairs: Array<readonly [Socket, Socket]> = [];
	let isSilent = false;
	const server = createServer((incoming) => {
		incoming.on('error', () => undefined);
		sockets.add(incoming);
		if (isSilent) return;
		const outgoing = connect(Number(url.port), url.hostname);
		outgoing.on('error', () => undefined);
		sockets.add(outgoing);
		incoming.pipe(outgoing);
		outgoing.pipe(incoming);
		pairs.push([incoming, outgoing]);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const through = new URL(target);
	through.hostname = '127.0.0.1';
	through.port = String((server.address() as AddressInfo).port);
	return {
		url: through.href,
		silence() {
			isSilent = true;
			for (const [incoming, outgoing] of pairs) {
				incoming.unpipe();
				outgoing.unpipe();
				incoming.resume();
				outgoing.resume();
			}
			pairs = [];
		},
		recover() {
			isSilent = false;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			server.close();
			await once(server, 'close');
		},
	};
}
