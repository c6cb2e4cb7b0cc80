import { quoted, someEntries, Unusable, type Reader } from './settingReaders';

const BITS = { 4: 32, 6: 128 } as const;

interface Address {
	readonly version: 4 | 6;
	readonly value: bigint;
}

interface Range extends Address {
	readonly prefix: number;
}

/** Reads at least one IPv4 or IPv6 address or range such as 203.0.113.0/24, as a list or as text with commas. */
export const addressEntries: Reader<readonly string[]> = (value) => {
	const found = someEntries(value);
	if (found instanceof Unusable) return found;
	// Spaces and semicolons also separate addresses.
	const list = found.flatMap((entry) => entry.split(/[\s;]+/)).filter((entry) => entry !== '');
	const wrong = list.filter((entry) => parseRange(entry) === undefined);
	if (list.length > 0 && wrong.length === 0) return list;
	const what = wrong.length > 0 ? `has ${quoted(wrong)}` : 'is empty';
	return new Unusable(
		`${what}: enter addresses such as 203.0.113.7 or ranges such as 203.0.113.0/24, separated by commas, or remove the option`,
	);
};

/** Whether an address is in a list. An entry or address that cannot be read matches nothing. */
export function isInAddressList(address: string, list: readonly string[]): boolean {
	const given = parseAddress(address);
	if (given === undefined) return false;
	return list.some((entry) => {
		const range = parseRange(entry);
		if (range?.version !== given.version) return false;
		const rest = BigInt(BITS[range.version] - range.prefix);
		return range.value >> rest === given.value >> rest;
	});
}

function parseRange(entry: string): Range | undefined {
	const [text = '', length, ...more] = entry.split('/');
	const address = parseAddress(text);
	if (address === undefined || more.length > 0) return undefined;
	const bits = BITS[address.version];
	if (length === undefined) return { ...address, prefix: bits };
	const prefix = Number(length);
	return /^\d{1,3}$/.test(length) && prefix <= bits ? { ...address, prefix } : undefined;
}

function parseAddress(text: string): Address | undefined {
	// A server that listens on IPv6 sees IPv4 callers as ::ffff:a.b.c.d.
	const [bare = ''] = text
		.trim()
		.replace(/^::ffff:(?=\d+\.)/i, '')
		.split('%', 1);
	const four = parseFour(bare);
	if (four !== undefined) return { version: 4, value: four };
	const six = bare.includes(':') ? parseSix(bare) : undefined;
	return six === undefined ? undefined : { version: 6, value: six };
}

function parseFour(text: string): bigint | undefined {
	const parts = text.split('.');
	if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
	return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseSix(text: string): bigint | undefined {
	const halves = text.split('::');
	if (halves.length > 2) return undefined;
	const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
	const missing = 8 - head.length - tail.length;
	if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
	const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
	if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
	return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
