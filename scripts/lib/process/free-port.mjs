import { connect, createServer } from 'node:net';

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function acceptsConnections(port) {
	return new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.setTimeout(1_000, () => resolve(true));
		socket.once('connect', () => socket.destroy()).once('timeout', () => socket.destroy());
	});
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function canListen(port) {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

/**
 * Checks whether a port of this machine is free.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port) {
	// Some systems allow listening on 127.0.0.1 while another program listens on all addresses. Connecting detects that.
	return !(await acceptsConnections(port)) && (await canListen(port));
}

/**
 * Finds a free port at or after a preferred one.
 *
 * @param {number} preferred
 * @param {ReadonlySet<number>} [avoid] reserved ports, even if nothing listens there yet
 * @returns {Promise<number>} the preferred port if it is free
 * @throws {Error} if none of the next 200 ports is free
 */
export async function findFreePort(preferred, avoid = new Set()) {
	for (let port = preferred; port < preferred + 200 && port < 65_536; port += 1) {
		if (!avoid.has(port) && (await isPortFree(port))) return port;
	}
	throw new Error(`No port from ${preferred} to ${preferred + 199} is free. Use another port number.`);
}
