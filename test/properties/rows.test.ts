import { createClient, type Client } from '../../shared';
import { fc, runCount } from '../support/random';

const clientOf = (body: unknown): Client =>
	createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1234',
		transport: {
			send: () => Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(body) }),
			sleep: () => Promise.resolve(),
		},
		retry: { attempts: 1 },
	});

/** One valid row of each list, marked to find it again. */
const lists: ReadonlyArray<readonly [string, (client: Client) => Promise<readonly object[]>, object]> = [
	['contacts', (client) => client.contact.list(), { id: 'good', name: 'Ama', phone: '+233201234567' }],
	['sender IDs', (client) => client.senderId.list(), { id: 'good', name: 'KOFISHOP', status: 'approved' }],
	['transactions', (client) => client.wallet.listTransactions(), { id: 'good', type: 'debit', amount: -0.05 }],
];

const keys = ['id', 'name', 'phone', 'msisdn', 'first_name', 'status', 'sender_id', 'amount', 'balance', 'created_at'];
// No integers above 2^53: the JSON reader would then keep all such numbers of the body as text.
const anyValue = fc.anything({
	values: [fc.string(), fc.boolean(), fc.constant(null), fc.integer(), fc.double({ min: -1e6, max: 1e6, noNaN: true })],
});
const anyRow = fc.oneof(anyValue, fc.dictionary(fc.constantFrom(...keys), anyValue));
const isGood = (row: object) => 'id' in row && row.id === 'good';

describe.each(lists)('any row in a list of %s', (_, list, good) => {
	it('keeps the valid rows unchanged', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(anyRow, { maxLength: 6 }), fc.nat(6), async (odd, place) => {
				const at = Math.min(place, odd.length);
				const body = { data: [...odd.slice(0, at), good, ...odd.slice(at), good] };
				const read = await list(clientOf(body));
				expect(read.filter(isGood)).toEqual([good, good]);
				expect(read.length).toBeLessThanOrEqual(body.data.length);
			}),
			{ numRuns: runCount(200) },
		);
	});

	it('reads a row regardless of its neighbors', async () => {
		await fc.assert(
			fc.asyncProperty(anyRow, fc.array(anyRow, { maxLength: 4 }), async (row, others) => {
				const alone = await list(clientOf({ data: [good, row] }));
				const among = await list(clientOf({ data: [good, row, ...others] }));
				expect(among.slice(0, alone.length)).toEqual(alone);
			}),
			{ numRuns: runCount(200) },
		);
	});
});
