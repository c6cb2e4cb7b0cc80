import { isIPv6 } from 'node:net';
import { HttpError } from './httpError';

/** What of a request shows who really asks. */
export interface Caller {
	readonly method: string;
	readonly host: string | undefined;
	readonly origin: string | undefined;
}

/** What listening on all interfaces is called. */
const WILDCARDS = new Set(['0.0.0.0', '[::]']);

/** Names by which containers reach the machine that they run on. */
const CONTAINER_HOSTS = new Set(['host.docker.internal', 'gateway.docker.internal', 'host.containers.internal']);

/** Lets a request through that was made to a name of ours, by its Host header. @throws Refusal 403 `forbidden` */
export type HostCheck = (host: string | undefined) => void;

/**
 * Makes the check that keeps foreign web pages from reaching the sandbox through a name of their own that leads to this
 * machine (DNS rebinding).
 * @param listensOn the host that the sandbox was told to listen on; its name, or any name where it is all interfaces,
 * is let through beside the loopback names and those by which containers reach their machine
 */
export function createHostCheck(listensOn: string): HostCheck {
	const own = nameOf(isIPv6(listensOn) ? `[${listensOn}]` : listensOn);
	let lastAdmitted: string | undefined;
	return (host = '') => {
		if (host === lastAdmitted || WILDCARDS.has(own)) return;
		const name = nameOf(host);
		if (!isLoopback(name) && !CONTAINER_HOSTS.has(name) && name !== own) {
			throw new HttpError(403, 'forbidden', `The sandbox does not answer to the name ${name}: use ${own}.`);
		}
		lastAdmitted = host;
	};
}

/** The name in a host with or without a port, as URLs write it. */
function nameOf(host: string): string {
	return URL.parse(`http://${host}`)?.hostname ?? '';
}

/**
 * Refuses a post from a page of another origin: a web page that somebody has open must not opt a number out.
 * @throws Refusal 403 `forbidden`
 */
export function rejectForeignPage({ method, host, origin }: Caller): void {
	const reads = method === 'GET' || method === 'HEAD';
	if (!reads && origin !== undefined && origin !== `http://${host}`) {
		throw new HttpError(403, 'forbidden', `Pages of ${origin} may not post to the sandbox.`);
	}
}

/** Whether a host's name leads to this machine and to no other. */
export function isLoopback(name: string): boolean {
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name);
}
