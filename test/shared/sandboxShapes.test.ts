import { startSandbox, type Sandbox } from '../../sandbox/server';
import { contract, createClient, senderNames, type Client, type ListEndpoint } from '../../shared';
import { undiciTransport } from '../../shared/transports/undici';
import { sandboxControl } from '../support/sandboxControl';

let sandbox: Sandbox;
let control: ReturnType<typeof sandboxControl>;
let client: Client;

beforeAll(async () => {
	sandbox = await startSandbox({ clock: 'stopped' });
	control = sandboxControl(sandbox);
	client = createClient({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, transport: undiciTransport() });
	await control.settings({ requests_per_second: 10_000 });
	await control.removeContacts();
	for (let number = 1; number <= 7; number++) {
		await client.contact.create({ name: `N ${number}`, phone: `+23320123456${number}` });
	}
});
afterAll(() => sandbox.stop());

async function rowsOf<E extends ListEndpoint>(endpoint: E) {
	const read = await client.readAll(endpoint);
	if (read.outcome !== 'accepted') throw read.error;
	if (read.output.incomplete) throw read.output.incomplete;
	return read.output.rows;
}

const listShapes = ['data', 'bare', 'named', 'paged'];
const plain = {
	contact_shape: 'plain',
	sender_id_shape: 'records',
	balance_shape: 'plain',
	record_shape: 'flat',
};

describe.each(listShapes.flatMap((list_shape) => [0, 1, 3, 7].map((page_size) => ({ list_shape, page_size }))))(
	'the sandbox’s lists with %j',
	(settings) => {
		it.each(['plain', 'renamed', 'numbers'])('reads all contacts that are %s', async (contact_shape) => {
			await control.settings({ ...plain, ...settings, contact_shape });
			const rows = await rowsOf(contract.contact.list);
			expect(rows.map(({ name }) => name).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `N ${number}`));
			expect(rows.every(({ id, phone }) => /^\d+$/.test(id ?? '') && /^\+?23320123456\d$/.test(phone ?? ''))).toBe(
				true,
			);
		});

		it.each(['records', 'numbers', 'names'])('reads all sender IDs that are %s', async (sender_id_shape) => {
			await control.settings({ ...plain, ...settings, sender_id_shape });
			expect(senderNames(await rowsOf(contract.senderId.list))).toEqual(['AKWAABA', 'KOFISHOP']);
		});
	},
);

it.each(
	['plain', 'renamed', 'nested', 'text'].flatMap((balance_shape) =>
		['flat', 'data', 'named'].map((record_shape) => ({ balance_shape, record_shape })),
	),
)('reads the sandbox’s balance with %j', async (settings) => {
	await control.settings({ ...plain, ...settings });
	await expect(client.wallet.getBalance()).resolves.toMatchObject({ balance: 40 });
	await expect(client.checkKey()).resolves.toMatchObject({ known: true, balance: { balance: 40 } });
});
