import { stringify } from 'yaml';
import { parseSeed, SeedError } from '../../sandbox/seed/readSeed';
import { fc } from '../support/random';
import { listen, run } from '../support/testSandbox';

const YAML = `# A shop with little money
wallet: { balance: 1.5, currency: GHS }
sender_ids:
  - KOFISHOP
  - name: NEWBRAND
    status: pending
  - 1234
contacts:
  - { name: Ama Mensah, phone: +233201234567, city: Kumasi }
  - { phone: 0244567890 }
opt_outs: [+233271234567, +447911123456]
settings:
  low_balance_threshold: 1
  error_shape: nested
faults:
  - { endpoint: sms.send, kind: answer, status: 503 }
`;
const JSON_TEXT = JSON.stringify({
	wallet: { balance: 1.5, currency: 'GHS' },
	sender_ids: ['KOFISHOP', { name: 'NEWBRAND', status: 'pending' }, '1234'],
	contacts: [{ name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' }, { phone: '0244567890' }],
	opt_outs: ['+233271234567', '+447911123456'],
	settings: { low_balance_threshold: 1, error_shape: 'nested' },
	faults: [{ endpoint: 'sms.send', kind: 'answer', status: 503 }],
});

const problems = (text: string): string[] => {
	try {
		parseSeed(text, 'seed.yaml');
	} catch (error) {
		if (error instanceof SeedError) return error.message.split('\n');
		throw error;
	}
	return [];
};

describe('a seed file', () => {
	it.each([
		['YAML', YAML],
		['JSON', JSON_TEXT],
	])('in %s fills the account of a new sandbox, and again after a reset', async (_, text) => {
		await using sandbox = await run({ seed: parseSeed(text, 'seed') });
		const check = async () => {
			const read = async (path: string) => (await sandbox.control('GET', path)).body;
			expect(await read('wallet')).toMatchObject({ balance: 1.5, currency: 'GHS' });
			expect(await read('sender-ids/all')).toMatchObject([
				{ name: 'KOFISHOP', status: 'approved' },
				{ name: 'NEWBRAND', status: 'pending' },
				{ name: '1234', status: 'approved' },
			]);
			expect(await read('contacts')).toMatchObject([
				{ name: 'Ama Mensah', phone: '+233201234567', city: 'Kumasi' },
				{ name: null, phone: '+233244567890' },
			]);
			expect(await read('opt-outs')).toMatchObject([{ number: '+447911123456' }, { number: '+233271234567' }]);
			expect(await read('settings')).toMatchObject({ low_balance_threshold: 1, list_shape: 'data' });
			expect(await sandbox.send()).toMatchObject({ status: 503 });
			expect(await sandbox.send()).toMatchObject({ status: 200, body: { balance: 1.45 } });
			expect(await sandbox.send({ to: '+233271234567' })).toMatchObject({
				status: 422,
				body: { error: { code: 'opted_out' } },
			});
		};
		await check();
		expect(await sandbox.control('POST', 'reset')).toMatchObject({ status: 200 });
		await check();
	});

	it('leaves the parts that it does not have as in a sandbox without a seed', async () => {
		await using usual = await run();
		await using seeded = await run({ seed: parseSeed('opt_outs: []\ncontacts: []', 'seed.yaml') });
		for (const path of ['wallet', 'sender-ids/all', 'settings', 'faults', 'opt-outs']) {
			const part = async (of: typeof usual) =>
				JSON.stringify((await of.control('GET', path)).body).replace(
					/\d{4}-\d\d-\d\d[T ][\d:.]+Z?|127\.0\.0\.1:\d+/g,
					'',
				);
			expect([path, await part(seeded)]).toEqual([path, await part(usual)]);
		}
		expect((await seeded.control('GET', 'contacts')).body).toEqual([]);
	});

	it('may have an empty wallet, whose currency is in the responses', async () => {
		await using sandbox = await run({ seed: parseSeed('wallet: { balance: 0, currency: NGN }', 'seed.yaml') });
		expect(await sandbox.wallet()).toMatchObject({ balance: 0, transactions: [] });
		expect(await sandbox.api('GET', 'balance')).toMatchObject({ body: { balance: 0, currency: 'NGN' } });
		expect(await sandbox.send()).toMatchObject({ status: 422, body: { code: 'insufficient_balance' } });
	});

	it('reports a balance that is low from the start to its callback URL', async () => {
		await using server = await listen();
		const seed = parseSeed(JSON.stringify({ wallet: { balance: 2 }, settings: { callback_url: server.url } }), 'seed');
		await using sandbox = await run({ seed, clock: 'running' });
		await server.next;
		await sandbox.control('POST', 'settle');
		expect(server.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
			{ balance: 2, threshold: 5 },
		]);
	});

	it.each([
		['', ['seed.yaml cannot be used as a seed, because it is empty.']],
		['# nothing', ['seed.yaml cannot be used as a seed, because it is empty.']],
		['wallet: [', [/^Line 1: /]],
		['wallet: *shop', [/^seed\.yaml cannot be used as a seed: Unresolved alias/]],
		['wallet: {}\nwallet: {}', [/^Line 2: .*unique/]],
		['- KOFISHOP', [/^Line 1: is no object with wallet/]],
		['wallet:\n  balance: lots', ['Line 2: wallet.balance is not a number.']],
		['wallet:\n  balance: -1', ['Line 2: wallet.balance is below 0.']],
		['wallet:\n  currency: cedi', ['Line 2: wallet.currency is not a currency code such as GHS.']],
		['wallet:\n  balance: 1\n  credit: 5', ['Line 3: unknown fields: credit.']],
		['# A shop\n\nsenders: []', ['Line 3: unknown fields: senders.']],
		['sender_ids:\n  - KOFISHOP\n  - KO', [/^Line 3: sender_ids\.1\.name is neither/]],
		['sender_ids:\n  - KOFISHOP\n  - AKWAABA\n  - KOFISHOP', ['Line 4: sender_ids.2.name is in the list twice.']],
		['sender_ids:\n  - name: KOFISHOP\n    status: new', [/^Line 3: sender_ids\.0\.status is not one of/]],
		['contacts:\n  - name: Ama', ['Line 2: contacts.0.phone is missing.']],
		['contacts:\n  - name: Ama\n    phone: none', [/^Line 3: contacts\.0\.phone is not an E\.164 phone number/]],
		['contacts:\n  - phone: 0244567890\n  - phone: +233244567890', ['Line 3: contacts.1.phone is in the list twice.']],
		['opt_outs: +233201234567', ['Line 1: opt_outs is not a list of phone numbers.']],
		['faults:\n  - kind: explode\n    endpoint: sms.send', [/^Line 2: faults\.0\.kind is not one of answer/]],
		['faults:\n  - kind: hang\n    endpoint: sms.sent', [/^Line 3: faults\.0\.endpoint is neither/]],
		['settings:\n  callback_url: later', ['Line 2: settings.callback_url is not an http or https URL.']],
		[
			'wallet:\n  balance: x\nopt_outs:\n  - nobody',
			['Line 2: wallet.balance is not a number.', /^Line 4: opt_outs\.0 is not an E\.164/],
		],
	])('%j is rejected with the line and the reason', (text, expected) => {
		const found = problems(text).filter((line) => line !== 'seed.yaml cannot be used as a seed.');
		expect(found).toEqual(expected.map((one): unknown => (typeof one === 'string' ? one : expect.stringMatching(one))));
	});

	it('names a line of the file for each wrong value, whatever the file is', () => {
		const file = fc.oneof(
			fc.string(),
			fc
				.object({ key: fc.constantFrom('wallet', 'sender_ids', 'contacts', 'phone', 'faults', 'name', '0') })
				.map((value) => stringify(value)),
		);
		fc.assert(
			fc.property(file, (text) => {
				const lines = text.split(/\r?\n/).length;
				for (const problem of problems(text).slice(1)) {
					const line = Number(/^Line (\d+): /.exec(problem)?.[1]);
					expect(line).toBeGreaterThanOrEqual(1);
					expect(line).toBeLessThanOrEqual(lines);
				}
			}),
		);
	});
});
