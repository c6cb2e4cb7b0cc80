import type { INodeParameters } from 'n8n-workflow';
import { stubServer, type StubResponse } from '../support/stubServer';
import { startEngine } from '../support/n8n/engine';

const engineOn = (baseUrl: string) =>
	startEngine({ messagingServiceApi: { baseUrl, apiKey: 'sk_sandbox_1', authHeader: 'X-API-Key' } });

const json = (body: unknown): StubResponse => ({ status: 200, body: JSON.stringify(body) });
const pageIn = (url: string) => Number(new URL(url, 'http://x').searchParams.get('page') ?? 1);
const from = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => ({
		contact_id: first + index,
		full_name: `N ${String(first + index).padStart(2, '0')}`,
		phone_number: `+2332000${10_000 + first + index}`,
	}));

/** 25 contacts on three pages, as Laravel lists them. */
const laravel = (url: string): StubResponse => {
	const page = pageIn(url);
	return json({ data: from((page - 1) * 10 + 1, page < 3 ? 10 : 5), current_page: page, last_page: 3, total: 25 });
};
/** A service that announces further pages, but always sends the first. */
const stuck = (): StubResponse => json({ data: from(1, 10), current_page: 1, last_page: 3 });
const FAILURE = 'Only the first page is free';
/** A service whose second page fails. */
const failing = (url: string): StubResponse =>
	pageIn(url) === 1 ? laravel(url) : { status: 403, body: JSON.stringify({ message: FAILURE }) };

const contacts = (more: INodeParameters = { returnAll: true }): INodeParameters => ({
	resource: 'contact',
	operation: 'getMany',
	...more,
});
const senderIds = (more: INodeParameters = { returnAll: true }): INodeParameters => ({
	resource: 'senderId',
	operation: 'getMany',
	...more,
});

describe('the list of contacts in the editor', () => {
	const picked = async (script: (url: string) => StubResponse, filter?: string) => {
		await using server = await stubServer(script);
		return (await (await engineOn(server.baseUrl)).search('searchContacts', { filter })).results;
	};

	it.each([
		{ name: 'Ama', phone_number: '+233201234567' },
		{ contact_name: 'Ama', msisdn: '+233201234567' },
		{ first_name: 'Ama', mobile: '+233201234567', id: '' },
	])('shows the contact %j, whatever the other rows contain', async (row) => {
		expect(await picked(() => json({ data: [row, null, { name: 4711, phone: 233241234567 }] }))).toEqual([
			{ name: '4711 (233241234567)', value: '233241234567' },
			{ name: 'Ama (+233201234567)', value: '+233201234567' },
		]);
	});

	it('shows the contacts of all pages', async () => {
		expect(await picked(laravel)).toHaveLength(25);
		expect(await picked(laravel, 'N 25')).toEqual([{ name: 'N 25 (+233200010025)', value: '+233200010025' }]);
	});

	it.each([
		['repeats', stuck, /not complete/],
		['fails', failing, new RegExp(FAILURE)],
	])(
		'shows the contacts of the first page if the next page %s, and reports the gap in a search without a match',
		async (_, script, words) => {
			expect(await picked(script)).toHaveLength(10);
			expect(await picked(script, 'N 07')).toHaveLength(1);
			await expect(picked(script, 'N 25')).rejects.toThrow(words);
		},
	);
});

describe('the list of sender IDs in the editor', () => {
	it('shows sender IDs with a numeric status or name, from all pages', async () => {
		const pages = [
			[{ name: 'KOFISHOP', status: 1 }, null, { name: 1234 }, { id: 7 }],
			[
				{ sender_name: 'AKWAABA', status: 'Active' },
				{ name: 'WAITING', status: 'pending' },
			],
		];
		await using server = await stubServer((url) =>
			json({ sender_ids: pages[pageIn(url) - 1], meta: { last_page: 2, current_page: pageIn(url) } }),
		);
		const { results } = await (await engineOn(server.baseUrl)).search('searchSenderIds');
		expect(results.map(({ value }) => value)).toEqual(['1234', 'AKWAABA', 'KOFISHOP']);
	});
});

describe('Get Many', () => {
	const run = async (script: (url: string) => StubResponse, parameters: INodeParameters) => {
		await using server = await stubServer(script);
		const result = await (await engineOn(server.baseUrl)).run({ parameters });
		const rows = result.outputs[0]?.map((item) => item.json) ?? [];
		return { ...result, rows, requests: server.received.length };
	};

	it('returns the contacts of all pages under the documented names', async () => {
		const { rows, requests, hints } = await run(laravel, contacts());
		expect(rows).toHaveLength(25);
		expect(rows[24]).toMatchObject({ id: '25', name: 'N 25', phone: '+233200010025' });
		expect([requests, hints]).toEqual([3, []]);
	});

	it('reads no more pages of contacts than the limit needs', async () => {
		const { rows, requests } = await run(laravel, contacts({ returnAll: false, limit: 12 }));
		expect([rows.length, requests]).toEqual([12, 2]);
		const full = await run(stuck, contacts({ returnAll: false, limit: 10 }));
		expect([full.rows.length, full.requests, full.hints]).toEqual([10, 1, []]);
	});

	it('returns the contacts that it can read, and hints that the list is not complete', async () => {
		const { status, rows, hints } = await run(stuck, contacts());
		expect([status, rows.length]).toEqual(['success', 10]);
		expect(hints).toEqual([expect.stringMatching(/contacts is not complete/)]);
	});

	it("fails with the service's own words if a further page of contacts fails", async () => {
		const { status, error } = await run(failing, contacts());
		expect([status, error?.message]).toEqual(['error', FAILURE]);
	});

	it('returns the sender IDs of all pages', async () => {
		const pages = [['KOFISHOP', 'AKWAABA'], [{ name: 'THIRD', status: 1 }]];
		const { rows, hints } = await run(
			(url) =>
				json({ data: pages[pageIn(url) - 1], next_page_url: pageIn(url) < 2 ? '/api/v1/senderids?page=2' : null }),
			senderIds(),
		);
		expect(rows).toEqual([{ name: 'KOFISHOP' }, { name: 'AKWAABA' }, { name: 'THIRD', status: '1' }]);
		expect(hints).toEqual([]);
	});

	it('reads no more pages of sender IDs than the limit needs', async () => {
		const paged = (url: string) =>
			json({ data: [`A${pageIn(url)}`, `B${pageIn(url)}`], current_page: pageIn(url), last_page: 40 });
		const { rows, requests } = await run(paged, senderIds({ returnAll: false, limit: 3 }));
		expect([rows.map(({ name }) => name), requests]).toEqual([['A1', 'B1', 'A2'], 2]);
		// Without the fields, as in a workflow that another program made.
		expect((await run(paged, senderIds({}))).rows).toHaveLength(50);
	});
});
