import { createNameMask } from '../../doctor/publicNames';
import { readWebhook } from '../../doctor/webhooks/readWebhook';
import { fc, runCount } from '../support/random';
import { runDoctor, type DoctorRun } from '../support/runDoctor';
import { secondService } from '../support/secondService';

/** Values that may be in an account, one of each kind. */
const SECRETS = [
	'+233559871234',
	'233559871234',
	'0559871234',
	'sk_live_Zx81kQpTv',
	'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbWEifQ.k3Yw',
	'Serwaa Frimpong',
	'Serwaa',
	'KWADWOSTORES',
	'serwaa.frimpong@mail.example',
	'Your code is 884213, do not share it',
	'884213',
	'Ɛyɛ adeɛ a ɛho hia',
	'https://portal.example/u/serwaa-frimpong?token=9f8e7d',
	'GHS 7312.45',
	'7312.45',
	'2026-03-04 11:22:33',
	'serwaa_frimpong',
	'Serwaa-Frimpong',
	'account_884213',
	'__proto__',
] as const;

/** Names of someone's data that consist of public words. As keys, they may not be shown. */
const PUBLIC_WORDS = [
	'SmsAlert',
	'INFO',
	'support@sms.net',
	'@sms.net',
	'sms.alert',
	'Promo',
	'a24_45_59_90',
	'ALERT-INFO',
];

/** Pieces of the secrets that must not be in any output. */
const PIECES = [
	...['559871234', 'Zx81kQpTv', 'eyJ', 'erwaa', 'rimpong', 'KWADWO', 'mail.example', '884213', 'ɛho', 'portal.example'],
	...['9f8e7d', '7312', '11:22:33', '2026-03-04'],
	...['SmsAlert', 'INFO', 'sms.net', 'sms.alert', 'Promo', '24_45', 'ALERT'],
];

/** Changes some values and keys of a body into secrets, as the choices say. */
function plant(body: unknown, choose: () => number): unknown {
	const secret = () => SECRETS[choose() % SECRETS.length];
	const keys = [...SECRETS, ...PUBLIC_WORDS];
	const secretKey = () => keys[choose() % keys.length];
	if (Array.isArray(body)) return body.map((entry: unknown) => plant(entry, choose));
	if (typeof body === 'object' && body !== null) {
		const entries = Object.entries(body).map(([key, value]: [string, unknown]) => {
			const planted = choose() % 4 === 0 ? secret() : plant(value, choose);
			return [choose() % 5 === 0 ? secretKey() : key, planted] as const;
		});
		return Object.fromEntries([...entries, ...(choose() % 3 === 0 ? [[secretKey(), secret()]] : [])]);
	}
	if (choose() % 2 === 0) return secret();
	return typeof body === 'number' ? 7312.45 : body;
}

function* repeated(choice: number): Generator<number> {
	for (;;) yield choice;
}

function expectNoSecret({ printed, report, shapesText }: DoctorRun, secrets: readonly string[]): void {
	for (const text of [printed, report, shapesText]) {
		expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
	}
}

const PAID = ['--send-to', '+233201234567', '--max-spend', '0.1', '--prices', 'sms=0.05', '--sender', 'NSAWAMBREAD'];

