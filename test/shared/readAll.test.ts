import { contract, createClient, type HttpRequest, type HttpResponse } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { stubServer, type StubResponse } from '../support/stubServer';

const contact = (number: number) => ({ id: String(number), name: `N ${number}`, phone: `+2332000${10_000 + number}` });
const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => contact(first + index));

type Page = (query: URLSearchParams, url: URL) => unknown;
type PageResponse = Partial<HttpResponse> | { readonly json: unknown };

/** A service with one list, computed from the query. These tests do not use the network. */
function service(page: Page, { takesMs = 0 } = {}) {
	const requests: string[] = [];
	let now = 0;
	const client = createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1234',
		transport: {
			send: ({ url, timeoutMs }: HttpRequest) => {
				const target = new URL(url);
				requests.push(url.replace('https://service.example/api/v1/', ''));
				if (!Number.isInteger(timeoutMs)) throw new Error(`a host's timer does not take ${timeoutMs} ms`);
				now += Math.min(takesMs, timeoutMs) + 0.25;
				const response = page(target.searchParams, target) as PageResponse;
				const {
					status = 200,
					headers = {},
					body,
				} = 'json' in response ? { body: JSON.stringify(response.json) } : response;
				return Promise.resolve({ status, headers, body: body ?? '' });
			},
			sleep: () => Promise.resolve(),
			now: () => now,
		},
		retry: { attempts: 1 },
	});
	return { client, asked: requests };
}

