import { createHmac, randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';
import { MessagingServiceTrigger } from '../../nodes/MessagingService/MessagingServiceTrigger.node';
import { startEngine } from '../support/n8n/engine';
import { startTriggerEngine, type TriggerEngine } from '../support/n8n/triggerEngine';

const secret = 'k3yK3yAbCdEfGhIjKlMnOpQrStUvWxYz';
const previousSecret = 'Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp';
const form = 'application/x-www-form-urlencoded';

const engineWith = (credential: Record<string, string>, options: INodeParameters = {}) =>
	startTriggerEngine({ messagingServiceWebhookApi: credential }, { triggerOn: ['inboundSms'], options });
const stop = () => ({ from: '+233201234567', to: 'K', message: 'STOP', message_id: randomUUID() });
const post = (at: TriggerEngine, given: string) => at.post({ secret: given, body: stop() });
const unguessable = (webhookId: string | undefined) => startTriggerEngine({}, undefined, { webhookId });
const testCredential = async (data: Record<string, string>) =>
	await (await startEngine({})).testCredential('messagingServiceWebhookApi', data);

let engine: TriggerEngine;

beforeAll(async () => {
	engine = await engineWith({ secret, previousSecret: '' });
});

describe('the secret of the trigger', () => {
	it.each([
		...['', 'wrong', secret.toLowerCase(), `${secret}x`, secret.slice(0, -1), ':secret0', 'undefined', previousSecret],
	])('rejects a STOP with the secret %j by an empty 404', async (given) => {
		const { result, answer } = await post(engine, given);
		expect(result).toEqual({ noWebhookResponse: true });
		expect(answer).toEqual({ status: 404 });
	});

	it.each([':secret', 'secret', ':Secret'])(
		'explains to a caller with the placeholder %j what to replace',
		async (given) => {
			const { items, answer } = await post(engine, given);
			expect({ items, status: answer.status }).toEqual({ items: [], status: 404 });
			expect(answer.body).toMatchObject({ received: false, message: expect.stringContaining(':secret') as string });
			const open = await engineWith({ secret, previousSecret }, { allowedIps: '203.0.113.7' });
			expect((await post(open, given)).answer).toEqual(answer);
		},
	);

	it('shows a URL that ends in :secret, and never the secret', async () => {
		expect(await engine.url()).toMatch(/^\/[\da-f-]{36}\/w1\/trigger-\d+\/:secret$/);
	});

	it('accepts the current and the previous secret', async () => {
		const changing = await engineWith({ secret, previousSecret });
		for (const given of [secret, previousSecret]) expect((await post(changing, given)).items).toHaveLength(1);
		expect((await post(changing, 'wrong')).status).toBe(404);
	});

	it('reads the secret once for several requests, accepts a new one at once and rejects an old one within seconds', async () => {
		const credential = { secret, previousSecret: '' };
		let reads = 0;
		const changing = await startTriggerEngine({
			get messagingServiceWebhookApi() {
				reads += 1;
				return { ...credential };
			},
		});
		for (let times = 0; times < 3; times += 1) expect((await post(changing, secret)).items).toHaveLength(1);
		expect(reads).toBe(1);

		credential.secret = previousSecret;
		const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 5_001);
		try {
			expect((await post(changing, secret)).status).toBe(404);
		} finally {
			clock.mockRestore();
		}
		expect((await post(changing, previousSecret)).items).toHaveLength(1);
		credential.secret = `${secret}2`;
		expect((await post(changing, `${secret}2`)).items).toHaveLength(1);
	});

	it('rejects every request if the credential has no secret, even one with an empty secret', async () => {
		const unset = await engineWith({ secret: '', previousSecret: '' });
		expect((await post(unset, '')).status).toBe(404);
	});

	it.each([
		['', 'missing'],
		['short', 'too short'],
		['a'.repeat(40), 'easy to guess'],
		[`${secret}/x`, 'only letters, digits'],
	])('rejects the weak secret %j at activation and in the credential test', async (weak, words) => {
		await expect((await engineWith({ secret: weak })).activateTrigger()).rejects.toThrow(words);
		expect(await testCredential({ secret: weak })).toMatchObject({
			status: 'Error',
			message: expect.stringContaining(words) as string,
		});
	});

	it.each(['1', 'short', 'a'.repeat(40)])('rejects requests with a weak previous secret (%s)', async (weak) => {
		const changing = await engineWith({ secret, previousSecret: weak });
		await expect(changing.activateTrigger()).rejects.toThrow('Previous Secret');
		expect((await post(changing, weak)).status).toBe(404);
		expect((await post(changing, secret)).items).toHaveLength(1);
	});

	it('gives a new secret for a credential without one, and a weak one, which the credential accepts', async () => {
		const found: string[] = [];
		const weakOnes: Array<Record<string, string>> = [{}, { secret: '' }, { secret: 'short' }];
		for (const weak of weakOnes) {
			const { status, message } = await testCredential(weak);
			const [generated = ''] = /[\da-f]{40}$/.exec(message) ?? [];
			expect(status).toBe('Error');
			expect(await testCredential({ secret: generated })).toMatchObject({ status: 'OK' });
			found.push(generated);
		}
		expect(new Set(found).size).toBe(3);
		expect((await testCredential({ secret, previousSecret: 'short' })).message).not.toMatch(/[\da-f]{40}/);
	});

	it('accepts a strong secret at activation and in the credential test', async () => {
		await expect(engine.activateTrigger()).resolves.toBe(true);
		expect(await testCredential({ secret })).toMatchObject({ status: 'OK' });
	});

	it('writes no secret and no message into items or the log', async () => {
		const signing = await startTriggerEngine({
			messagingServiceSignatureApi: { signatureSecret: 'hmac-secret', signatureHeader: 'x' },
		});
		await signing.post({ body: stop() });
		const changing = await engineWith({ secret, previousSecret });
		await post(changing, 'wrong');
		await post(changing, ':secret');
		const open = await engineWith({ secret, previousSecret });
		const { items } = await open.post({ secret, body: stop() });
		expect(items).toHaveLength(1);
		const shown = JSON.stringify([items, signing.logged(), changing.logged(), open.logged()]);
		for (const hidden of [secret, previousSecret, 'hmac-secret']) expect(shown).not.toContain(hidden);
		await open.post({ secret, body: { nothing: 'a private text' } });
		const [line] = open.logged();
		expect(line).toContain('not recognized');
		expect(line).not.toContain('private');
	});

	it('logs a thousand requests with a wrong secret in two lines', async () => {
		const flooded = await engineWith({ secret, previousSecret: '' });
		jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'], now: Date.now() });
		try {
			for (let tries = 0; tries < 1000; tries += 1) {
				if (tries === 999) jest.advanceTimersByTime(10_000);
				expect((await flooded.post({ secret: 'wrong', body: stop(), ip: '203.0.113.9' })).status).toBe(404);
			}
		} finally {
			jest.useRealTimers();
		}
		expect(flooded.logged()).toEqual([
			expect.stringMatching(/secret.*203\.0\.113\.9, 1 .*, 1 /),
			expect.stringMatching(/secret.*203\.0\.113\.9, 999 .*, 1000 /),
		]);
	});
});

