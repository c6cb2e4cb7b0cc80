import getPort from 'get-port';

/**
 * Reserves a free port at or after a preferred one. This process never gets the same port twice.
 *
 * @param {number} preferred
 * @returns {Promise<number>} the preferred port if it is free, or any free port if none of the next 200 is
 */
export async function reservePort(preferred) {
	const ports = Array.from({ length: 200 }, (_, offset) => preferred + offset).filter((port) => port < 65_536);
	return await getPort({ port: ports, reserve: true });
}