async function read(page: Page, options = {}) {
	const { client, asked } = service(page);
	const outcome = await client.readAll(contract.contact.list, options);
	if (outcome.outcome !== 'accepted') throw outcome.error;
	const { rows, incomplete } = outcome.output;
	return { ids: rows.map(({ id }) => Number(id)), incomplete: incomplete?.message, asked };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const PAGE = 10;
/** 25 contacts in pages of ten, by page number. */
const rowsOf = (page: number) => from((page - 1) * PAGE + 1, Math.max(0, Math.min(PAGE, 25 - (page - 1) * PAGE)));
const pageIn = (query: URLSearchParams) => Number(query.get('page') ?? 1);

describe('following pages', () => {
	const link = (page: number) => `https://service.example/api/v1/contacts?page=${page}`;
	const more = (page: number) => page < 3;

	it.each<[string, (page: number) => unknown]>([
		['Laravel', (page) => ({ current_page: page, data: rowsOf(page), last_page: 3, total: 25 })],
		['Laravel below a name', (page) => ({ contacts: { current_page: page, data: rowsOf(page), last_page: 3 } })],
		[
			'a next link',
			(page) => ({ current_page: page, data: rowsOf(page), next_page_url: more(page) ? link(page + 1) : null }),
		],
		['links.next', (page) => ({ data: rowsOf(page), links: { next: more(page) ? link(page + 1) : null } })],
		['_links', (page) => ({ items: rowsOf(page), _links: more(page) ? { next: { href: link(page + 1) } } : {} })],
		['a relative link', (page) => ({ data: rowsOf(page), next: more(page) ? `?page=${page + 1}` : null })],
		['a path', (page) => ({ results: rowsOf(page), next: more(page) ? `/api/v1/contacts/?page=${page + 1}` : null })],
		['meta', (page) => ({ data: rowsOf(page), meta: { current_page: page, last_page: 3 } })],
		['numbers as text', (page) => ({ data: rowsOf(page), meta: { current_page: String(page), last_page: '3' } })],
		['camel case', (page) => ({ data: rowsOf(page), pagination: { currentPage: page, totalPages: 3 } })],
		['pages of', (page) => ({ contacts: rowsOf(page), page, pages: 3 })],
		['a total', (page) => ({ data: rowsOf(page), page, per_page: PAGE, total: 25 })],
		['a total alone', (page) => ({ data: rowsOf(page), total: 25 })],
		['has_more', (page) => ({ data: rowsOf(page), has_more: more(page) })],
		['hasNextPage', (page) => ({ data: rowsOf(page), pageInfo: { hasNextPage: more(page) } })],
		['a number for the next page', (page) => ({ data: rowsOf(page), meta: { next: more(page) ? page + 1 : null } })],
		['next_page', (page) => ({ data: rowsOf(page), next_page: more(page) ? page + 1 : null })],
	])('follows pages announced as %s', async (_, body) => {
		const { ids, incomplete, asked } = await read((query) => ({ json: body(pageIn(query)) }));
		expect(ids).toEqual(upTo(25));
		expect(incomplete).toBeUndefined();
		expect(asked).toEqual(['contacts', 'contacts?page=2', 'contacts?page=3']);
	});

	it('follows page numbers that start at zero', async () => {
		const { ids, incomplete, asked } = await read((query) => {
			const page = Number(query.get('page') ?? 0);
			return { json: { content: rowsOf(page + 1), page: { number: page, totalPages: 3 } } };
		});
		expect(ids).toEqual(upTo(25));
		expect(incomplete).toBeUndefined();
		expect(asked).toEqual(['contacts', 'contacts?page=1', 'contacts?page=2']);
	});

	it.each([
		['next_cursor', 'cursor'],
		['nextCursor', 'cursor'],
		['next_page_token', 'page_token'],
		['nextPageToken', 'pageToken'],
	])('follows pages by %s', async (name, parameter) => {
		const { ids, incomplete, asked } = await read((query) => {
			const page = { a: 2, b: 3 }[query.get(parameter) ?? ''] ?? 1;
			return { json: { data: rowsOf(page), meta: { [name]: ['a', 'b', null][page - 1] } } };
		});
		expect(ids).toEqual(upTo(25));
		expect(incomplete).toBeUndefined();
		expect(asked).toEqual(['contacts', `contacts?${parameter}=a`, `contacts?${parameter}=b`]);
	});

	it('follows pages by offset and limit', async () => {
		const { ids, incomplete, asked } = await read((query) => {
			const offset = Number(query.get('offset') ?? 0);
			return { json: { data: rowsOf(offset / PAGE + 1), offset, limit: PAGE, total: 25 } };
		});
		expect(ids).toEqual(upTo(25));
		expect(incomplete).toBeUndefined();
		expect(asked).toEqual(['contacts', 'contacts?offset=10&limit=10', 'contacts?offset=20&limit=10']);
	});

	it('follows a Link header of a bare list', async () => {
		const { ids, incomplete } = await read((query) => {
			const page = pageIn(query);
			const next =
				page < 3 ? `<${link(1)}>; rel="first", <${link(page + 1)}>; rel="next"` : `<${link(1)}>; rel="first"`;
			return { status: 200, headers: { link: next }, body: JSON.stringify(rowsOf(page)) };
		});
		expect(ids).toEqual(upTo(25));
		expect(incomplete).toBeUndefined();
	});

	it('keeps the whole query of a link', async () => {
		const next = '/api/v1/contacts?cursor=a%2Fb%3D&per_page=10';
		const { asked } = await read((query) => ({
			json: { data: rowsOf(query.size ? 2 : 1), next: query.size ? null : next },
		}));
		expect(asked).toEqual(['contacts', 'contacts?cursor=a%2Fb%3D&per_page=10']);
	});

	it('stops at the requested number of rows', async () => {
		const page: Page = (query) => ({ json: { data: rowsOf(pageIn(query)), last_page: 3 } });
		const { ids, incomplete, asked } = await read(page, { enough: (rows: unknown[]) => rows.length >= 15 });
		expect([ids, incomplete, asked.length]).toEqual([upTo(20), undefined, 2]);
	});

	it('gives a row once if it moves to the next page during the read', async () => {
		const pages = [from(1, 10), from(10, 5)];
		const { ids, incomplete } = await read((query) => ({ json: { data: pages[pageIn(query) - 1], last_page: 2 } }));
		expect([ids, incomplete]).toEqual([upTo(14), undefined]);
	});

	it('follows the pages of sender IDs', async () => {
		const { client } = service((query) => ({ json: { data: [`S${pageIn(query)}`], last_page: 3 } }));
		const outcome = await client.readAll(contract.senderId.list);
		expect(outcome).toMatchObject({ output: { rows: [{ name: 'S1' }, { name: 'S2' }, { name: 'S3' }] } });
	});
});

describe('the end of a list', () => {
	it.each<[string, unknown]>([
		['without a word about pages', { data: rowsOf(1) }],
		['bare', rowsOf(1)],
		['empty', { data: [], total: 0, last_page: 1, current_page: 1 }],
		['on its only page', { data: rowsOf(1), current_page: 1, last_page: 1, total: 10, next_page_url: null }],
		['with no next link, whatever the total is', { data: rowsOf(1), total: 12, links: { next: null } }],
		['with has_more false', { data: rowsOf(1), total: 12, has_more: false }],
		['with a count of its rows', { data: rowsOf(1), count: 10, total: '10' }],
		['with the words of a contact about pages', { data: [{ ...contact(1), pages: 9, next: 'x', has_more: true }] }],
	])('ends a list: %s', async (_, body) => {
		const { incomplete, asked } = await read(() => ({ json: body }));
		expect(incomplete).toBeUndefined();
		expect(asked).toEqual(['contacts']);
	});

	it('ends a list at an empty page, even if the total is higher', async () => {
		const { ids, incomplete } = await read((query) => ({
			json: { data: pageIn(query) > 3 ? [] : rowsOf(pageIn(query)), total: 26 },
		}));
		expect([ids, incomplete]).toEqual([upTo(25), undefined]);
	});
});

describe('an incomplete list', () => {
	const NOT_COMPLETE = /^The list of contacts /;

	it.each<[string, Page]>([
		['the service pays no heed to the page', () => ({ json: { data: rowsOf(1), last_page: 9, current_page: 1 } })],
		['it has more, but not how', () => ({ json: { data: rowsOf(1), has_more: true } })],
		[
			'an empty page announces another page',
			(query) => ({ json: { data: pageIn(query) === 1 ? rowsOf(1) : [], has_more: true } }),
		],
		['a link goes in a circle', () => ({ json: { data: rowsOf(1), next: '/api/v1/contacts?page=1' } })],
	])('reports a list as incomplete if %s', async (_, page) => {
		const { ids, incomplete, asked } = await read(page);
		expect(ids).toEqual(upTo(10));
		expect(incomplete).toMatch(NOT_COMPLETE);
		expect(asked).toHaveLength(2);
	});

	it('reports a list as incomplete if a further page fails, with the text of the service', async () => {
		const { ids, incomplete } = await read((query) =>
			query.size ? { status: 503, body: '{"message": "Back at noon"}' } : { json: { data: rowsOf(1), last_page: 2 } },
		);
		expect([ids, incomplete]).toEqual([upTo(10), 'Back at noon']);
	});

	it('reports a list as incomplete if a further page is not a list', async () => {
		const { incomplete } = await read((query) =>
			query.size ? { status: 200, body: '<h1>Hi</h1>' } : { json: { data: rowsOf(1), last_page: 2 } },
		);
		expect(incomplete).toMatch(/web page/);
	});

	it('reports a list as incomplete if its pages never end', async () => {
		const page: Page = (query) => ({ json: { data: from(pageIn(query), 1), next_page: pageIn(query) + 1 } });
		const { ids, incomplete } = await read(page);
		expect(ids).toEqual(upTo(1000));
		expect(incomplete).toMatch(/more than 1,000 pages/);
	});

	it('reports a list as incomplete when the time is up, and limits each page to that time', async () => {
		const page: Page = (query) => ({ json: { data: rowsOf(pageIn(query)), last_page: 9 } });
		const { client, asked } = service(page, { takesMs: 4_000 });
		const outcome = await client.readAll(contract.contact.list, { timeLimitMs: 10_000 });
		expect(outcome).toMatchObject({
			outcome: 'accepted',
			output: { incomplete: { message: expect.stringMatching(/\b10 seconds\b/) as string } },
		});
		expect(asked).toHaveLength(3);
	});

	it('fails if the first page fails', async () => {
		await expect(read(() => ({ status: 401, body: '{"message": "No"}' }))).rejects.toMatchObject({ name: 'AuthError' });
	});
});

describe('the API key and links', () => {
	const elsewhereLinks = (elsewhere: string, own: string): Array<[string, unknown]> => [
		['another origin', { next_page_url: `${elsewhere}/api/v1/contacts?page=2` }],
		['another origin without a scheme', { next: `//${new URL(elsewhere).host}/api/v1/contacts?page=2` }],
		[
			'another origin behind a user name',
			{ next: `http://${new URL(own).host}@${new URL(elsewhere).host}/api/v1/contacts` },
		],
		['another path', { links: { next: `${own}wallet/transactions?limit=1` } }],
		['a path above', { next: '../../steal?page=2' }],
		['a script', { next: 'javascript:alert(1)//?page=2' }],
		['a file', { next: 'file:///etc/passwd?page=2' }],
	];

	it.each(elsewhereLinks('http://127.0.0.1:1', 'http://127.0.0.1:2/api/v1/').map(([name]) => name))(
		'does not send the API key to a link to %s',
		async (name) => {
			await using elsewhere = await stubServer({ status: 200, body: JSON.stringify(from(11, 5)) });
			const script = (): StubResponse => ({
				status: 200,
				body: JSON.stringify({ data: rowsOf(1), ...(links as object) }),
			});
			await using server = await stubServer(script);
			const [, links] =
				elsewhereLinks(new URL(elsewhere.baseUrl).origin, server.baseUrl).find(([one]) => one === name) ?? [];
			const client = createClient({
				baseUrl: server.baseUrl,
				apiKey: 'sk_test_1234',
				transport: undiciTransport(),
				retry: { attempts: 1 },
			});
			const outcome = await client.readAll(contract.contact.list);
			expect(outcome).toMatchObject({ output: { incomplete: { sent: 'no' } } });
			expect(elsewhere.received).toEqual([]);
			expect(new Set(server.received.map(({ url }) => url.split('?')[0]))).toEqual(new Set(['/api/v1/contacts']));
		},
	);

	it('follows page numbers instead of a link to another origin', async () => {
		const { ids, incomplete, asked } = await read((query) => ({
			json: {
				data: rowsOf(pageIn(query)),
				current_page: pageIn(query),
				last_page: 3,
				next_page_url: pageIn(query) < 3 ? 'https://other.example/x?page=9' : null,
			},
		}));
		expect([ids, incomplete]).toEqual([upTo(25), undefined]);
		expect(asked).toEqual(['contacts', 'contacts?page=2', 'contacts?page=3']);
	});
});
