import type { INodeParameters } from 'n8n-workflow';
import { startEngine, type Engine } from '../support/n8n/engine';
import { useSandbox } from '../support/useSandbox';

const { sandbox, control } = useSandbox();
let engine: Engine;

beforeAll(async () => {
	engine = await startEngine({
		messagingServiceApi: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, authHeader: 'X-API-Key' },
	});
});

const senderId = { __rl: true, mode: 'name', value: 'KOFISHOP' };
const message = 'We are open';
const sendAt = '={{ $now.plus({ days: 1 }).toISO() }}';
const LANDLINE = '0302123456';
const texts: ReadonlyArray<[string, string, INodeParameters]> = [
	['sms', 'send', { senderId, to: LANDLINE, message }],
	['sms', 'sendLater', { senderId, to: LANDLINE, message, sendAt }],
	['sms', 'sendAndWait', { senderId, to: LANDLINE, message }],
	['whatsapp', 'send', { to: LANDLINE, message }],
	['verification', 'start', { senderId, phone: LANDLINE }],
];
const send = async (to: unknown, more: INodeParameters = {}) =>
	await engine.run({
		parameters: { resource: 'sms', operation: 'send', senderId, message, to: '={{ $json.to }}', ...more },
		items: [{ to }],
	});
const recipients = async () => (await control.messages()).map(({ to }) => to);

describe('a landline', () => {
	it.each(texts)('is rejected for %s.%s, also in a dry run', async (resource, operation, fields) => {
		const dryRuns = operation === 'sendAndWait' ? [{}] : [{}, { options: { dryRun: true } }];
		for (const options of dryRuns) {
			const { error } = await engine.run({ parameters: { resource, operation, ...fields, ...options } });
			expect(error?.message).toMatch(/^(To|Phone) .*is a landline, which cannot receive: give a mobile number/);
			expect(error?.description).toContain('Nothing was sent or charged.');
		}
		expect(await control.messages()).toEqual([]);
	});

	it('gets an SMS if Landlines is Allow', async () => {
		await send(LANDLINE, { options: { landlines: 'allow' } });
		expect(await recipients()).toEqual(['+233302123456']);
	});

	it('is skipped in a bulk send, with its reason', async () => {
		const { outputs } = await send(`${LANDLINE}, 0201234567`, { operation: 'sendBulk' });
		expect(outputs.flat().map(({ json }) => json)).toEqual(
			expect.arrayContaining([
				expect.objectContaining({
					to: LANDLINE,
					reason: 'invalid_number',
					message: expect.stringMatching(/^This is a landline, which cannot receive/) as string,
				}),
			]),
		);
		expect(await recipients()).toEqual(['+233201234567']);
	});

	it('is called, and may be excluded from a bulk send', async () => {
		const call = { resource: 'voice', operation: 'send', to: LANDLINE, message };
		expect((await engine.run({ parameters: call })).status).toBe('success');
		const options = { excludedNumbers: LANDLINE };
		expect((await send('0201234567', { operation: 'sendBulk', options })).status).toBe('success');
		expect((await recipients()).sort()).toEqual(['+233201234567', '+233302123456']);
	});

	it('is not concluded from a number that may be mobile', async () => {
		expect((await send('+12025550143')).status).toBe('success');
	});
});

it.each([
	['whatsapp:+233201234567'],
	['tel:+233201234567'],
	['p:+233201234567'],
	['0201234567<br>'],
	['<p>0201234567</p>'],
	['&nbsp;0201234567'],
	['0201234567,'],
	[['+233201234567']],
	['["0201234567"]'],
])('sends to %j', async (to) => {
	await send(to);
	expect(await recipients()).toEqual(['+233201234567']);
});

it('sends to a number of Mexico as WhatsApp reports it', async () => {
	await engine.run({ parameters: { resource: 'whatsapp', operation: 'send', to: '+5215512345678', message } });
	expect(await recipients()).toEqual(['+525512345678']);
});

it.each([
	['Ama Mensah <ama@example.com>'],
	['mailto:ama@example.com'],
	['ama@example.com,'],
	[['ama@example.com']],
	[{ value: [{ address: 'ama@example.com', name: 'Ama' }], text: 'Ama <ama@example.com>' }],
])('sends an email to %j', async (to) => {
	await send(to, { resource: 'email', subject: 'Order' });
	expect(await recipients()).toEqual(['ama@example.com']);
});

it.each([
	['ama@example.com, kofi@example.com', 'has more than one email address: enter one'],
	['ama@example.com\r\nBcc: kofi@example.com', 'has a line break or another control character: remove it'],
	['Ama', 'is not an email address'],
])('rejects the email address %j with the reason', async (to, why) => {
	const { error } = await send(to, { resource: 'email', subject: 'Order' });
	expect(error?.message).toContain(why);
	expect(await control.requests()).toEqual([]);
});

describe('Send At', () => {
	const scheduleOf = async (at: unknown) => {
		const fields = { senderId, message, to: '0201234567', sendAt: '={{ $json.at }}' };
		const parameters = { resource: 'sms', operation: 'sendLater', ...fields };
		const { outputs } = await engine.run({ parameters, items: [{ at }] });
		return outputs[0]?.[0]?.json.schedule_at;
	};

	it.each([[47841.354166], ['47841.354166'], ['2030-12-24 8:30:00'], ['2030-12-24 8:30']])(
		'reads %j in the time zone of the workflow',
		async (at) => {
			const schedule = await scheduleOf(at);
			expect(schedule).toMatch(/^2030-12-24 \d\d:30:00$/);
			expect(schedule).toBe(await scheduleOf('2030-12-24T08:30:00'));
		},
	);

	it('reads an offset after a space', async () => {
		expect(await scheduleOf('2030-12-24 08:30:00 +0100')).toBe('2030-12-24 07:30:00');
	});
});

it.each<[string, (code: string) => string]>([
	['a space', (code) => `${code.slice(0, 3)} ${code.slice(3)}`],
	['a hyphen', (code) => `${code.slice(0, 3)}-${code.slice(3)}`],
	['invisible characters', (code) => `\u202a${code}\u200b\u202c`],
	['Arabic digits', (code) => code.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))],
	['quotes', (code) => `“${code}”.`],
])('accepts a correct code with %s', async (_, typed) => {
	const verification = { resource: 'verification', senderId, phone: '0201234567' };
	const started = await engine.run({ parameters: { ...verification, operation: 'start' } });
	const verificationId = Number(started.outputs[0]?.[0]?.json.verification_id);
	const [code = ''] = /\d{6}/.exec((await control.messages())[0]?.message ?? '') ?? [];
	const fields = { verificationId, code: '={{ $json.code }}' };
	const parameters = { resource: 'verification', operation: 'check', ...fields };
	const { outputs } = await engine.run({ parameters, items: [{ code: typed(code) }] });
	expect(outputs[0]?.[0]?.json).toMatchObject({ valid: true });
});

it.each([
	['0201234567, 0241234567', 'has more than one phone number: to text many people, choose Send Bulk'],
	[['0201234567', '0241234567'], 'has more than one phone number: to text many people, choose Send Bulk'],
	['#ERROR!', 'is an error of a spreadsheet'],
])('rejects %j with the reason and the next step', async (to, why) => {
	const { error } = await send(to);
	expect(error?.message).toContain(why);
	expect(await control.requests()).toEqual([]);
});
