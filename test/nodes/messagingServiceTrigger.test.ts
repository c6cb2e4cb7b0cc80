import { startEngine } from './engine';
import { startTriggerEngine, type TriggerEngine } from './triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const previousSecret = 'Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp';
const form = 'application/x-www-form-urlencoded';

const engineWith = (credential: Record<string, string>) =>
	startTriggerEngine({ messagingServiceWebhookApi: credential });
let engine: TriggerEngine;

const testCredential = async (data: Record<string, string>) =>
	await (await startEngine({})).testCredential('messagingServiceWebhookApi', data);

beforeAll(async () => {
	engine = await engineWith({ secret, previousSecret: '' });
});

describe('an inbound SMS', () => {
	const text = { from: '+233201234567', to: 'KOFISHOP', message: 'HOURS' };

	it.each<[string, string, Record<string, string | null>]>([
		['JSON, small', 'application/json', { from: text.from, to: text.to, message: text.message }],
		['JSON, capital', 'application/json; charset=utf-8', { From: text.from, To: text.to, Message: text.message }],
		['a form, small', form, { from: text.from, to: text.to, message: text.message }],
		['a form, capital', `${form}; charset=UTF-8`, { From: text.from, To: text.to, Message: text.message }],
		['an unused key beside', 'application/json', { From: null, ...text }],
		['an empty key beside', form, { ...text, from: '', From: text.from }],
		['more fields than are known', 'application/json', { ...text, MessageSid: 'x' }],
	])('posted as %s becomes the same item', async (_, contentType, body) => {
		const { result, answer } = await engine.post({ secret, contentType, body });
		expect(result.workflowData?.[0]?.map((item) => item.json)).toEqual([
			{ event: 'sms.inbound', ...text, received_at: expect.stringMatching(/^\d{4}-.*Z$/) as string, body },
		]);
		expect(result.webhookResponse).toEqual({ received: true });
		expect(answer).toEqual({});
	});

	it('may be an empty text', async () => {
		const { result } = await engine.post({ secret, contentType: form, body: { ...text, message: '' } });
		expect(result.workflowData?.[0]?.[0]?.json).toMatchObject({ message: '' });
	});

	it.each<[string, string, unknown, number, RegExp]>([
		['no number', 'application/json', { to: 'K', message: 'x' }, 422, /missing from/],
		['nothing', 'application/json', {}, 422, /missing from, to, message/],
		['a list', 'application/json', [text], 422, /Not an inbound SMS/],
		['plain text', 'text/plain', 'hello', 415, /JSON or a form/],
		['several files', 'multipart/form-data; boundary=b', {}, 415, /JSON or a form/],
		['repeated fields', form, { ...text, from: ['+233201234567', '+233201234568'] }, 422, /from/],
	])('is refused where the post has %s', async (_, contentType, body, status, words) => {
		const { result, answer } = await engine.post({ secret, contentType, body });
		expect(result).toEqual({ noWebhookResponse: true });
		expect(answer.status).toBe(status);
		expect(JSON.stringify(answer.body)).toMatch(words);
	});
});

describe('the secret', () => {
	const post = (at: TriggerEngine, given: string) =>
		at.post({ secret: given, contentType: 'application/json', body: { from: '+233201234567', to: 'K', message: 'x' } });

	it.each([
		'',
		'wrong',
		secret.toLowerCase(),
		`${secret}x`,
		secret.slice(0, -1),
		':secret',
		'undefined',
		previousSecret,
	])('%j starts nothing and is answered 404 without a word', async (given) => {
		const { result, answer } = await post(engine, given);
		expect(result).toEqual({ noWebhookResponse: true });
		expect(answer).toEqual({ status: 404 });
	});

	it('is taken beside the previous one while it is changed', async () => {
		const changing = await engineWith({ secret, previousSecret });
		for (const given of [secret, previousSecret]) {
			expect((await post(changing, given)).result.workflowData).toBeDefined();
		}
		expect((await post(changing, 'wrong')).answer.status).toBe(404);
	});

	it('that is empty is never matched, not even by an empty one', async () => {
		const unset = await engineWith({ secret: '', previousSecret: '' });
		expect((await post(unset, '')).answer.status).toBe(404);
	});

	it.each([
		['', 'Secret is missing'],
		['short', 'Secret is too short'],
		['a'.repeat(40), 'too easy to guess'],
		[`${secret}/x`, 'only letters, digits'],
	])('%j does not let the workflow be activated, nor pass its test', async (weak, words) => {
		await expect((await engineWith({ secret: weak })).activateTrigger()).rejects.toThrow(words);
		expect(await testCredential({ secret: weak })).toMatchObject({
			status: 'Error',
			message: expect.stringContaining(words) as string,
		});
	});

	it.each(['1', 'short', 'a'.repeat(40)])('that is previous and weak (%s) opens nothing', async (weak) => {
		const changing = await engineWith({ secret, previousSecret: weak });
		await expect(changing.activateTrigger()).rejects.toThrow('Previous Secret');
		expect((await post(changing, weak)).answer.status).toBe(404);
		expect((await post(changing, secret)).result.workflowData).toBeDefined();
	});

	it('that is strong enough does', async () => {
		await expect(engine.activateTrigger()).resolves.toBe(true);
		expect(await testCredential({ secret })).toMatchObject({ status: 'OK' });
	});
});
