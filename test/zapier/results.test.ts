import { stubServer } from '../support/stubServer';
import { toOutput } from '../../zapier/runtime/results';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const fields = [
	{ key: 'id', type: 'string' },
	{ key: 'created_at', type: 'datetime' },
	{ key: 'crossed', type: 'datetime' },
];
const NOON = '2026-11-20T12:00:00Z';

describe('date in an output', () => {
	it.each([
		['2026-11-20 12:00:00', NOON],
		['2026-11-20T12:00:00', NOON],
		['2026-11-20 12:00', NOON],
		['2026-11-20T12:00:00.123456', '2026-11-20T12:00:00.123456Z'],
		['2026-11-20 12:00:00.5', '2026-11-20T12:00:00.5Z'],
		['2026-11-20T12:00:00Z', NOON],
		['2026-11-20 12:00:00 UTC', NOON],
		['2026-11-20 12:00:00+00', '2026-11-20T12:00:00+00:00'],
		['2026-11-20T12:00:00+0100', '2026-11-20T12:00:00+01:00'],
		['2026-11-20T12:00:00+01:00', '2026-11-20T12:00:00+01:00'],
	])('gets a time zone, by default UTC: %s', (given, zoned) => {
		expect(toOutput(fields, { created_at: given, elsewhere: given })).toMatchObject({
			created_at: zoned,
			elsewhere: given,
		});
	});

	it.each([
		[1_795_176_000, '2026-11-20T12:00:00.000Z'],
		['1795176000', '2026-11-20T12:00:00.000Z'],
		[1_795_176_000_000, '2026-11-20T12:00:00.000Z'],
		['1795176000000', '2026-11-20T12:00:00.000Z'],
		['1795176000.25', '2026-11-20T12:00:00.250Z'],
	])('is converted from seconds or milliseconds since 1970 in date fields: %j', (given, date) => {
		const names = ['created_at', 'deliveredAt', 'date', 'Sent Date', 'timestamp', 'due-time', 'crossed'];
		const result = toOutput(fields, Object.fromEntries(names.map((name) => [name, given])));
		expect(result).toEqual({ id: null, ...Object.fromEntries(names.map((name) => [name, date])) });
	});

	it('is found in lists, in objects, and in any field below a name like timestamps', () => {
		const given = {
			timestamps: { delivered_at: '2026-11-20 12:00:00', sent: 1_795_176_000, by: 'gateway' },
			rows: [{ created_at: '2026-11-20 12:00:00', amount: 1_795_176_000 }],
		};
		expect(toOutput(fields, given)).toMatchObject({
			timestamps: { delivered_at: NOON, sent: '2026-11-20T12:00:00.000Z', by: 'gateway' },
			rows: [{ created_at: NOON, amount: 1_795_176_000 }],
		});
	});

	it.each(['', ' ', '0000-00-00 00:00:00'])('is null if the date field has %j', (given) => {
		expect(toOutput(fields, { created_at: given, crossed: given })).toMatchObject({ created_at: null, crossed: null });
	});

	it('is midnight in UTC for a date alone in a datetime field, and unchanged elsewhere', () => {
		expect(toOutput(fields, { crossed: '2026-11-20', birth_date: '2026-11-20' })).toMatchObject({
			crossed: '2026-11-20T00:00:00Z',
			birth_date: '2026-11-20',
		});
	});

	it.each<[string, unknown]>([
		['message_id', '1795176000'],
		['id', 1_795_176_000],
		['candidate', '1795176000'],
		['estimate', 1_795_176_000],
		['format', '1795176000'],
		['phone', '1795176000'],
		['time', 45],
		['time', '12:00'],
		['date', 'tomorrow'],
		['date', '2026-13-45 99:00:00'],
		['note', 'on 2026-11-20 12:00:00'],
		['name', '2026-11-20 12:00'],
		['lines_to_send_again', [{ to: '+233201234567', message: '2026-12-01 10:00' }]],
		['note', ''],
	])('is not made from other values: %s with %j', (key, value) => {
		expect(toOutput(fields, { [key]: value })).toMatchObject({ [key]: value });
	});

	it('takes no time in a long or deeply nested value', () => {
		let deep: unknown = '2026-11-20 12:00:00';
		for (let depth = 0; depth < 100_000; depth++) deep = [deep];
		const long = `2026-11-20 12:00:00${'0'.repeat(5_000_000)}`;
		expect(toOutput(fields, { long, created_at: long, deep })).toMatchObject({ long });
	});
});

it('Find Contact returns names and custom fields as they were written, and its own dates with a zone', async () => {
	const contact = { id: '7', name: '2026-11-20 10:00', phone: '+233201234567', lead_time: '1234567890' };
	const body = JSON.stringify([{ ...contact, order_date: '2412345678', created_at: '2026-11-20 12:00:00' }]);
	await using server = await stubServer({ status: 200, body });
	const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
	expect(await app.run(methods.findContact, { name: contact.name })).toEqual([
		{ ...contact, order_date: '2412345678', created_at: NOON },
	]);
});

it('Find Message returns dates with a time zone, also nested ones', async () => {
	const body = JSON.stringify({
		status: 'delivered',
		sent_at: 1_795_176_000,
		timestamps: { delivered_at: '2026-11-20T12:00:00' },
	});
	await using server = await stubServer({ status: 200, body });
	const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
	expect(await app.run(methods.findMessage, { message_id: 'msg_1' })).toMatchObject([
		{ sent_at: '2026-11-20T12:00:00.000Z', timestamps: { delivered_at: NOON } },
	]);
});

it('Find Wallet Top-Up returns null for an empty date', async () => {
	await using server = await stubServer({ status: 200, body: '{"status": "pending", "created_at": ""}' });
	const app = driveApp({ base_url: server.baseUrl, api_key: 'sk_1' });
	expect(await app.run(methods.findWalletTopUp, { reference: 'top_1' })).toMatchObject([{ created_at: null }]);
});
