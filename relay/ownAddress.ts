const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The origin of a URL, to compare it with addresses of the relay.
 * @returns the same for all names of this machine
 */
export function comparableOrigin(url: string): string {
	const { protocol, hostname, port } = new URL(url);
	return `${protocol}//${LOOPBACK.test(hostname) ? 'localhost' : hostname}:${port}`;
}
