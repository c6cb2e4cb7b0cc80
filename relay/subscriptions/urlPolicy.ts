import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInIpRanges } from '../../shared/index';

/** Why a subscription may not use a URL. */
export interface UrlIssue {
	readonly code: 'invalid' | 'url_blocked' | 'url_needs_https';
	/** What happened and what to do. */
	readonly message: string;
}

/** Where the relay may send requests. */
export interface UrlPolicy {
	/**
	 * Checks a URL, as far as its text shows.
	 * @param onlyZapier allows `hooks.zapier.com` and listed hosts only
	 * @returns undefined if it is allowed
	 */
	check(url: string, options: { readonly onlyZapier: boolean }): UrlIssue | undefined;
	/** Whether a URL has a host or an address that the settings list. A proxy is not used for it. */
	isListed(url: string): boolean;
	/** Resolves names for connections, and fails if one of a name's addresses is not allowed. */
	readonly lookup: LookupFunction;
}

/** Finds all addresses of a name, such as `dns.lookup`. */
export type LookupAll = (
	host: string,
	options: { readonly all: true },
	done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const ZAPIER_HOST = 'hooks.zapier.com';

/**
 * Creates the policy: any public https URL, and the listed private addresses and hosts, also over http. It applies to
 * the address that is connected to, so a name that changes its address in between (DNS rebinding) does not get past it.
 * @param allow addresses, CIDR ranges and host names
 * @param lookup finds the addresses of a name. Default: the system
 */
export function createUrlPolicy(allow: readonly string[], lookup: LookupAll = systemLookup): UrlPolicy {
	const hosts = new Set(allow.map(hostKey));
	const isAllowed = (address: string) => isPublic(address) || isInIpRanges(unmapped(address), allow);
	/** Whether a host may use http, and a Zapier token may use it. */
	const isListed = (host: string) =>
		hosts.has(host) ||
		(isIP(host) !== 0 && !isPublic(host) && isAllowed(host)) ||
		(isLoopbackName(host) && LOOPBACK.some(isAllowed));

	const resolve: LookupFunction = (name, options, done) => {
		const host = hostKey(name);
		lookup(name, { ...options, all: true }, (error, found) => {
			// The other loopback address of `localhost` need not be listed as well.
			const addresses =
				!error && isLoopbackName(host) ? found.filter(({ address }) => hosts.has(host) || isAllowed(address)) : found;
			const [first] = error ? [] : addresses;
			if (error) done(error, '', 4);
			else if (first === undefined) done(new BlockedAddress(), '', 4);
			// One private address among several is enough for an attack.
			else if (!hosts.has(host) && !addresses.every(({ address }) => isAllowed(address))) {
				done(new BlockedAddress(), '', 4);
			} else if (options.all) done(null, addresses);
			else done(null, first.address, first.family);
		});
	};
	return {
		check: (url, { onlyZapier }) => checkUrl(url, { isListed, isAllowed, onlyZapier }),
		isListed: (url) => URL.canParse(url) && isListed(hostOf(new URL(url))),
		lookup: resolve,
	};
}

/** A name leads to an address that is not allowed. */
export class BlockedAddress extends Error {
	override readonly name = 'BlockedAddress';
	readonly code = 'EBLOCKED';
	override readonly message = 'The name leads to a private address that RELAY_ALLOW does not list.';
}

const ADD_IT = 'To allow it, add it to RELAY_ALLOW and restart the relay.';

function checkUrl(
	text: string,
	{
		isListed,
		isAllowed,
		onlyZapier,
	}: {
		readonly isListed: (host: string) => boolean;
		readonly isAllowed: (address: string) => boolean;
		readonly onlyZapier: boolean;
	},
): UrlIssue | undefined {
	if (!URL.canParse(text)) return { code: 'invalid', message: 'This is not a URL. Enter a complete https URL.' };
	const parsed = new URL(text);
	const { protocol, username, password } = parsed;
	if (username !== '' || password !== '') {
		return { code: 'invalid', message: 'The URL has a user name or password. Enter the URL without them.' };
	}
	if (protocol !== 'https:' && protocol !== 'http:') {
		return { code: 'invalid', message: 'The URL is neither http nor https. Enter an https URL.' };
	}
	const host = hostOf(parsed);
	const listed = isListed(host);
	if (onlyZapier && host !== ZAPIER_HOST && !listed) {
		return { code: 'url_blocked', message: `A Zapier token only allows URLs of ${ZAPIER_HOST}. ${ADD_IT}` };
	}
	const isLiteral = isIP(host) !== 0;
	if (isLiteral && !listed && !isAllowed(host)) {
		return { code: 'url_blocked', message: `The address is private. ${ADD_IT}` };
	}
	const isPrivateName = !isLiteral && (!host.includes('.') || isLoopbackName(host));
	if (isPrivateName && !listed) {
		return { code: 'url_blocked', message: `The host name is private. ${ADD_IT}` };
	}
	if (protocol === 'http:' && !listed) {
		return { code: 'url_needs_https', message: 'The URL uses http. Enter an https URL.' };
	}
	return undefined;
}

const LOOPBACK = ['127.0.0.1', '::1'];

/** Names that always mean this machine (RFC 6761). */
function isLoopbackName(host: string): boolean {
	return host === 'localhost' || host.endsWith('.localhost');
}

function hostOf({ hostname }: URL): string {
	return hostKey(hostname.replace(/^\[|\]$/g, ''));
}

/** One spelling of a host: lower case, without the dot of the root, and in ASCII as URLs have it. */
function hostKey(host: string): string {
	const bare = host.toLowerCase().replace(/\.$/, '');
	const isName = !/[:/]/.test(bare) && isIP(bare) === 0 && URL.canParse(`http://${bare}`);
	return isName ? new URL(`http://${bare}`).hostname : bare;
}

/** All public IPv6 addresses (RFC 4291). The library calls others unicast as well, such as 10.0.0.1 written ::a00:1. */
const PUBLIC_IPV6 = '2000::/3';

/** Whether an address is public unicast. A mapped IPv4 address counts as IPv4. */
function isPublic(address: string): boolean {
	if (!ipaddr.isValid(address)) return false;
	const plain = ipaddr.process(address);
	return plain.range() === 'unicast' && (plain.kind() === 'ipv4' || isInIpRanges(address, [PUBLIC_IPV6]));
}

/** A mapped IPv4 address as IPv4, since lists have it so. */
function unmapped(address: string): string {
	return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
