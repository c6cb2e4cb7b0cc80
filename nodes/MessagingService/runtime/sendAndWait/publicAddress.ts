import { isInIpRanges } from '../../../../shared';

/** Addresses that are not public (RFC 6890, RFC 4193), and IPv4 addresses written as IPv6. */
const OUT_OF_REACH = [
	...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
	...['::/127', '::ffff:0:0/96', 'fc00::/7', 'fe80::/10'],
];

/** Names that are valid in one network only (RFC 6761, RFC 6762, RFC 8375, and the name that ICANN reserved). */
const LOCAL_NAMES = ['localhost', 'local', 'localdomain', 'internal', 'lan', 'home.arpa'];

/**
 * Whether a phone on the public network certainly cannot open a link to a host. The host is a private or local address,
 * or a name of one network, such as a container's `n8n`.
 * @param hostname the host name of a URL: in lower case, an IPv6 address in brackets
 */
export function isOutOfReach(hostname: string): boolean {
	if (hostname.startsWith('[')) return isInIpRanges(hostname.slice(1, -1), OUT_OF_REACH);
	const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
	if (!name.includes('.')) return true;
	return LOCAL_NAMES.some((local) => name.endsWith(`.${local}`)) || isInIpRanges(name, OUT_OF_REACH);
}
