import { useSandbox } from '../support/useSandbox';
import { haltedFor } from '../support/zapier/haltedFor';
import { driveApp, methods } from '../support/zapier/zapierTestApp';

const { sandbox, control } = useSandbox();

const LANDLINE = '0302123456';
const sms = { sender_id: 'KOFISHOP', message: 'We are open' };
const app = () => driveApp({ base_url: sandbox.baseUrl, api_key: sandbox.apiKey });
const recipients = async () => (await control.messages()).map(({ to }) => to);

describe('a landline', () => {
	it.each([
		[methods.sendSms, 'To', { ...sms, to: LANDLINE }],
		[methods.sendSms, 'To', { ...sms, to: LANDLINE, dry_run: true }],
		[methods.sendWhatsappMessage, 'To', { ...sms, to: LANDLINE }],
		[methods.sendVerificationCode, 'Phone', { ...sms, phone: LANDLINE }],
	])('is rejected by %s', async (method, label, inputs) => {
		const failure = await app().failure(method, inputs);
		expect(failure).toMatchObject(haltedFor(label, 'is a landline, which cannot receive'));
		expect(await control.requests()).toEqual([]);
	});

	it('gets an SMS if Landlines is Allow', async () => {
		await app().run(methods.sendSms, { ...sms, to: LANDLINE, landlines: 'allow' });
		expect(await recipients()).toEqual(['+233302123456']);
	});

	it('is skipped in a bulk send, with its reason', async () => {
		const inputs = { ...sms, recipients_from: 'list', to: [LANDLINE, '0201234567'] };
		expect(await app().run(methods.sendBulkSms, inputs)).toMatchObject({
			accepted: 1,
			skipped: 1,
			results: expect.arrayContaining([
				expect.objectContaining({
					to: LANDLINE,
					outcome: 'skipped',
					reason: expect.stringContaining('landline') as string,
				}),
			]) as unknown,
		});
		expect(await recipients()).toEqual(['+233201234567']);
	});

	it('is called', async () => {
		await app().run(methods.makeVoiceCall, { to: LANDLINE, message: 'We are open' });
		expect(await recipients()).toEqual(['+233302123456']);
	});
});

it.each([
	['whatsapp:+233201234567'],
	['p:+233201234567'],
	['0201234567<br>'],
	['<p>0201234567</p>'],
	['&nbsp;0201234567'],
	['0201234567,'],
	[['+233201234567']],
])('sends to %j', async (to) => {
	await app().run(methods.sendSms, { ...sms, to });
	expect(await recipients()).toEqual(['+233201234567']);
});

it('sends to a number of Mexico as WhatsApp reports it', async () => {
	await app().run(methods.sendWhatsappMessage, { to: '+5215512345678', message: 'Hi' });
	expect(await recipients()).toEqual(['+525512345678']);
});

it.each([['Ama Mensah <ama@example.com>'], ['ama@example.com,'], [['ama@example.com']]])(
	'sends an email to %j',
	async (to) => {
		await app().run(methods.sendEmail, { to, subject: 'Order', message: 'Ready' });
		expect(await recipients()).toEqual(['ama@example.com']);
	},
);

it.each([
	['ama@example.com, kofi@example.com', 'has more than one email address'],
	['ama@example.com\r\nBcc: kofi@example.com', 'has a line break or another control character'],
])('rejects the email address %j with the reason', async (to, why) => {
	const failure = await app().failure(methods.sendEmail, { to, subject: 'Order', message: 'Ready' });
	expect(failure).toMatchObject(haltedFor('To', why));
	expect(await control.requests()).toEqual([]);
});

it.each(['47841.354166', '2030-12-24 8:30:00', '2030-12-24 08:30:00 +0000'])(
	'reads the time to send %j',
	async (send_at) => {
		expect(await app().run(methods.sendSms, { ...sms, to: '0201234567', send_at })).toMatchObject({
			send_at: '2030-12-24T08:30:00.000Z',
		});
	},
);

it.each([
	['0201234567, 0241234567', 'to text many people, use **Send Bulk SMS**'],
	['#N/A', 'is an error of a spreadsheet'],
])('rejects %j with the reason and the next step', async (to, why) => {
	expect(await app().failure(methods.sendSms, { ...sms, to })).toMatchObject(haltedFor('To', why));
	expect(await control.requests()).toEqual([]);
});
