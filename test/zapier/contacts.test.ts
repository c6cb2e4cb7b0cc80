import { z } from 'zod/v4';
import { endRetryWaits } from '../support/endRetryWaits';
import { stubServer, type StubResponse } from '../support/stubServer';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

endRetryWaits();

const phone = '+233201234567';
const rows = z.array(z.looseObject({ id: z.string().nullable() }));

const json = (body: unknown): StubResponse => ({ status: 200, body: JSON.stringify(body) });
const pageIn = (url: string) => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
const numbered = (number: number) => ({ id: number, name: `N ${number}`, phone: `+2332000${10_000 + number}` });
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => numbered(first + index));

/** The app connected to a service that lists contacts with `script`. */
async function serving(script: (url: string) => StubResponse, meta = {}) {
	const server = await stubServer(script);
	const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' }, { meta });
	return {
		app,
		server,
		rows: async (method: string, inputs?: Readonly<Record<string, unknown>>) =>
			rows.parse(await app.run(method, inputs)),
		[Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
	};
}

/** Contacts in pages of ten, in Laravel's format, oldest first. */
const laravel =
	(count: number) =>
	(url: string): StubResponse => {
		const [page, last] = [pageIn(url), Math.ceil(count / 10)];
		const first = (page - 1) * 10 + 1;
		return json({
			data: from(first, Math.max(0, Math.min(10, count - first + 1))),
			current_page: page,
			last_page: last,
		});
	};
/** Announces more pages, but always returns the first. */
const stuck = (): StubResponse => json({ data: from(1, 10), current_page: 1, last_page: 9 });
/** Fails from the second page on. */
const failing = (url: string): StubResponse =>
	pageIn(url) === 1 ? laravel(90)(url) : { status: 503, body: '{"message": "Back at noon"}' };

describe.each<[string, unknown]>([
	['a number for a phone', { id: 7, name: 'Ama Mensah', phone: 233201234567 }],
	['a number for a name beside it', { id: 7, name: 'Ama Mensah', phone, other: { name: 5 } }],
	['phone_number', { id: 7, name: 'Ama Mensah', phone_number: phone }],
	['msisdn', { contact_id: 7, full_name: 'Ama Mensah', msisdn: phone }],
	['mobile', { uuid: '7', first_name: 'Ama', last_name: 'Mensah', mobile: phone }],
	['an empty ID', { id: '', contact_id: '7', name: 'Ama Mensah', phone }],
])('contact with %s', (_, row) => {
	const list = () => json([{ id: '', name: 4711, phone: 233241234567 }, null, row]);

	it('appears in the dropdown of numbers', async () => {
		await using service = await serving(list);
		const names = (await service.rows(methods.contacts)).map(({ name }) => name);
		expect(names).toEqual(['4711 (233241234567)', expect.stringMatching(/^Ama Mensah \(\+?233201234567\)$/)]);
	});

	it('finds a contact by phone and by name, so Find or Create adds no duplicate', async () => {
		await using service = await serving(list);
		for (const inputs of [{ phone: '020 123 4567' }, { name: 'ama mensah' }, { phone, name: 'Ama Mensah' }]) {
			expect(await service.rows(methods.findContact, inputs)).toMatchObject([{ id: '7', name: 'Ama Mensah' }]);
		}
		expect(await service.rows(methods.findContact, { phone: '+233201234599' })).toEqual([]);
	});

	it('triggers New Contact with its ID', async () => {
		await using service = await serving(list);
		const ids = (await service.rows(methods.newContact)).map(({ id }) => id);
		expect(ids).toContain('7');
		expect(ids).toHaveLength(2);
	});
});

describe('Find Contact', () => {
	it('finds a contact on a later page, and reads no more pages than needed', async () => {
		await using service = await serving(laravel(45));
		expect(await service.rows(methods.findContact, { phone: numbered(17).phone })).toMatchObject([{ id: '17' }]);
		expect(service.server.received).toHaveLength(2);
		expect(await service.rows(methods.findContact, { name: 'n 44' })).toMatchObject([{ id: '44' }]);
		expect(await service.rows(methods.findContact, { name: 'n 99' })).toEqual([]);
	});

	it.each<[string, (url: string) => StubResponse, RegExp]>([
		['repeats', stuck, /contacts is not complete/],
		['fails', failing, /^Back at noon\. /],
	])('fails instead of finding nothing if the next page %s', async (_, script, words) => {
		await using service = await serving(script);
		for (const inputs of [{ phone: numbered(80).phone }, { name: 'N 80' }]) {
			const failed = await service.app.failure(methods.findContact, inputs);
			expect(failed).toMatchObject({ name: 'AppError', message: expect.stringMatching(words) as string });
		}
		expect(await service.rows(methods.findContact, { phone: numbered(3).phone })).toMatchObject([{ id: '3' }]);
	});

	it('fails instead of finding nothing if no contact has a readable phone', async () => {
		await using service = await serving(() => json([{ name: 'Ama', line: phone }, { name: 'Kofi' }]));
		const failed = await service.app.failure(methods.findContact, { phone });
		expect(failed).toMatchObject({
			name: 'AppError',
			message: expect.stringContaining('readable phone') as string,
		});
		expect(await service.rows(methods.findContact, { name: 'Eve' })).toEqual([]);
	});

	it('finds nothing in an empty contact list', async () => {
		await using service = await serving(() => json({ data: [], total: 0 }));
		expect(await service.rows(methods.findContact, { phone })).toEqual([]);
	});
});

describe('New Contact', () => {
	it('triggers for a contact added at the end of several pages', async () => {
		let count = 25;
		await using service = await serving((url) => laravel(count)(url));
		const poll = async () => (await service.rows(methods.newContact)).map(({ id }) => id);
		const seen = new Set(await poll());
		expect(seen.size).toBe(25);
		expect((await poll()).filter((id) => !seen.has(id))).toEqual([]);
		count = 31;
		const added = (await poll()).filter((id) => !seen.has(id));
		expect(added).toEqual(['31', '30', '29', '28', '27', '26']);
	});

	it('returns the newest contacts that fit, because Zapier rejects a larger response', async () => {
		const count = 9_000;
		const long = from(1, count).map((contact) => ({ ...contact, name: 'Ama '.repeat(250) }));
		await using service = await serving(() => json(long));
		const found = await service.rows(methods.newContact);
		const bytes = Buffer.byteLength(JSON.stringify(found));
		expect(bytes).toBeGreaterThan(3_990_000);
		expect(bytes).toBeLessThan(4_010_000);
		const newest = Array.from({ length: found.length }, (_, place) => String(count - place));
		expect(found.map(({ id }) => id)).toEqual(newest);
	});

	it('shows the three newest contacts in the editor', async () => {
		await using service = await serving(laravel(25), { isLoadingSample: true });
		expect((await service.rows(methods.newContact)).map(({ id }) => id)).toEqual(['25', '24', '23']);
	});

	it('returns a contact once if it moves to the next page between two reads', async () => {
		const pages = [from(1, 3), from(3, 2)];
		await using service = await serving((url) => json({ data: pages[pageIn(url) - 1], last_page: 2 }));
		expect((await service.rows(methods.newContact)).map(({ id }) => id)).toEqual(['4', '3', '2', '1']);
	});

	it.each<[string, (url: string) => StubResponse]>([
		['repeats', stuck],
		['fails', failing],
	])('fails if the next page %s, because missing contacts would count as new later', async (_, script) => {
		await using service = await serving(script);
		expect(await service.app.failure(methods.newContact)).toMatchObject({ name: 'AppError' });
	});

	it('orders contacts by date if IDs are not numbers', async () => {
		const dated = (id: string, created_at: string) => ({ id, phone, created_at });
		const list = [
			dated('b', '2026-11-01 10:00:00'),
			dated('c', '2026-11-20 10:00:00'),
			dated('a', '2026-11-09 10:00:00'),
		];
		await using service = await serving(() => json(list));
		expect((await service.rows(methods.newContact)).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
	});
});

describe('dropdown of phone numbers', () => {
	it('shows a number that two contacts share once, with both names', async () => {
		const shared = [
			{ name: 'Shop', phone },
			{ name: 'Kofi at the shop', phone: ` ${phone} ` },
		];
		await using service = await serving(() => json(shared));
		expect(await service.rows(methods.contacts)).toEqual([{ id: phone, name: `Shop / Kofi at the shop (${phone})` }]);
	});

	it('shows the contacts of all pages, 100 at a time, by name', async () => {
		const named = async (page: number) => {
			await using service = await serving(laravel(250), { isFillingDynamicDropdown: true, page });
			return (await service.rows(methods.contacts)).map(({ name }) => String(name));
		};
		const pages = [await named(0), await named(1), await named(2), await named(3)];
		expect(pages.map(({ length }) => length)).toEqual([100, 100, 50, 0]);
		expect(pages.flat()).toEqual(pages.flat().toSorted((a, b) => a.localeCompare(b)));
		expect(new Set(pages.flat()).size).toBe(250);
	});

	it.each<[string, (url: string) => StubResponse]>([
		['repeats', stuck],
		['fails', failing],
	])('shows the contacts read so far if the next page %s', async (_, script) => {
		await using service = await serving(script);
		expect(await service.rows(methods.contacts)).toHaveLength(10);
	});
});

describe('dropdown of sender IDs', () => {
	it('shows sender IDs with a numeric name or status, and those of later pages', async () => {
		const pages = [
			[{ name: 1234 }, { name: 'KOFISHOP', status: 1 }, null, { id: 7 }],
			[{ sender_name: 'AKWAABA' }, { name: 'WAITING', status: 'pending' }],
		];
		await using service = await serving((url) => json({ data: pages[pageIn(url) - 1], last_page: 2 }));
		expect((await service.rows(methods.senderIds)).map(({ id }) => id)).toEqual(['1234', 'AKWAABA', 'KOFISHOP']);
	});
});
