import fc from 'fast-check';
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

/** Pieces of the secrets that must not be in any output. */
const PIECES = [
	...['559871234', 'Zx81kQpTv', 'eyJ', 'erwaa', 'rimpong', 'KWADWO', 'mail.example', '884213', 'ɛho', 'portal.example'],
	...['9f8e7d', '7312', '11:22:33', '2026-03-04'],
];

/** Changes some values and keys of a body into secrets, as the choices say. */
function plant(body: unknown, choose: () => number): unknown {
	const secret = () => SECRETS[choose() % SECRETS.length];
	if (Array.isArray(body)) return body.map((entry: unknown) => plant(entry, choose));
	if (typeof body === 'object' && body !== null) {
		const entries = Object.entries(body).map(([key, value]: [string, unknown]) => {
			const planted = choose() % 4 === 0 ? secret() : plant(value, choose);
			return [choose() % 5 === 0 ? secret() : key, planted] as const;
		});
		return Object.fromEntries([...entries, ...(choose() % 3 === 0 ? [[secret(), secret()]] : [])]);
	}
	if (choose() % 2 === 0) return secret();
	return typeof body === 'number' ? 7312.45 : body;
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
		await fc.assert(
			fc.asyncProperty(fc.infiniteStream(fc.nat(10_000)), async (choices) => {
				const choose = () => Number(choices.next().value);
				await using service = await secondService((body) => plant(body, choose));
				const run = await runDoctor(service, ...PAID);
				if (run.code !== 2) reports++;
				expectNoSecret(run, PIECES);
			}),
			{ numRuns: 40 },
		);
		expect(reports).toBeGreaterThan(10);
	}, 120_000);

	it('has no secret of a service that has one in every key and every value', async () => {
		for (const secret of SECRETS) {
			const everywhere = (body: unknown): unknown => {
				if (Array.isArray(body)) return body.map(everywhere);
				if (typeof body !== 'object' || body === null) return secret;
				return Object.fromEntries(
					Object.entries(body).flatMap(([key, value]) => [
						[key, everywhere(value)],
						[secret, secret],
					]),
				);
			};
			await using service = await secondService(everywhere);
			expectNoSecret(await runDoctor(service, ...PAID), PIECES);
		}
	}, 60_000);
});
