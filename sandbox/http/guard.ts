import { isIPv6 } from 'node:net';
import { HttpError } from './httpError';

/** Parts of a request that identify the page that sent it. */
export interface Caller {
	readonly method: string;
	readonly host: string | undefined;
	readonly origin: string | undefined;
}

/** Hosts that mean all interfaces. */
const WILDCARDS = new Set(['0.0.0.0', '[::]']);

/** Names that containers use for the machine they run on. */
const CONTAINER_HOSTS = new Set(['host.docker.internal', 'gateway.docker.internal', 'host.containers.internal']);

/** Accepts a request by its Host header. @throws HttpError 403 `forbidden` */
export type HostCheck = (host: string | undefined) => void;

/**
 * Creates the check against DNS rebinding, where a foreign web page reaches the sandbox through its own domain name. It
 * accepts loopback names, the aliases of containers and the host of `listensOn`.
 * @param listensOn host that the sandbox listens on; if it means all interfaces, every name is accepted
 */
export function createHostCheck(listensOn: string): HostCheck {
	const own = nameOf(isIPv6(listensOn) ? `[${listensOn}]` : listensOn);
	return (host = '') => {
		if (WILDCARDS.has(own)) return;
		const name = nameOf(host);
		if (!isLoopback(name) && !CONTAINER_HOSTS.has(name) && name !== own) {
			throw new HttpError(403, 'forbidden', `The sandbox does not accept the host name ${name}. Use ${own}.`);
		}
	};
}

/** Extracts the name from a host with or without a port. */
function nameOf(host: string): string {
	return URL.parse(`http://${host}`)?.hostname ?? '';
}

/**
 * Rejects writing requests from pages of another origin, so that no open web page can change the sandbox.
 * @throws HttpError 403 `forbidden`
 */
export function rejectForeignPage({ method, host, origin }: Caller): void {
	const reads = method === 'GET' || method === 'HEAD';
	if (!reads && origin !== undefined && origin !== `http://${host}`) {
		throw new HttpError(403, 'forbidden', `Pages from ${origin} cannot change the sandbox.`);
	}
}

/** Whether a host's name always means this machine. */
export function isLoopback(name: string): boolean {
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name);
}
