import { createClient, senderNames, type Transport } from '../../shared';

/** Responds to every call with the same body. These tests do not use the network. */
const respondingWith = (body: unknown): Transport => ({
	send: () => Promise.resolve({ status: 200, headers: {}, body: JSON.stringify(body) }),
	sleep: () => Promise.resolve(),
});
const client = (body: unknown) =>
	createClient({
		baseUrl: 'https://service.example',
		apiKey: 'sk_test_1234',
		transport: respondingWith(body),
		retry: { attempts: 1 },
	});

const ama = { id: '7', name: 'Ama Mensah', phone: '+233201234567' };

describe('a contact', () => {
	it.each<[unknown, object]>([
		[{ id: 7, name: 'Ama Mensah', phone: '+233201234567' }, ama],
		[{ contact_id: 7, full_name: 'Ama Mensah', phone_number: '+233201234567' }, ama],
		[{ uuid: '7', contact_name: 'Ama Mensah', msisdn: '+233201234567' }, ama],
		[{ contactId: 7, fullName: 'Ama Mensah', phoneNumber: '+233201234567' }, ama],
		[{ _id: '7', display_name: 'Ama Mensah', mobile: '+233201234567' }, ama],
		[{ ID: 7, Name: 'Ama Mensah', 'Phone Number': '+233201234567' }, ama],
		[{ id: 7, first_name: 'Ama', last_name: 'Mensah', contact_phone: '+233201234567' }, ama],
		[{ id: 7, firstName: ' Ama ', surname: 'Mensah', number: '+233201234567' }, ama],
		[{ id: 7, name: { first: 'Ama', last: 'Mensah' }, phone: { number: '+233201234567' } }, ama],
		[{ id: '7', name: '', full_name: 'Ama Mensah', phone: '', mobile: '+233201234567' }, ama],
	])('reads a contact from %j', async (row, contact) => {
		const listed = await client({ data: [row] }).contact.list();
		expect(listed).toEqual([expect.objectContaining(contact)]);
	});

	it('reads a contact with a number as phone or name, as text', async () => {
		const listed = await client([{ id: 1, name: 4711, phone: 233201234567 }, ama]).contact.list();
		expect(listed).toEqual([{ id: '1', name: '4711', phone: '233201234567' }, ama]);
	});

	it('uses a first name alone as the name of a contact', async () => {
		expect(await client([{ first_name: 'Ama', last_name: null }]).contact.list()).toMatchObject([{ name: 'Ama' }]);
	});

	it('gives null for an unreadable field of a contact, and keeps the other fields', async () => {
		const odd = { id: '', name: ['Ama'], phone: '+233201234567', city: 'Kumasi', tags: [1] };
		expect(await client([odd, ama]).contact.list()).toEqual([
			{ id: null, name: null, phone: '+233201234567', city: 'Kumasi', tags: [1] },
			ama,
		]);
	});

	it('reads a contact from a bare number, and skips rows that are not contacts', async () => {
		expect(await client([null, '+233201234567', 'Ama', 7, [], true, ama]).contact.list()).toEqual([
			{ phone: '+233201234567' },
			ama,
		]);
	});

	it('ignores fields of a hostile row that would change its prototype', async () => {
		const body = '[{"__proto__": {"phone": "+233209999999"}, "constructor": {"name": "Eve"}, "name": "Ama"}]';
		const transport: Transport = {
			send: () => Promise.resolve({ status: 200, headers: {}, body }),
			sleep: () => Promise.resolve(),
		};
		const [contact] = await createClient({
			baseUrl: 'https://service.example',
			apiKey: 'sk_1',
			transport,
		}).contact.list();
		expect(contact?.name).toBe('Ama');
		expect(contact?.phone).toBeUndefined();
	});

	it('reads a created contact from the same names', async () => {
		const body = { success: true, data: { contact_id: 7, full_name: 'Ama Mensah', msisdn: 233201234567 } };
		const created = await client(body).contact.create({ phone: '+233201234567', name: 'Ama Mensah' });
		expect(created).toMatchObject({ id: '7', name: 'Ama Mensah', phone: '233201234567' });
	});
});

