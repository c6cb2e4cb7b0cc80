import { connect, createServer } from 'node:net';

function answers(port) {
	return new Promise((resolve) => {
		const socket = connect({ port, host: '127.0.0.1' });
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.setTimeout(1_000, () => resolve(true));
		socket.once('connect', () => socket.destroy()).once('timeout', () => socket.destroy());
	});
}

function canListen(port) {
	return new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

/**
 * Tells whether a port of this machine can be taken.
 *
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export async function isPortFree(port) {
	// Some systems let us listen on 127.0.0.1 beside a program that listens on all addresses; asking finds that out.
	return !(await answers(port)) && (await canListen(port));
}

/**
 * Finds a free port at or after a preferred one.
 *
 * @param {number} preferred
 * @param {ReadonlySet<number>} [avoid] ports that are spoken for though nothing listens there yet
 * @returns {Promise<number>} the preferred port when it is free
 * @throws {Error} when none of the next 200 ports is free
 */
export async function findFreePort(preferred, avoid = new Set()) {
	for (let port = preferred; port < preferred + 200 && port < 65_536; port += 1) {
		if (!avoid.has(port) && (await isPortFree(port))) return port;
	}
	throw new Error(`No free port between ${preferred} and ${preferred + 199}`);
}
