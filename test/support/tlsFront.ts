import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeCertificate } from './thirdParty/certificate';

/** An https address on this machine in front of a plain one. */
export interface TlsFront extends AsyncDisposable {
	/** Such as `localhost:40123`. */
	readonly host: string;
}

/**
 * Starts an https server that forwards every request to a plain server on this machine.
 *
 * @param target origin of the plain server
 * @param certificateFile gets the certificate, for the `NODE_EXTRA_CA_CERTS` of a client
 */
export async function startTlsFront(target: string, certificateFile: string): Promise<TlsFront> {
	const certificate = await makeCertificate(['localhost'], certificateFile);
	const { hostname, port: targetPort } = new URL(target);
	const server = createServer(certificate, (incoming, outgoing) => {
		const { method, url: path, headers } = incoming;
		// Two arguments, because Zapier's core replaces this function with one that takes no more.
		const forwarded = request({ hostname, port: targetPort, path, method, headers }, (response) => {
			outgoing.writeHead(response.statusCode ?? 502, response.headers);
			response.pipe(outgoing);
		});
		forwarded.on('error', () => outgoing.destroy());
		incoming.pipe(forwarded);
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		host: `localhost:${port}`,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
