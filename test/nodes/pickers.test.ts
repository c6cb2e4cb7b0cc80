import type { INodeParameters } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sandboxControl } from '../support/sandboxControl';
import { stubServer } from '../support/stubServer';
import { startEngine, type Engine, type Search } from '../support/n8n/engine';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let engine: Engine;

const engineOn = (baseUrl: string, apiKey = sandbox.apiKey) =>
	startEngine({ messagingServiceApi: { baseUrl, apiKey, authHeader: 'X-API-Key' } });

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	engine = await engineOn(sandbox.baseUrl);
});
afterAll(() => sandbox.stop());
beforeEach(async () => {
	await control.reset();
	await control.settings({ requests_per_second: 10_000 });
});

/** A server that returns one list, in the sandbox's shape. */
const serverOf = async (rows: unknown[]) =>
	await stubServer({ status: 200, body: JSON.stringify({ success: true, data: rows }) });

const entriesOf = async (method: string, search?: Search, on = engine) =>
	(await on.search(method, search)).results.map(({ name, value }) => [name, value]);

/** Reads all pages of a list. */
async function allPages(on: Engine, method: string, filter?: string) {
	const pages: string[][] = [];
	let paginationToken: string | undefined;
	do {
		const page = await on.search(method, { filter, paginationToken });
		pages.push(page.results.map(({ name }) => name));
		paginationToken = page.paginationToken === undefined ? undefined : page.paginationToken;
	} while (paginationToken !== undefined && pages.length < 10);
	return pages;
}

describe('the list of contacts', () => {
	beforeEach(async () => await control.removeContacts());

	const create = async (phone: string, name?: string) => {
		const parameters = { resource: 'contact', operation: 'create', phone, ...(name && { name }) };
		expect((await engine.run({ parameters })).status).toBe('success');
	};

	it('shows the contacts of the account by name, with their numbers', async () => {
		await create('+233241234567', 'Kofi Boateng');
		await create('+233201234567', 'Ama Mensah');
		await create('+233271234567');
		expect(await entriesOf('searchContacts')).toEqual([
			['+233271234567', '+233271234567'],
			['Ama Mensah (+233201234567)', '+233201234567'],
			['Kofi Boateng (+233241234567)', '+233241234567'],
		]);
	});

	it.each([
		['mensah', ['Ama Mensah (+233201234567)']],
		[' AMA ', ['Ama Mensah (+233201234567)']],
		['020 123', ['Ama Mensah (+233201234567)']],
		['+233 24-123', ['Kofi Boateng (+233241234567)']],
		['abc', []],
		['Kofi 020', []],
	])('searches the contacts for %j', async (filter, names) => {
		await create('+233201234567', 'Ama Mensah');
		await create('+233241234567', 'Kofi Boateng');
		expect((await entriesOf('searchContacts', { filter })).map(([name]) => name)).toEqual(names);
	});

	it('shows contacts with the same name separately and a shared number once, and hides those without a number', async () => {
		await using server = await serverOf([
			{ name: 'Ama', phone: '+233201234561' },
			{ name: 'Ama', phone: '+233201234562' },
			{ name: 'Shop', phone: '+233201234563' },
			{ name: 'Kofi at the shop', phone: ' +233201234563 ' },
			{ name: 'No phone' },
			{ name: 'Empty', phone: '  ' },
			{ name: null, phone: null },
		]);
		expect(await entriesOf('searchContacts', {}, await engineOn(server.baseUrl))).toEqual([
			['Ama (+233201234561)', '+233201234561'],
			['Ama (+233201234562)', '+233201234562'],
			['Shop / Kofi at the shop (+233201234563)', '+233201234563'],
		]);
	});
});

describe.each([
	[
		'searchContacts',
		(place: number) => ({ name: `N ${String(place).padStart(3, '0')}`, phone: `+23320000${place + 1000}` }),
	],
	['searchSenderIds', (place: number) => ({ name: `N ${String(place).padStart(3, '0')}`, status: 'approved' })],
] as const)('a long list: %s', (method, row) => {
	it('shows a long list in sorted pages, each entry once', async () => {
		await using server = await serverOf(Array.from({ length: 250 }, (_, index) => row(249 - index)));
		const long = await engineOn(server.baseUrl);
		const pages = await allPages(long, method);
		expect(pages.map(({ length }) => length)).toEqual([100, 100, 50]);
		expect(pages.flat()).toEqual(pages.flat().sort());
		expect(new Set(pages.flat()).size).toBe(250);
		expect((await allPages(long, method, 'N 24')).map(({ length }) => length)).toEqual([10]);
	});

	it('shows one page if the list exactly fills it', async () => {
		await using server = await serverOf(Array.from({ length: 100 }, (_, index) => row(index)));
		expect(await allPages(await engineOn(server.baseUrl), method)).toHaveLength(1);
	});

	it("shows the service's own words if it cannot read the list", async () => {
		const endpoint = method === 'searchContacts' ? 'contact.list' : 'senderId.list';
		const body = { message: 'This key was revoked.' };
		await control.fault({ endpoint, kind: 'answer', status: 401, body });
		await expect(engine.search(method)).rejects.toMatchObject({
			message: body.message,
			description: expect.stringContaining('API key') as string,
		});
	});

	it('shows the same list in the tool for agents', async () => {
		await using server = await serverOf([row(2), row(1)]);
		const asTool = await engineOn(server.baseUrl);
		const search = { type: 'messagingServiceTool' } as const;
		expect(await entriesOf(method, search, asTool)).toEqual(await entriesOf(method, {}, asTool));
		expect(await entriesOf(method, search, asTool)).toHaveLength(2);
	});
});