describe('the signature of a webhook', () => {
	const signatureSecret = 'only the provider knows';
	const body = '{ "From": "+233201234567",  "To": "K", "Message": "STOP" }';
	const sign = (algorithm: string, encoding: 'hex' | 'base64', bytes: string | Buffer = body, key = signatureSecret) =>
		createHmac(algorithm, key).update(bytes).digest(encoding);
	const signingWith = (messagingServiceSignatureApi: Record<string, string>) =>
		startTriggerEngine({ messagingServiceSignatureApi });
	const signed = (algorithm?: string, encoding?: string) =>
		signingWith({
			signatureSecret,
			signatureHeader: 'X-Signature',
			...(algorithm && { signatureAlgorithm: algorithm }),
			...(encoding && { signatureEncoding: encoding }),
		});

	it.each([
		['sha256', 'hex', sign('sha256', 'hex')],
		['sha256', 'hex', sign('sha256', 'hex').toUpperCase()],
		['sha256', 'hex', `sha256=${sign('sha256', 'hex')}`],
		['sha1', 'base64', sign('sha1', 'base64')],
		['sha512', 'base64', `SHA512=${sign('sha512', 'base64')}`],
		[undefined, undefined, sign('sha256', 'hex')],
	])('accepts a %s signature in %s that matches the body: %s', async (algorithm, encoding, value) => {
		const { items } = await (await signed(algorithm, encoding)).post({ body, headers: { 'x-signature': value } });
		expect(items).toHaveLength(1);
	});

	it('checks the signature of a form over its bytes', async () => {
		const bytes = 'From=%2B233201234567&To=K&Message=caf%C3%A9';
		const headers = { 'x-signature': sign('sha256', 'hex', bytes) };
		const { items } = await (await signed()).post({ body: bytes, contentType: form, headers });
		expect(items).toEqual([expect.objectContaining({ message: 'café' })]);
	});

	it.each([
		['missing', undefined],
		['empty', ''],
		['from another key', sign('sha256', 'hex', body, 'another')],
		['from another body', sign('sha256', 'hex', `${body} `)],
		['from another algorithm', sign('sha512', 'hex')],
		['cut off', sign('sha256', 'hex').slice(0, 32)],
		['in another encoding', sign('sha256', 'base64')],
		['not even hexadecimal', 'zz'.repeat(32)],
		['in another script', '签名'],
	])('rejects a request whose signature is %s with 401', async (_, value) => {
		const { items, status, answer } = await (
			await signed()
		).post({ body, headers: value === undefined ? {} : { 'x-signature': value } });
		expect({ items, status }).toEqual({ items: [], status: 401 });
		expect(JSON.stringify(answer.body)).toContain('x-signature');
	});

	it('shows a URL with random IDs and no secret', async () => {
		expect(await (await signed()).url()).toMatch(/^\/[\da-f-]{36}\/w1\/trigger-\d+$/);
	});

	it('reads the key once for several requests, and accepts a new one at once', async () => {
		const credential = { signatureSecret, signatureHeader: 'X-Signature' };
		let reads = 0;
		const changing = await startTriggerEngine({
			get messagingServiceSignatureApi() {
				reads += 1;
				return { ...credential };
			},
		});
		const send = async (key: string, text: string) => {
			const bytes = JSON.stringify({ ...stop(), message: text });
			return await changing.post({ body: bytes, headers: { 'x-signature': sign('sha256', 'hex', bytes, key) } });
		};
		for (const text of ['one', 'two']) expect((await send(signatureSecret, text)).items).toHaveLength(1);
		expect(reads).toBe(1);
		credential.signatureSecret = 'another';
		expect((await send('another', 'three')).items).toHaveLength(1);
		expect((await send(signatureSecret, 'four')).status).toBe(401);
	});

	it.each([
		['Signature Header', { signatureSecret, signatureHeader: ' ' }],
		['Signature Secret', { signatureSecret: '', signatureHeader: 'X-Signature' }],
	])('rejects a credential without %s at activation, in the credential test and in requests', async (field, fields) => {
		const engine = await signingWith(fields);
		await expect(engine.activateTrigger()).rejects.toThrow(new RegExp(`^${field} `));
		expect(await (await startEngine({})).testCredential('messagingServiceSignatureApi', fields)).toMatchObject({
			status: 'Error',
			message: expect.stringContaining(field) as string,
		});
		const forged = sign('sha256', 'hex', body, fields.signatureSecret);
		expect((await engine.post({ body, headers: { 'x-signature': forged } })).status).toBe(401);
	});

	it('accepts complete fields at activation and in the credential test', async () => {
		await expect((await signed()).activateTrigger()).resolves.toBe(true);
		const fields = { signatureSecret, signatureHeader: 'X-Signature' };
		expect(await (await startEngine({})).testCredential('messagingServiceSignatureApi', fields)).toMatchObject({
			status: 'OK',
		});
	});
});