describe('the output of the doctor', () => {
	it('has no value of the account', async () => {
		await using service = await secondService();
		const run = await runDoctor(service, ...PAID);
		expect(run.report).toContain('### Envelopes: ok');
		const values = [service.apiKey, 'second_01', '233201234567', '20123', 'NSAWAM', 'Akosua', 'Darko', 'Sarpong'];
		expectNoSecret(run, [...values, '20555900', '4101', '87.61', 'w-90', 'm-0007', 'ADWOA', 'MOTORS', '127.0.0.1']);
	});

	it('has none of the secrets that are planted in values and keys of every response', async () => {
		let reports = 0;
		// Those of 1 plant nothing, so the doctor makes its report. Those of 2 plant secrets in values.
		const examples = [1, 2].map((choice): [fc.Stream<number>] => [fc.stream(repeated(choice))]);
		await fc.assert(
			fc.asyncProperty(fc.infiniteStream(fc.nat(10_000)), async (choices) => {
				const choose = () => Number(choices.next().value);
				await using service = await secondService((body) => plant(body, choose));
				const run = await runDoctor(service, ...PAID);
				if (run.code !== 2) reports++;
				expectNoSecret(run, PIECES);
			}),
			{ numRuns: runCount(40), examples },
		);
		expect(reports).toBeGreaterThanOrEqual(examples.length);
	}, 120_000);

	it('has no secret of a service that has one in every key and every value', async () => {
		const planted = [
			...SECRETS.map((secret) => ({ key: secret, text: secret })),
			...PUBLIC_WORDS.map((key) => ({ key, text: 'Serwaa' })),
		];
		for (const { key: secretKey, text } of planted) {
			const everywhere = (body: unknown): unknown => {
				if (Array.isArray(body)) return body.map(everywhere);
				// Without its flags, the service would not be recognized.
				if (typeof body !== 'object' || body === null) return typeof body === 'boolean' ? body : text;
				return Object.fromEntries(
					Object.entries(body).flatMap(([key, value]) => [
						[key, everywhere(value)],
						[secretKey, text],
					]),
				);
			};
			await using service = await secondService(everywhere);
			const run = await runDoctor(service);
			expect({ secretKey, code: run.code }).toEqual({ secretKey, code: 1 });
			expectNoSecret(run, PIECES);
		}
	}, 120_000);

	it.each([
		['objects', { promo: { approved: true }, surname: { approved: true, since: '2026-03-04' }, hotline: null }],
		['lists', { promo: [{ phone: '1' }], surname: [{ phone: '2' }, { name: 'x' }] }],
		['lists of texts', { promo: ['Serwaa'], surname: ['Frimpong'] }],
		['values', { Promo: true, SmsAlert: true }],
		['one object', { SmsAlert: { approved: true } }],
	])('has no key of a map of %s, even if it consists of public words', async (_kind, map) => {
		await using service = await secondService((body) =>
			JSON.stringify(body).includes('senders') ? { ok: true, result: { senders: map } } : body,
		);
		expectNoSecret(await runDoctor(service, ...PAID), [...PIECES, 'promo', 'surname', 'hotline']);
	});

	it('has no sender ID of a list in an envelope whose name usually has a word', async () => {
		await using service = await secondService((body) =>
			JSON.stringify(body).includes('senders') ? { ok: true, result: ['INFO', 'SmsAlert'] } : body,
		);
		const run = await runDoctor(service, ...PAID);
		expect(run.rows.get('Sender ID fields')?.service).toContain('{ ok: true, result: [text] }');
		expectNoSecret(run, PIECES);
	});

	it.each([
		['a web page', `<h1>${SECRETS.join(' ')} ${PUBLIC_WORDS.join(' ')}</h1>`],
		['a text', `${SECRETS.join(' ')} ${PUBLIC_WORDS.join(' ')}`],
		['half of a JSON body', `{"${PUBLIC_WORDS.join('":{"')}":"${SECRETS.join('","')}`],
	])('has no secret of a service that responds with %s', async (_kind, text) => {
		await using service = await secondService((body) => (JSON.stringify(body).includes('wallet') ? body : text));
		const run = await runDoctor(service, ...PAID);
		expect(run.code).toBe(1);
		expectNoSecret(run, PIECES);
	});

	it('has no secret of a webhook', () => {
		const mask = createNameMask();
		for (const secret of [...SECRETS, ...PUBLIC_WORDS]) {
			const fields = { status: 'delivered', [secret]: 'Serwaa', message: { [secret]: { [secret]: secret } } };
			const bodies = [
				['application/json', JSON.stringify(fields)],
				['application/x-www-form-urlencoded', new URLSearchParams({ status: 'sent', [secret]: 'Serwaa' }).toString()],
				['text/html', `<p>${secret}</p>`],
				['text/plain', secret],
				['application/json', `{"${secret}":`],
			] as const;
			for (const [type, body] of bodies) {
				const headers = { 'content-type': type, 'x-serwaa-token': secret };
				const read = JSON.stringify(readWebhook(headers, Buffer.from(body), mask));
				expect(PIECES.filter((piece) => read.includes(piece))).toEqual([]);
			}
		}
	});

	it('shows names of the contract, in a map and in Pascal case, and the next link of OData', async () => {
		await using service = await secondService((body) =>
			JSON.stringify(body).includes('"rows"')
				? { Data: [{ Amount: 5, MessageId: 'w-1', Promo: 1 }], '@odata.nextLink': 'https://portal.example/?page=2' }
				: body,
		);
		const run = await runDoctor(service, ...PAID);
		expect(run.rows.get('Transaction fields')?.service).toContain(
			'{ Data: [{ Amount: number, MessageId: text, field_3: number }], @odata.nextLink: URL }',
		);
		expect(run.rows.get('Error fields')?.service).toContain('errors: { to: [text] }');
	});
});
