import { isInIpRanges, isIpRange } from '../../../shared';
import { fc } from '../../support/random';

const BITS = { 4: 32, 6: 128 } as const;

/** Writes an address: IPv4 in decimal, IPv6 in eight groups. */
function written(version: 4 | 6, value: bigint): string {
	const [parts, size, radix] = version === 4 ? [4, 8, 10] : [8, 16, 16];
	const all = Array.from(
		{ length: parts },
		(_, index) => (value >> BigInt(size * (parts - 1 - index))) & (2n ** BigInt(size) - 1n),
	);
	return all.map((part) => part.toString(radix)).join(version === 4 ? '.' : ':');
}

/** The short form, as a browser writes it. */
const shortened = (address: string) => new URL(`http://[${address}]`).hostname.slice(1, -1);

const cases = fc.constantFrom<4 | 6>(4, 6).chain((version) => {
	const bits = BITS[version];
	return fc.record({
		version: fc.constant(version),
		value: fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
		prefix: fc.integer({ min: 0, max: bits }),
		flipped: fc.integer({ min: 0, max: bits - 1 }),
	});
});

describe('IP ranges', () => {
	it('has an address in a range if their first bits are the same, up to the prefix length', () => {
		fc.assert(
			fc.property(cases, ({ version, value, prefix, flipped }) => {
				const address = written(version, value ^ (1n << BigInt(BITS[version] - 1 - flipped)));
				const range = `${written(version, value)}/${prefix}`;
				expect(isInIpRanges(address, [range])).toBe(flipped >= prefix);
				expect(isInIpRanges(written(version, value), [range])).toBe(true);
				if (version === 6) expect(isInIpRanges(shortened(address), [range])).toBe(flipped >= prefix);
			}),
		);
	});

	it.each([
		['203.0.113.7', '::ffff:203.0.113.7'],
		['::FFFF:203.0.113.7', '203.0.113.7'],
		['::ffff:203.0.113.0/24', '203.0.113.9'],
		['::ffff:0:0/96', '::ffff:cb00:7107'],
		[' 203.0.113.7 ', '203.0.113.7'],
		['fe80::1', 'fe80::1%eth0.100'],
		['fe80::1%eth0/64', 'FE80::2'],
		['::/0', '::1'],
	])('has in the range %j the address %j', (range, address) => {
		expect(isIpRange(range)).toBe(true);
		expect(isInIpRanges(address, ['198.51.100.1', range])).toBe(true);
	});

	it.each([
		['203.0.113.0/24', '203.0.113.0/24'],
		['203.0.113.7', '203.0.113'],
		['10.0.0.1', '10.1'],
		['10.0.0.1', '0x0a000001'],
		['10.0.0.1', '167772161'],
		['10.0.0.1', '012.0.0.1'],
		['10.0.0.1', '010.0.0.1'],
		['0.0.0.0/0', '::1'],
		['0.0.0.0/0', ''],
		['::/0', '203.0.113.7'],
	])('does not have in the range %j the address %j', (range, address) => {
		expect(isIpRange(range)).toBe(true);
		expect(isInIpRanges(address, [range])).toBe(false);
	});

	it.each([
		...['', '/24', '203.0.113.0/', '203.0.113.0/33', '203.0.113.0/-1', '203.0.113.0/x', '203.0.113.0/24/24'],
		...['203.0.113', '203.0.113.0.1', '203.0.113.256', '203.0.113.0x7', '012.0.0.1', '10.1', '0x0a000001', '167772161'],
		...[
			'1::2::3',
			'1:2:3',
			'1:2:3:4:5:6:7:8:9',
			'2001:db8::12345',
			'2001:db8::g',
			'2001:db8::/129',
			':',
			'example.com',
		],
	])('does not accept %j as a range, and finds nothing in it', (range) => {
		expect(isIpRange(range)).toBe(false);
		expect(isInIpRanges('203.0.113.7', [range])).toBe(false);
		expect(isInIpRanges(range, ['0.0.0.0/0', '::/0'])).toBe(false);
	});
});
