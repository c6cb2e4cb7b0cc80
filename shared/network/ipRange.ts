import ipaddr from 'ipaddr.js';

/** An address, and the number of its leading bits that are the same in the whole range. */
type Range = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Whether a text is an IPv4 or IPv6 address, or a range of them.
 * @example isIpRange('203.0.113.7') && isIpRange('2001:db8::/32'); // true
 */
export function isIpRange(text: string): boolean {
	return parseRange(text) !== undefined;
}

/**
 * Whether an address is in one of the ranges. An address or range that cannot be read matches nothing.
 * @param ranges addresses and ranges, see {@link isIpRange}
 * @example isInIpRanges('203.0.113.7', ['198.51.100.1', '203.0.113.0/24']); // true
 */
export function isInIpRanges(address: string, ranges: readonly string[]): boolean {
	const [given] = address.includes('/') ? [] : (parseRange(address) ?? []);
	if (given === undefined) return false;
	return ranges.some((text) => {
		const range = parseRange(text);
		return range !== undefined && range[0].kind() === given.kind() && given.match(range);
	});
}

function parseRange(text: string): Range | undefined {
	// A server that listens on IPv6 sees IPv4 callers as ::ffff:a.b.c.d. A zone such as %eth0 does not count.
	const bare = text
		.trim()
		.replace(/^::ffff:(?=\d+\.)/i, '')
		.replace(/%[^/]*/, '');
	const range = bare.includes('/') ? bare : `${bare}/${bare.includes(':') ? 128 : 32}`;
	// Without this check the library also reads 10.1, 0x0a000001 and 012.0.0.1, which programs understand differently.
	const valid = ipaddr.IPv4.isValidCIDRFourPartDecimal(range) || ipaddr.IPv6.isValidCIDR(range);
	return valid ? ipaddr.parseCIDR(range) : undefined;
}