describe('an unguessable URL', () => {
	it('accepts a request without a credential, and reads none', async () => {
		let reads = 0;
		const open = await startTriggerEngine(
			{
				get messagingServiceWebhookApi() {
					reads += 1;
					return { secret };
				},
			},
			{ triggerOn: ['inboundSms'], authentication: 'none' },
		);
		expect((await open.post({ body: stop() })).items).toHaveLength(1);
		await expect(open.activateTrigger()).resolves.toBe(true);
		expect(reads).toBe(0);
	});

	it('is the default', () => {
		const { description } = new MessagingServiceTrigger();
		expect(description.properties.find(({ name }) => name === 'authentication')?.default).toBe('none');
	});

	it('contains the webhook ID, the workflow and the node, and nothing to replace', async () => {
		const webhookId = randomUUID();
		const [one, two] = [await unguessable(webhookId), await unguessable(webhookId)];
		expect(await one.url()).toBe(`/${webhookId}/${one.path.replace(/\/$/, '')}`);
		// n8n gives a pasted trigger a new node ID, but keeps its webhook ID.
		expect(await two.url()).not.toBe(await one.url());
	});

	it.each([undefined, '', 'sms', 'webhook-1', '1234'])('rejects the webhook ID %j at activation', async (webhookId) => {
		await expect((await unguessable(webhookId)).activateTrigger()).rejects.toThrow('webhook ID');
		const signing = { messagingServiceSignatureApi: { signatureSecret: 'key', signatureHeader: 'X-Signature' } };
		await expect((await startTriggerEngine(signing, undefined, { webhookId })).activateTrigger()).rejects.toThrow(
			'webhook ID',
		);
	});

	it('requires no random webhook ID if the URL has a secret', async () => {
		const credentials = { messagingServiceWebhookApi: { secret, previousSecret: '' } };
		const named = await startTriggerEngine(credentials, undefined, { webhookId: 'sms' });
		await expect(named.activateTrigger()).resolves.toBe(true);
		const missing = await startTriggerEngine(credentials, undefined, { webhookId: undefined });
		await expect(missing.activateTrigger()).rejects.toThrow('webhook ID');
	});

	it('checks the address of a caller', async () => {
		const options = { allowedIps: '203.0.113.7' };
		const guarded = await startTriggerEngine({}, { triggerOn: ['inboundSms'], options });
		expect((await guarded.post({ body: stop(), ip: '198.51.100.4' })).status).toBe(403);
		expect((await guarded.post({ body: stop(), ip: '203.0.113.7' })).items).toHaveLength(1);
	});
});

