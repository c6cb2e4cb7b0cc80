import getPort from 'get-port';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * How far a mark is from its port. The marks of all ports that this project prefers are below the ports that systems
 * give to clients.
 */
const markDistance = 20_000;

/**
 * Marks a port as reserved for as long as this process runs. The mark is a listener, so the system removes it even if
 * the process is killed.
 *
 * @param {number} port
 * @returns {Promise<import('node:net').Server | undefined>} undefined if a process has the mark already
 */
async function markPort(port) {
	const mark = createServer((socket) => socket.destroy());
	const markedBy = port < 65_536 - markDistance ? port + markDistance : port - markDistance;
	try {
		await once(mark.listen({ host: '127.0.0.1', port: markedBy }), 'listening');
	} catch {
		return undefined;
	}
	return mark.unref();
}

/**
 * Reserves a free port at or after a preferred one. No process of this project on the machine gets it too while this
 * one runs, even if its server is away for a while.
 *
 * @param {number} preferred
 * @returns {Promise<number>} the preferred port if it is free, or any free port if none of the next 200 is
 */
export async function reservePort(preferred) {
	for (let port = preferred; port < Math.min(preferred + 200, 65_536); port += 1) {
		const mark = await markPort(port);
		if (!mark) continue;
		if ((await getPort({ port })) === port) return port;
		mark.close();
	}
	return await getPort({ reserve: true });
}
