import { eachTransaction } from '../../shared/client/pages';

type Row = { id?: string; amount: number };

/** A wallet that gets new rows during the read, newest first. `cap` is the most rows of one page. */
function wallet(count: number, { arriving = 0, ids = true, cap = 100 } = {}) {
	const row = (number: number): Row => (ids ? { id: String(number), amount: number } : { amount: number });
	const rows = Array.from({ length: count }, (_, index) => row(count - index));
	const list = ({ limit = 0, offset = 0 }: { limit?: number; offset?: number } = {}) => {
		const page = rows.slice(offset, offset + Math.min(limit, cap));
		for (let added = 0; added < arriving && offset < 1000; added++) rows.unshift(row(rows.length + 1));
		return Promise.resolve(page);
	};
	return { list };
}

async function read(list: Parameters<typeof eachTransaction>[0]) {
	const listed = await Array.fromAsync(eachTransaction(list));
	return { amounts: listed.map(({ transaction }) => transaction.amount), unique: listed.every(({ unique }) => unique) };
}

const downFrom = (count: number) => Array.from({ length: count }, (_, index) => count - index);

describe('eachTransaction', () => {
	it.each([0, 1, 99, 100, 101, 250])('reads all of %i rows', async (count) => {
		expect(await read(wallet(count).list)).toEqual({ amounts: downFrom(count), unique: true });
	});

	it.each([1, 7, 100, 130])('skips and repeats no row while %i rows arrive between two pages', async (arriving) => {
		const { amounts, unique } = await read(wallet(350, { arriving }).list);
		expect(amounts.filter((amount) => Number(amount) <= 350)).toEqual(downFrom(350));
		expect(new Set(amounts).size).toBe(amounts.length);
		expect(unique).toBe(true);
	});

	it('reads on after a page with fewer rows than requested', async () => {
		expect(await read(wallet(120, { cap: 20 }).list)).toEqual({ amounts: downFrom(120), unique: true });
	});

	it('gives rows without an ID at least once, and says so', async () => {
		const { amounts, unique } = await read(wallet(250, { arriving: 3, ids: false }).list);
		expect(new Set(amounts)).toEqual(new Set(downFrom(250)));
		expect(amounts.length).toBeGreaterThan(250);
		expect(unique).toBe(false);
	});

	it.each([true, false])('ends if the service ignores the offset (rows with IDs: %s)', async (ids) => {
		const { list } = wallet(50, { ids });
		expect((await read(() => list({ limit: 100, offset: 0 }))).amounts).toEqual(downFrom(50));
	});
});
