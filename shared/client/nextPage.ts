import { isObject } from '../contract/find';

/** Part of a query, by name. */
export type Query = Readonly<Record<string, string>>;

/** The last page that was read of a list. */
export interface LastPage {
	/** Parsed body. */
	readonly body: unknown;
	/** The Link header (RFC 8288), if there was one. */
	readonly linkHeader: string | undefined;
	/** Address of the list without a query. */
	readonly url: string;
	/** Number of pages read, including this one. */
	readonly pages: number;
	/** Number of rows on these pages. */
	readonly rows: number;
	/** Number of rows on this page. */
	readonly pageRows: number;
}

/** The page after another one. */
export interface NextPage {
	readonly query: Query;
	/** Whether the service says that there is more. If false, only its count of all rows suggests it. */
	readonly sure: boolean;
}

/**
 * Finds the next page of a list. Pages of contacts and sender IDs are undocumented (docs/api.md#lists), so this reads the
 * signs of common frameworks: next links, cursors, page numbers and counts. Only the query of a link is used, and only
 * if the link leads to the same list, because the key must not go anywhere else.
 * @returns undefined at the end of the list
 */
export function nextPage(page: LastPage): NextPage | undefined {
	const facts = factsOf(page.body);
	const next = strongest(
		[...linksIn(page.linkHeader), ...valuesOf(facts, NEXT)].map((value) => readNext(value, page.url)),
	);
	if (typeof next === 'object') return { query: next, sure: true };
	const cursor = strongest(CURSORS.map((name) => readCursor(facts.get(name))));
	if (typeof cursor === 'object') return { query: cursor, sure: true };

	const [current, last, total] = [countIn(facts, CURRENT), countIn(facts, LAST), countIn(facts, TOTAL)];
	const query = numbered(facts, page, current);
	const position = current === undefined || current === page.pages - 1 ? page.pages : current;
	if (last !== undefined && position < last) return { query, sure: true };
	const more = strongest([next, cursor, ...valuesOf(facts, MORE).map(readFlag)]);
	if (more !== undefined) return more === 'end' ? undefined : { query, sure: true };
	const counted = last === undefined && total !== undefined && total > page.rows;
	return counted ? { query, sure: false } : undefined;
}

/** The meaning of one value: the query of the next page, `more` if there is one, or `end`. */
type Hint = Query | 'more' | 'end' | undefined;

/** A query is preferred to `more`, and `more` to `end`. */
function strongest(values: readonly Hint[]): Hint {
	return (
		values.find((value) => typeof value === 'object') ??
		values.find((value) => value === 'more') ??
		values.find(Boolean)
	);
}

/** Names in lower case, without `_`, `-` and `@`. */
const NEXT = ['nextpageurl', 'nexturl', 'nextlink', 'nextpagelink', 'odata.nextlink', 'next', 'nextpage'];
const CURSORS = ['nextcursor', 'nextpagetoken'];
const MORE = ['hasmore', 'hasnext', 'hasnextpage', 'hasmorepages', 'more'];
const CURRENT = ['currentpage', 'page', 'pagenumber', 'pageno', 'pageindex', 'number'];
const LAST = ['lastpage', 'totalpages', 'pages', 'pagecount', 'pagestotal', 'numpages'];
const TOTAL = ['total', 'totalcount', 'totalrecords', 'totalitems', 'totalelements', 'totalresults', 'totalrows'];

/** Objects that may contain facts about pages. Rows are not among them. */
const SCOPE =
	/^_?(data|results?|response|payload|meta|metadata|pagination|paging|paginator|pager|page|page_?info|links|cursors?|contacts|sender_?ids|senders|items|list)$/i;

const DEEPEST = 3;

interface Fact {
	readonly key: string;
	readonly value: unknown;
}
type Facts = ReadonlyMap<string, Fact>;

