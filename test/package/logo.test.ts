import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';

const root = join(__dirname, '..', '..');
const folder = join(root, 'zapier', 'logo');
const RGBA = 6;

/** The parts of a PNG with 8 bits per channel and without interlacing. */
function readPng(file: Buffer) {
	expect(file.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
	const data: Buffer[] = [];
	for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
		if (file.toString('latin1', at + 4, at + 8) === 'IDAT') {
			data.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
		}
	}
	const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
	return { width, height, depth: file[24], color: file[25], rows: unfilter(inflateSync(Buffer.concat(data)), width) };
}

/** Undoes the filter of each row (PNG specification, section 9). */
function unfilter(raw: Buffer, width: number): Buffer[] {
	const length = width * 4;
	const rows: Buffer[] = [];
	for (let start = 0; start < raw.length; start += length + 1) {
		const row = Buffer.from(raw.subarray(start + 1, start + 1 + length));
		const above = rows.at(-1) ?? Buffer.alloc(length);
		for (let x = 0; x < length; x++) {
			const [a, b, c] = [row[x - 4] ?? 0, above[x] ?? 0, x < 4 ? 0 : (above[x - 4] ?? 0)];
			const distances = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
			const paeth = [a, b, c][distances.indexOf(Math.min(...distances))] ?? 0;
			row[x] = (row[x] ?? 0) + ([0, a, b, (a + b) >> 1, paeth][raw[start] ?? 0] ?? 0);
		}
		rows.push(row);
	}
	return rows;
}

const names = readdirSync(folder).filter((name) => name.endsWith('.png'));

it("Zapier's logo is there in two sizes", () => {
	expect(names.sort()).toEqual(['logo-256.png', 'logo-512.png']);
});

describe.each(names)('%s', (name) => {
	const { width, height, depth, color, rows } = readPng(readFileSync(join(folder, name)));
	const alpha = (x: number, y: number) => rows[y]?.[x * 4 + 3];

	it('is a square of its size, at least 256 pixels, with transparency', () => {
		expect(name).toBe(`logo-${width}.png`);
		expect([height, depth, color]).toEqual([width, 8, RGBA]);
		expect(width).toBeGreaterThanOrEqual(256);
	});

	it('is transparent at its corners, and in the middle of the top and bottom edges of its square', () => {
		const [middle, last] = [width / 2, width - 1];
		const edges = [
			[0, 0],
			[last, 0],
			[0, last],
			[last, last],
			[middle, 0],
			[middle, last],
		] as const;
		expect(edges.map(([x, y]) => alpha(x, y))).toEqual(edges.map(() => 0));
	});

	it('has the color of the brand in the middle, and space of the same width on opposite sides', () => {
		const pixel = rows[Math.round(width * 0.45)]?.subarray(width * 2, width * 2 + 4);
		expect(pixel?.toString('hex')).toBe('0b7a5bff');
		const visible = (x: number, y: number) => (alpha(x, y) ?? 0) > 0;
		const all = Array.from({ length: width }, (_, index) => index);
		const columns = all.filter((x) => all.some((y) => visible(x, y)));
		const lines = all.filter((y) => all.some((x) => visible(x, y)));
		for (const used of [columns, lines]) {
			const [before, after] = [used[0] ?? 0, width - 1 - (used.at(-1) ?? 0)];
			expect(Math.abs(before - after)).toBeLessThanOrEqual(width / 64);
		}
	});
});

it("the logo is the icon of the n8n node, and has no words, which no one could read in Zapier's lists", () => {
	const drawing = (path: string) => /<path.*<\/g>/s.exec(readFileSync(path, 'utf8'))?.[0];
	const logo = join(folder, 'logo.svg');
	expect(drawing(logo)).toBe(drawing(join(root, 'nodes', 'MessagingService', 'messagingService.svg')));
	expect(readFileSync(logo, 'utf8')).not.toContain('<text');
});
