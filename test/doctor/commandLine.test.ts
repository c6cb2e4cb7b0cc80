import { parseCommandLine } from '../../doctor/commandLine';
import { main } from '../../doctor/main';
import { startSandbox } from '../../sandbox/server';
import { closedPort } from '../support/closedPort';
import { runDoctor } from '../support/runDoctor';

const BASE = ['--base-url', 'http://127.0.0.1:1/api/v1/'];
const PAID = [...BASE, '--send-to', '+233201234567', '--max-spend', '1'];

describe('the command line of the doctor', () => {
	it.each([
		[[], /--base-url is missing/],
		[[...BASE, '--colour', 'green'], /--colour/],
		[[...BASE, 'sk_live_123'], /API key must not be an option/],
		[[...BASE, '--key=sk_live_123'], /API key must not be an option/],
		[[...BASE, '--max-spend', '1'], /--send-to is missing/],
		[[...BASE, '--send-to', '0201234567', '--max-spend', '1'], /--send-to is not a phone number/],
		[[...BASE, '--send-to', '+233201234567'], /--max-spend is missing/],
		[[...BASE, '--send-to', '+233201234567', '--max-spend', 'all'], /--max-spend is not an amount/],
		[[...PAID, '--channels', 'sms,fax'], /--channels has an unknown channel/],
		[[...PAID, '--prices', 'sms=cheap'], /--prices is not an amount/],
		[[...BASE, '--public-url', 'ftp://x'], /--public-url is not an address/],
		[[...BASE, '--public-url', 'https://x.example', '--port', '99999'], /--port is not a number/],
		[[...BASE, '--public-url', 'https://x.example', '--listen', 'long'], /--listen is not a number/],
	])('rejects %j and names the option', (args, message) => {
		expect(() => parseCommandLine(args, {})).toThrow(message);
	});

	it('reads the address from the environment', () => {
		const env = { MESSAGING_SERVICE_BASE_URL: 'https://sms.example' };
		expect(parseCommandLine([], env)).toMatchObject({ baseUrl: 'https://sms.example', report: 'doctor-report.md' });
	});
});

describe('a check that cannot run', () => {
	it('ends with 2 and names the environment variable if there is no key', async () => {
		let shown = '';
		const print = (text: string) => void (shown += text);
		const terminal = { print, warn: print, askSecret: () => Promise.resolve(undefined) };
		expect(await main(BASE, {}, terminal)).toBe(2);
		expect(shown).toContain('MESSAGING_SERVICE_API_KEY');
	});

	it('asks for the key if the environment has none', async () => {
		const sandbox = await startSandbox();
		try {
			let asked = 0;
			const terminal = {
				print: () => undefined,
				warn: () => undefined,
				askSecret: () => {
					asked++;
					return Promise.resolve('sk_sandbox_wrong');
				},
			};
			expect(await main(['--base-url', sandbox.baseUrl], {}, terminal)).toBe(2);
			expect(asked).toBe(1);
		} finally {
			await sandbox.stop();
		}
	});

	it('ends with 2 if the service does not know the key, and does not show the key', async () => {
		const sandbox = await startSandbox();
		try {
			const run = await runDoctor({ baseUrl: sandbox.baseUrl, apiKey: 'sk_sandbox_unknown77' });
			expect(run.code).toBe(2);
			expect(run.printed).toContain('does not accept the API key (HTTP 401)');
			expect(run.printed).not.toContain('unknown77');
		} finally {
			await sandbox.stop();
		}
	});

	it('ends with 2 if nothing responds at the address', async () => {
		const run = await runDoctor({ baseUrl: `http://127.0.0.1:${await closedPort()}/api/v1/`, apiKey: 'sk_sandbox_x' });
		expect(run).toMatchObject({ code: 2, report: '' });
		expect(run.printed).toContain('nothing listens at that address');
	});
});
