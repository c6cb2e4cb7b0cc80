import { Refusal } from './refusal';

/** What of a request shows who really asks. */
export interface Asker {
	readonly method: string;
	readonly host: string | undefined;
	readonly origin: string | undefined;
}

const WILDCARDS = new Set(['0.0.0.0', '::', '[::]']);

/**
 * Keeps foreign web pages away from the sandbox's own pages and control routes, which need no key: a page may not
 * reach them through a name of its own that leads to this machine (DNS rebinding), nor post to them from its origin.
 * @param listensOn the host that the sandbox was told to listen on; its name, or any name where it is all interfaces,
 * is let through beside the loopback names
 * @throws Refusal 403 `forbidden`
 */
export function guard({ method, host, origin }: Asker, listensOn: string): void {
	const name = URL.parse(`http://${host ?? ''}`)?.hostname ?? '';
	if (!isLoopback(name) && name !== listensOn && !WILDCARDS.has(listensOn)) {
		throw new Refusal(403, 'forbidden', `The sandbox does not answer to the name ${name}: use 127.0.0.1.`);
	}
	refuseForeignPage({ method, host, origin });
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
