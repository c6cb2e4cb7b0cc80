import { readNewest, type ReadOptions } from '../../../shared/wallet/readNewest';
import type { WalletRow } from '../../../shared/wallet/walletRow';

/** A growing list of transactions, as an API returns it. */
function list(count: number, { ids = true, oldestFirst = false, cap = 100, arriving = 0, blind = false } = {}) {
	let last = 0;
	let calls = 0;
	const rows: WalletRow[] = [];
	const add = (more: number) => {
		for (let added = 0; added < more; added++) {
			last += 1;
			rows.unshift(ids ? { id: `r${last}`, amount: -1 } : { amount: -1, type: 'debit', balance: 100_000 - last });
		}
	};
	add(count);
	return {
		add,
		calls: () => calls,
		read: async ({ limit, offset }: { limit: number; offset: number }) => {
			calls += 1;
			const listed = oldestFirst ? rows.toReversed() : [...rows];
			await Promise.resolve();
			if (offset < 100_000) add(arriving);
			return listed.slice(blind ? 0 : offset).slice(0, Math.min(limit, cap));
		},
	};
}

const numbers = (rows: readonly WalletRow[]) =>
	rows.map(({ id, balance }) => (id ? Number(id.slice(1)) : 100_000 - Number(balance)));
const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - index);
const all: ReadOptions<WalletRow> = { most: 50_000, enough: () => false };

describe('readNewest', () => {
	it.each(
		[true, false].flatMap((ids) =>
			[true, false].flatMap((oldestFirst) => [1, 5].map((parallel) => ({ ids, oldestFirst, parallel }))),
		),
	)('reads lists of any length to the end: %j', async ({ ids, oldestFirst, parallel }) => {
		for (const count of [0, 1, 2, 3, 4, 5, 8, 20, 99, 100, 101, 195, 196, 250, 999, 1001]) {
			const { rows } = await readNewest(list(count, { ids, oldestFirst }).read, { ...all, parallel });
			const read = numbers(rows);
			// The order of a single row is unknown and does not matter.
			expect([count, read]).toEqual([count, downFrom(count)]);
		}
	});

	it.each([7, 20, 99])('reads pages of %i rows if the service returns no more', async (cap) => {
		for (const oldestFirst of [true, false]) {
			expect(numbers((await readNewest(list(250, { cap, oldestFirst }).read, all)).rows)).toEqual(downFrom(250));
		}
	});

	it.each(
		[true, false].flatMap((ids) =>
			[1, 3, 60].flatMap((arriving) => [1, 5].map((parallel) => ({ ids, arriving, parallel }))),
		),
	)('skips and repeats no row while rows arrive: %j', async ({ ids, arriving, parallel }) => {
		const { rows, ended } = await readNewest(list(600, { ids, arriving }).read, { ...all, parallel });
		const read = numbers(rows);
		expect(new Set(read).size).toBe(read.length);
		expect(read).toEqual(Array.from(read, (_, index) => (read[0] ?? 0) - index));
		if (arriving < 60) expect([read[0], read.at(-1), ended]).toEqual([600, 1, 'end']);
	});

	it('reports that it read only one page if the service ignores the offset', async () => {
		const read = await readNewest(list(250, { blind: true }).read, all);
		expect([read.ended, numbers(read.rows)]).toEqual(['one_page', downFrom(250).slice(0, 100)]);
	});

	it('finds the end of a known long list with few calls', async () => {
		const long = list(20_000, { oldestFirst: true });
		const first = await readNewest(long.read, { ...all, enough: (rows) => rows.length >= 100 });
		const before = long.calls();
		long.add(7);
		const second = await readNewest(long.read, { ...all, enough: (rows) => rows.length >= 100, length: first.length });
		expect(numbers(second.rows)[0]).toBe(20_007);
		expect(long.calls() - before).toBeLessThanOrEqual(5);
		expect(before).toBeLessThan(40);
	});

	it('keeps the rows that it read if a page fails or the time is up', async () => {
		const { read } = list(600);
		let left = 3;
		const failing = await readNewest((page) => (left-- > 0 ? read(page) : Promise.resolve(undefined)), all);
		expect([failing.ended, numbers(failing.rows).at(-1)]).toEqual(['failed', 600 - 100 - 95 - 95 + 1]);
		let requests = 0;
		const stopped = await readNewest(read, { ...all, goOn: () => requests++ < 2 });
		expect([stopped.ended, stopped.rows.length]).toEqual(['stopped', 290]);
	});

	it('never counts equal rows without an ID too often, even while other rows arrive', async () => {
		const equal = (count: number): WalletRow[] => Array.from({ length: count }, () => ({ type: 'debit', amount: -1 }));
		const rows = equal(250);
		const still = await readNewest<WalletRow>(
			({ limit, offset }) => Promise.resolve(rows.slice(offset, offset + limit)),
			all,
		);
		expect(still.rows).toHaveLength(250);
		const growing = equal(250);
		let number = 0;
		const { rows: read } = await readNewest<WalletRow>(({ limit, offset }) => {
			const page = growing.slice(offset, offset + limit);
			growing.unshift({ type: 'topup', amount: number++ });
			return Promise.resolve(page);
		}, all);
		expect(read.length).toBeLessThanOrEqual(250);
	});
});