describe('a sender ID', () => {
	it.each<[unknown, object]>([
		[
			{ name: 'KOFISHOP', status: 1 },
			{ name: 'KOFISHOP', status: '1' },
		],
		[
			{ name: 'KOFISHOP', status: true },
			{ name: 'KOFISHOP', status: 'true' },
		],
		[{ name: 'KOFISHOP', status: null }, { name: 'KOFISHOP' }],
		[{ name: 'KOFISHOP', status: { code: 1 } }, { name: 'KOFISHOP' }],
		[
			{ name: 1234, status: 'approved' },
			{ name: '1234', status: 'approved' },
		],
		[{ short_code: 1234 }, { name: '1234' }],
		[1234, { name: '1234' }],
		[{ senderName: 'KOFISHOP' }, { name: 'KOFISHOP' }],
		[
			{ id: 7, sender_id: 7, sender_name: 'KOFISHOP' },
			{ name: 'KOFISHOP', sender_id: 7 },
		],
	])('reads a sender ID from %j', async (row, senderId) => {
		const listed = await client({ data: [{ name: 'AKWAABA', status: 'approved' }, row] }).senderId.list();
		expect(listed).toEqual([{ name: 'AKWAABA', status: 'approved' }, expect.objectContaining(senderId)]);
	});

	it('skips a row without a sender ID, and rejects a list of such rows', async () => {
		const nameless = { id: 7, status: 'approved' };
		expect(await client([nameless, { name: 'AKWAABA' }, null, '']).senderId.list()).toEqual([{ name: 'AKWAABA' }]);
		await expect(client([nameless, nameless]).senderId.list()).rejects.toMatchObject({ name: 'ContractError' });
	});

	it.each<[unknown, boolean]>([
		[undefined, true],
		['approved', true],
		['Active', true],
		[1, true],
		['1', true],
		[true, true],
		['live', true],
		['pending', false],
		['Rejected', false],
		['under review', false],
		['not approved', false],
		['unapproved', false],
		['inactive', false],
		[0, false],
		[false, false],
	])('offers a sender ID with the status %j: %s', async (status, offered) => {
		const listed = await client([{ name: 'KOFISHOP', status }, { name: 'AKWAABA' }]).senderId.list();
		expect(senderNames(listed)).toEqual(offered ? ['AKWAABA', 'KOFISHOP'] : ['AKWAABA']);
	});
});

describe('a transaction', () => {
	const debit = { id: '12', type: 'debit', amount: -0.05, balance: 39.95, created_at: '2026-11-20 12:00:00' };

	it.each<[unknown]>([
		[{ id: 12, type: 'debit', amount: '-0.05', balance: '39.95', created_at: '2026-11-20 12:00:00' }],
		[
			{
				transaction_id: 12,
				transaction_type: 'debit',
				amount: '-GHS 0.05',
				balance_after: 'GH₵39.95',
				date: '2026-11-20 12:00:00',
			},
		],
		[{ uuid: '12', type: 'debit', value: -0.05, new_balance: 39.95, createdAt: '2026-11-20 12:00:00' }],
		[{ txn_id: '12', kind: 'debit', amount: -0.05, balanceAfter: 39.95, transaction_date: '2026-11-20 12:00:00' }],
	])('reads a transaction from %j', async (row) => {
		expect(await client({ transactions: [row] }).wallet.listTransactions()).toEqual([expect.objectContaining(debit)]);
	});

	it('reads a list with a transaction that cannot be read', async () => {
		const rows = [null, debit, 'no row', { id: 13, amount: 'plenty', type: 7, created_at: 1763640000 }];
		expect(await client(rows).wallet.listTransactions()).toEqual([
			debit,
			{ id: '13', type: '7', amount: null, created_at: '1763640000' },
		]);
	});
});

describe('a list in an envelope', () => {
	it.each<[unknown]>([
		[{ contacts: { current_page: 1, data: [ama] } }],
		[{ success: true, contacts: { items: [ama] }, meta: { total: 1 } }],
		[{ contacts: [ama], links: [{ url: null, label: 'Previous' }] }],
		[{ status: 'success', message: 'ok', data: { contacts: [ama], links: [] } }],
	])('finds the list in %j', async (body) => {
		expect(await client(body).contact.list()).toEqual([ama]);
	});

	it('rejects an envelope with two possible lists', async () => {
		const body = { contacts: { data: [ama] }, groups: { data: [] } };
		await expect(client(body).contact.list()).rejects.toMatchObject({ name: 'ContractError' });
	});
});
