const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Whether a URL is an ingest URL of this relay. A subscription to it would loop: each delivery would be a new event.
 * @param addresses of the relay: its public URL, and the one that it listens on
 */
export function isOwnIngest(url: string, addresses: readonly string[]): boolean {
	const { pathname } = new URL(url);
	return addresses.some((address) => {
		const path = new URL(address).pathname.replace(/\/+$/, '');
		return originOf(url) === originOf(address) && pathname.startsWith(`${path}/in/`);
	});
}

/** All names of this machine are one. */
function originOf(address: string): string {
	const { protocol, hostname, port } = new URL(address);
	return `${protocol}//${LOOPBACK.test(hostname) ? 'localhost' : hostname}:${port}`;
}
