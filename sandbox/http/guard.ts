import { Refusal } from './refusal';

/** What of a request shows who really asks. */
export interface Asker {
	readonly method: string;
	readonly host: string | undefined;
	readonly origin: string | undefined;
}

const WILDCARDS = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Makes the check that keeps foreign web pages from reaching the sandbox through a name of their own that leads to this
 * machine (DNS rebinding).
 * @param listensOn the host that the sandbox was told to listen on; its name, or any name where it is all interfaces,
 * is let through beside the loopback names and the names below `.internal`, which nobody can own and by which
 * containers reach their machine
 * @returns a function that takes the Host header and throws Refusal 403 `forbidden` where it is another's
 */
export function createHostCheck(listensOn: string): (host: string | undefined) => void {
	let lastAdmitted: string | undefined;
	return (host = '') => {
		if (host === lastAdmitted) return;
		const name = URL.parse(`http://${host}`)?.hostname ?? '';
		const isOurs = isLoopback(name) || name.endsWith('.internal') || name === listensOn || WILDCARDS.has(listensOn);
		if (!isOurs) throw new Refusal(403, 'forbidden', `The sandbox does not answer to the name ${name}: use 127.0.0.1.`);
		lastAdmitted = host;
	};
}

/**
 * Refuses a post from a page of another origin: a web page that somebody has open must not opt a number out.
 * @throws Refusal 403 `forbidden`
 */
export function refuseForeignPage({ method, host, origin }: Asker): void {
	const reads = method === 'GET' || method === 'HEAD';
	if (!reads && origin !== undefined && origin !== `http://${host}`) {
		throw new Refusal(403, 'forbidden', `Pages of ${origin} may not post to the sandbox.`);
	}
}

/** Whether a host's name leads to this machine and to no other. */
export function isLoopback(name: string): boolean {
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d+){3}$/.test(name);
}