describe('an unknown Authentication', () => {
	it.each(['basicAuth', '', null, '={{ "None" }}'])(
		'rejects %j at activation and every request',
		async (authentication) => {
			const credentials = { messagingServiceWebhookApi: { secret, previousSecret: '' } };
			const unknown = await startTriggerEngine(credentials, { triggerOn: ['inboundSms'], authentication });
			await expect(unknown.activateTrigger()).rejects.toThrow('Authentication');
			const { items, status } = await post(unknown, secret);
			expect({ items, status }).toEqual({ items: [], status: 503 });
		},
	);
});

describe('Allowed IP Addresses', () => {
	const from = async (allowedIps: string, ip: string) =>
		(await (await engineWith({ secret, previousSecret: '' }, { allowedIps })).post({ secret, body: stop(), ip }))
			.status;

	it.each([
		['203.0.113.7', '203.0.113.7', 200],
		['203.0.113.7', '::ffff:203.0.113.7', 200],
		['198.51.100.1, 203.0.113.0/24', '203.0.113.255', 200],
		['203.0.113.0/24', '203.0.114.0', 403],
		['0.0.0.0/0', '8.8.8.8', 200],
		['0.0.0.0/0', '::1', 403],
		['2001:db8::/32', '2001:db8:ffff::1', 200],
		['2001:db8::/32', '2001:db9::1', 403],
		['::1', '0:0:0:0:0:0:0:1', 200],
		['203.0.113.7', '', 403],
		['nonsense', '203.0.113.7', 403],
	])('with Allowed IP Addresses = %j, responds to a request from %j with %i', async (allowed, ip, status) => {
		expect(await from(allowed, ip)).toBe(status);
	});

	it('names a rejected IP address only to a caller with the secret', async () => {
		const guarded = await engineWith({ secret, previousSecret: '' }, { allowedIps: '203.0.113.7' });
		const { answer } = await guarded.post({ secret, body: stop(), ip: '198.51.100.4' });
		expect(JSON.stringify(answer.body)).toMatch(/198\.51\.100\.4 .*Allowed IP Addresses/);
		expect((await guarded.post({ secret: 'wrong', body: stop(), ip: '198.51.100.4' })).answer).toEqual({ status: 404 });
	});

	// Results of an expression, instead of typed text.
	const lists: Array<[string, string]> = [
		['{{ $vars.ALLOWED }}', 'is empty'],
		['{{ undefined }}', 'is empty'],
		['{{ null }}', 'is empty'],
		['{{ [] }}', 'is empty'],
		['{{ "" }}', 'is empty'],
		['{{ " , " }}', 'is empty'],
		['{{ 7 }}', '"7"'],
		['{{ { list: "203.0.113.7" } }}', 'neither text nor'],
		['{{ ["203.0.113.7", "nonsense"] }}', '"nonsense"'],
		['{{ ["203.0.113.7", null] }}', 'neither text nor'],
	];

	it.each(lists)(
		'with Allowed IP Addresses = %s, rejects every request and the activation',
		async (expression, words) => {
			const guarded = await engineWith({ secret, previousSecret: '' }, { allowedIps: `=${expression}` });
			for (const ip of ['203.0.113.7', '127.0.0.1', '', '::1']) {
				const { items, status } = await guarded.post({ secret, body: stop(), ip });
				expect({ items, status }).toEqual({ items: [], status: 403 });
			}
			expect(guarded.logged()).toEqual([expect.stringContaining('Allowed IP Addresses')]);
			await expect(guarded.activateTrigger()).rejects.toThrow(/^Allowed IP Addresses /);
			await expect(guarded.activateTrigger()).rejects.toThrow(words);
		},
	);

	it('rejects every request if Allowed IP Addresses is empty, and none without the option', async () => {
		expect(await from('', '203.0.113.7')).toBe(403);
		const guarded = await engineWith({ secret, previousSecret: '' }, { allowedIps: '' });
		await expect(guarded.activateTrigger()).rejects.toThrow(/^Allowed IP Addresses is empty/);
		expect((await post(await engineWith({ secret, previousSecret: '' }), secret)).status).toBe(200);
	});

	it('accepts a list of allowed IP addresses', async () => {
		const allowedIps = '={{ ["203.0.113.7", "198.51.100.0/24, 2001:db8::1"] }}';
		const statuses = ['203.0.113.7', '198.51.100.9', '2001:db8::1', '203.0.113.8'].map(
			async (ip) => await from(allowedIps, ip),
		);
		expect(await Promise.all(statuses)).toEqual([200, 200, 200, 403]);
		const guarded = await engineWith({ secret, previousSecret: '' }, { allowedIps });
		await expect(guarded.activateTrigger()).resolves.toBe(true);
	});

	it.each(['203.0.113', '203.0.113.0/33', '2001:db8::/129', '1::2::3', 'example.com', '1.2.3.4/x'])(
		'rejects the IP address %j at activation',
		async (allowedIps) => {
			const guarded = await engineWith({ secret, previousSecret: '' }, { allowedIps });
			await expect(guarded.activateTrigger()).rejects.toThrow(`"${allowedIps}"`);
		},
	);
});

describe('activation of the trigger', () => {
	it('rejects an empty Trigger On and a wrong option at activation', async () => {
		const credentials = { messagingServiceWebhookApi: { secret, previousSecret: '' } };
		await expect((await startTriggerEngine(credentials, { triggerOn: [] })).activateTrigger()).rejects.toThrow(
			/^Trigger On /,
		);
		const wrong = { triggerOn: ['inboundSms'], options: { deduplicationWindowSeconds: -1 } };
		await expect((await startTriggerEngine(credentials, wrong)).activateTrigger()).rejects.toThrow(
			'Deduplication Window',
		);
	});
});
