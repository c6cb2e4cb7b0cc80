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
	['0201234567, 0241234567', 'has more than one phone number: to text many people, choose Send Bulk'],
	[['0201234567', '0241234567'], 'has more than one phone number: to text many people, choose Send Bulk'],
	['#ERROR!', 'is an error of a spreadsheet'],
])('rejects %j with the reason and the next step', async (to, why) => {
	const { error } = await send(to);
	expect(error?.message).toContain(why);
	expect(await control.requests()).toEqual([]);
});
