import { comparableOrigin } from '../ownAddress';

/**
 * Whether a URL is an ingest URL of this relay. A subscription to it would loop: each delivery would be a new event.
 * @param addresses of the relay: its public URL, and the one that it listens on
 */
export function isOwnIngest(url: string, addresses: readonly string[]): boolean {
	const { pathname } = new URL(url);
	return addresses.some((address) => {
		const path = new URL(address).pathname.replace(/\/+$/, '');
		return comparableOrigin(url) === comparableOrigin(address) && pathname.startsWith(`${path}/in/`);
	});
}
