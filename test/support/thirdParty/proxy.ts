import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Certificate } from './certificate';

/** The APIs of other companies, by the host names at which programs reach them. */
export type Hosts = Readonly<Record<string, Hono>>;

/** Whether a URL has an address of this machine. NO_PROXY cannot name those with colons. */
function isHere(url: string): boolean {
	const { hostname } = new URL(url);
	const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
	return addresses.some(({ address, family }) => hostname === (family === 'IPv6' ? `[${address}]` : address));
}

/** A proxy on loopback that serves stand-ins under the host names of other companies. */
export interface ThirdPartyProxy {
	/** Variables of a program's environment. They lead its requests here, except those to this machine. */
	readonly environment: Readonly<Record<'HTTP_PROXY' | 'HTTPS_PROXY' | 'NO_PROXY' | 'NODE_EXTRA_CA_CERTS', string>>;
	/** Hosts that the program asked for and that have no stand-in, oldest first. */
	readonly rejected: readonly string[];
	readonly close: () => Promise<void>;
}

/**
 * Starts the proxy. It ends the TLS connections of the program with a certificate of its own, and lets nothing leave this
 * machine. A request to any other host gets 502.
 * @param hosts the stand-ins
 * @param certificate a certificate for these hosts
 * @param port a reserved port. Default: a free one
 */
export async function startThirdPartyProxy(
	hosts: Hosts,
	{ key, cert, file }: Certificate,
	port = 0,
): Promise<ThirdPartyProxy> {
	const rejected: string[] = [];
	const listener = getRequestListener(async (request) => {
		const app = hosts[new URL(request.url).hostname];
		return (await app?.fetch(request)) ?? new Response('This host has no stand-in', { status: 502 });
	});
	const standIns = createTlsServer({ key, cert }, (request, response) => void listener(request, response));
	const proxy = createServer((incoming, response) => {
		const { url = '', method, headers } = incoming;
		const reject = () => response.writeHead(502).end(`The tests reach no other host: ${url}`);
		if (isHere(url)) {
			const outgoing = forward(url, { method, headers }, (answer) => {
				answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
			});
			incoming.pipe(outgoing.on('error', reject));
		} else {
			rejected.push(url);
			reject();
		}
	});
	const tunnels = new Set<Duplex>();
	proxy.on('connect', ({ url = '' }, socket, head) => {
		tunnels.add(socket);
		socket.once('close', () => tunnels.delete(socket));
		const [host = '', hostPort] = url.split(':');
		if (!(host in hosts) || hostPort !== '443') {
			rejected.push(url);
			socket.end(`HTTP/1.1 502 The tests reach no other host\r\n\r\n`);
			return;
		}
		socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
		socket.unshift(head);
		standIns.emit('connection', socket);
	});
	await once(proxy.listen(port, '127.0.0.1'), 'listening');
	const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
	return {
		environment: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1,localhost', NODE_EXTRA_CA_CERTS: file },
		rejected,
		async close() {
			const closed = once(proxy, 'close');
			proxy.close();
			// Node leaves tunnels alone, and one whose client rejects the certificate stays open for two minutes.
			for (const tunnel of tunnels) tunnel.destroy();
			proxy.closeAllConnections();
			await closed;
		},
	};
}