describe('the list of sender IDs', () => {
	it('hides sender IDs that are not approved, and duplicates', async () => {
		await using server = await serverOf([
			{ name: 'KOFISHOP', status: 'approved' },
			{ name: 'WAITING', status: 'pending' },
			{ name: 'REJECTED', status: 'rejected' },
			{ name: 'KOFISHOP', status: 'Approved' },
			'AKWAABA',
		]);
		expect(await entriesOf('searchSenderIds', {}, await engineOn(server.baseUrl))).toEqual([
			['AKWAABA', 'AKWAABA'],
			['KOFISHOP', 'KOFISHOP'],
		]);
	});
});

describe('a phone number field', () => {
	const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
	const given: Array<[string, INodeParameters['to']]> = [
		['chosen from the contacts', { __rl: true, mode: 'list', value: '+233201234567', cachedResultName: 'Ama Mensah' }],
		['typed', { __rl: true, mode: 'phone', value: '020 123 4567' }],
		['from an expression', { __rl: true, mode: 'phone', value: '={{ $json.tel }}' }],
		['from an expression that returns a number', { __rl: true, mode: 'phone', value: '={{ Number($json.tel) }}' }],
		['from an expression in the list', { __rl: true, mode: 'list', value: '={{ $json.tel }}' }],
		['from an expression without a mode', { __rl: true, mode: '', value: '={{ $json.tel }}' }],
		['in plain text', '020 123 4567'],
		['from an expression in plain text', '={{ $json.tel }}'],
	];
	const operations: Array<[string, string, string]> = [
		['sms', 'send', 'to'],
		['sms', 'sendLater', 'to'],
		['whatsapp', 'send', 'to'],
		['voice', 'send', 'to'],
		['verification', 'start', 'phone'],
	];

	it.each(
		operations.flatMap(([resource, operation, name]) =>
			given.map(([how, to]) => [resource, operation, how, name, to] as const),
		),
	)('sends with %s.%s to a number %s', async (resource, operation, _, name, to) => {
		const parameters = {
			resource,
			operation,
			senderId,
			message: 'Hi',
			sendAt: '={{ $now.plus({ days: 1 }) }}',
			[name]: to,
		} as INodeParameters;
		const result = await engine.run({ parameters, items: [{ tel: '0201234567' }] });
		expect(result.error).toBeUndefined();
		expect((await control.messages()).map((message) => message.to)).toEqual(['+233201234567']);
	});

	it.each<[string, INodeParameters['to']]>([
		['as plain text', "={{ $fromAI('to', '', 'string') }}"],
		['as a phone number', { __rl: true, mode: 'phone', value: "={{ $fromAI('to', '', 'string') }}" }],
		['in the list', { __rl: true, mode: 'list', value: "={{ $fromAI('to', '', 'string') }}" }],
	])('accepts a number from an agent, %s', async (_, to) => {
		const calls = [
			{ to: '020 123 4567', message: 'One' },
			{ to: '+233241234567', message: 'Two' },
		];
		const responses = await engine.callTool(calls, {}, 'one by one', {}, to);
		expect(responses.every((response) => response.includes('accepted'))).toBe(true);
		expect((await control.messages()).map((message) => [message.to, message.message]).sort()).toEqual([
			['+233201234567', 'One'],
			['+233241234567', 'Two'],
		]);
	});

	it("reads a contact's local number with the Default Country", async () => {
		const to = { __rl: true, mode: 'list', value: '08031234567', cachedResultName: 'Ngozi' };
		const parameters = {
			resource: 'sms',
			operation: 'send',
			senderId,
			message: 'Hi',
			to,
			options: { defaultCountry: 'NG' },
		};
		await engine.run({ parameters });
		expect((await control.messages()).map((message) => message.to)).toEqual(['+2348031234567']);
	});
});