function factsOf(body: unknown): Facts {
	const facts = new Map<string, Fact>();
	let scopes: unknown[] = [body];
	for (let depth = 0; depth <= DEEPEST; depth++) {
		const entries = scopes.filter(isObject).flatMap((scope) => Object.entries(scope));
		for (const [key, value] of entries) {
			const name = key.replace(/[_@-]/g, '').toLowerCase();
			// An object under a name that is usually a number, such as `page`, is a scope.
			const known = facts.get(name);
			if (!known || (isObject(known.value) && !isObject(value))) facts.set(name, { key, value });
		}
		scopes = entries.filter(([key]) => SCOPE.test(key)).map(([, value]) => value);
	}
	return facts;
}

function valuesOf(facts: Facts, names: readonly string[]): unknown[] {
	return names.flatMap((name) => (facts.has(name) ? [facts.get(name)?.value] : []));
}

const LONGEST_LINK = 4_000;

/** Reads a next link, the number of the next page, or a cursor under the name of a link. */
function readNext(value: unknown, url: string): Hint {
	if (value === undefined || value === null || value === false || value === '' || value === 0) return 'end';
	if (typeof value === 'number') return { page: String(value) };
	if (isObject(value)) {
		const link = [value.href, value.url, value.link].find((inner) => inner !== undefined);
		return typeof link === 'string' ? readNext(link, url) : undefined;
	}
	if (typeof value !== 'string' || value.length > LONGEST_LINK) return 'more';
	if (/^\d+$/.test(value)) return { page: value };
	if (/^[\w=+-]+$/.test(value)) return { cursor: value };
	return queryOf(value, url) ?? 'more';
}

function queryOf(link: string, url: string): Query | undefined {
	if (!URL.canParse(link, url)) return undefined;
	const [target, list] = [new URL(link, url), new URL(url)];
	const path = ({ pathname }: URL) => (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
	const same = target.origin === list.origin && path(target) === path(list) && !target.username && !target.password;
	return same ? Object.fromEntries(target.searchParams) : undefined;
}

/** The targets of a Link header that lead to the next page. */
function linksIn(header: string | undefined): string[] {
	const links = (header ?? '').slice(0, LONGEST_LINK).matchAll(/<([^<>]*)>([^<]*)/g);
	return [...links].flatMap(([, target = '', parameters = '']) => (isNext(parameters) ? [target] : []));
}

function isNext(parameters: string): boolean {
	return parameters.split(/[;,]/).some((parameter) => {
		const [name = '', value = ''] = parameter.split('=');
		return name.trim().toLowerCase() === 'rel' && value.toLowerCase().replaceAll('"', '').split(' ').includes('next');
	});
}

function readCursor(fact: Fact | undefined): Hint {
	if (!fact) return undefined;
	const { key, value } = fact;
	if (value === null || value === '' || value === false) return 'end';
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	if (key.toLowerCase().endsWith('cursor')) return { cursor: String(value) };
	return { [key.includes('_') ? 'page_token' : 'pageToken']: String(value) };
}

function readFlag(value: unknown): Hint {
	if (value === true || value === 1 || value === 'true') return 'more';
	return value === false || value === 0 || value === 'false' ? 'end' : undefined;
}

function countIn(facts: Facts, names: readonly string[]): number | undefined {
	return valuesOf(facts, names)
		.map(readCount)
		.find((count) => count !== undefined);
}

function readCount(value: unknown): number | undefined {
	const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
	return typeof count === 'number' && Number.isInteger(count) && count >= 0 ? count : undefined;
}

/** The next page by its number, or by its offset if the service uses offsets. */
function numbered(facts: Facts, { pages, pageRows }: LastPage, current: number | undefined): Query {
	const [offset, limit] = [countIn(facts, ['offset', 'skip']), countIn(facts, ['limit'])];
	if (current !== undefined || offset === undefined) return { page: String((current ?? pages) + 1) };
	return { offset: String(offset + pageRows), ...(limit !== undefined && { limit: String(limit) }) };
}
