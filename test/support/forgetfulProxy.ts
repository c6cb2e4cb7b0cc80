import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy that forgets each connection after its first response, as a NAT does with an idle one. */
export interface ForgetfulProxy extends AsyncDisposable {
	/** Without a slash at the end. */
	readonly url: string;
}

/**
 * Starts a proxy that resets a connection if the client uses it again after a response.
 * @param target the server, without a slash at the end
 */
export async function forgetfulProxy(target: string): Promise<ForgetfulProxy> {
	const { hostname, port } = new URL(target);
	const open = new Set<Socket>();
	const server = createServer((client) => {
		const upstream = connect(Number(port), hostname);
		let answered = false;
		for (const socket of [client, upstream]) {
			open.add(socket);
			socket.on('error', () => undefined);
			socket.on('close', () => open.delete(socket));
		}
		client.on('data', (data) => {
			if (answered) client.resetAndDestroy();
			else upstream.write(data);
		});
		upstream.on('data', (data) => {
			answered = true;
			client.write(data);
		});
		client.on('end', () => upstream.end());
		upstream.on('end', () => client.end());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${address.port}`,
		[Symbol.asyncDispose]: async () => {
			for (const socket of open) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
