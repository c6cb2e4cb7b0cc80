import { startSandbox, type Sandbox } from '../../sandbox/server';
import { openSharedN8n, type SharedN8n } from '../support/e2e/sharedN8n';
import { sandboxControl } from '../support/sandboxControl';

/** The editor's request to n8n's server for the items of a list. */
interface ListRequest {
	readonly type: string;
	readonly methodName: string;
	readonly filter?: string;
	readonly paginationToken?: string;
}

interface Page {
	readonly results: ReadonlyArray<{ readonly name: string; readonly value: string }>;
	readonly paginationToken?: string;
}

let open: (request: ListRequest) => Promise<{ message?: string; data?: Page }>;
let server: SharedN8n;
let sandbox: Sandbox;

const CONTACTS = 120;

async function control(method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
	const response = await fetch(`${sandbox.url}/_sandbox/${path}`, { method, body: JSON.stringify(body) });
	expect(response.ok).toBe(true);
}

beforeAll(async () => {
	server = await openSharedN8n();
	sandbox = await startSandbox({ clock: 'running' });
	const { baseUrl, apiKey } = sandbox;
	const { id } = await server.n8n.call<{ id: string }>('POST', '/credentials', {
		name: 'Sandbox',
		type: 'messagingServiceApi',
		data: { baseUrl, apiKey },
	});
	// A fast machine creates contacts at more than the default rate limit.
	await control('PUT', 'settings', { requests_per_second: 10_000 });
	// Those of a new sandbox would come before them.
	await sandboxControl(sandbox).removeContacts();
	for (let place = 0; place < CONTACTS; place++) {
		const phone = `+23320100${String(1000 + place)}`;
		const response = await fetch(`${baseUrl}contacts`, {
			method: 'POST',
			headers: { 'X-API-Key': apiKey, 'content-type': 'application/json' },
			body: JSON.stringify({ phone, name: `Customer ${String(place).padStart(3, '0')}` }),
		});
		expect(response.ok).toBe(true);
	}
	const { editor } = server;
	open = async ({ type, methodName, filter, paginationToken }) => {
		const response = await editor('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
			path: 'parameters.to',
			methodName,
			nodeTypeAndVersion: { name: `n8n-nodes-messaging-service.${type}`, version: 1 },
			currentNodeParameters: { resource: 'sms', operation: 'send', to: { __rl: true, mode: 'list', value: '' } },
			credentials: { messagingServiceApi: { id, name: 'Sandbox' } },
			...(filter !== undefined && { filter }),
			...(paginationToken !== undefined && { paginationToken }),
		});
		return (await response.json()) as { message?: string; data?: Page };
	};
});

afterAll(async () => {
	await sandbox.stop();
	// Nothing in n8n asked for another host.
	expect(await server.close()).toEqual([]);
});

describe.each(['messagingService', 'messagingServiceTool', 'messagingServiceHitlTool'])('lists of %s', (type) => {
	test('lists contacts in pages, and searches them', async () => {
		const first = await open({ type, methodName: 'searchContacts' });
		expect(first.data?.results).toHaveLength(100);
		expect(first.data?.results[0]).toEqual({ name: 'Customer 000 (+233201001000)', value: '+233201001000' });
		const second = await open({ type, methodName: 'searchContacts', paginationToken: first.data?.paginationToken });
		expect(second.data?.results).toHaveLength(CONTACTS - 100);
		expect(second.data?.paginationToken).toBeUndefined();
		const found = await open({ type, methodName: 'searchContacts', filter: '020 100 1119' });
		expect(found.data?.results).toEqual([{ name: 'Customer 119 (+233201001119)', value: '+233201001119' }]);
	});

	test('lists only approved sender IDs', async () => {
		const { data } = await open({ type, methodName: 'searchSenderIds' });
		expect(data?.results.map(({ value }) => value)).toEqual(['AKWAABA', 'KOFISHOP']);
	});

	test('shows the service’s message if a list cannot be read', async () => {
		const body = { code: 'invalid_key', message: 'This API key has been revoked.' };
		const fault = { endpoint: 'contact.list', kind: 'answer', status: 401, body };
		await control('POST', 'faults', fault);
		expect((await open({ type, methodName: 'searchContacts' })).message).toBe('This API key has been revoked.');
	});
});
