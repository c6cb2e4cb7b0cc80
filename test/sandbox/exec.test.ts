import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { builtSandbox } from '../support/builtSandbox';
import { runDoctor } from '../support/runDoctor';
import { secondService } from '../support/secondService';

const root = join(__dirname, '../..');
const program = builtSandbox();
const exec = (...words: string[]) =>
	spawnSync(process.execPath, [...program, 'exec', ...words], { cwd: root, encoding: 'utf8' });

/** Sends an SMS as any program would, and prints the balance and the address of the sandbox. */
const SEND = `
	const { MESSAGING_SERVICE_BASE_URL: base, MESSAGING_SERVICE_API_KEY: key, MESSAGING_SERVICE_SANDBOX_URL: url } = process.env;
	const body = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'Hello' });
	const headers = { 'x-api-key': key, 'content-type': 'application/json' };
	const sent = await (await fetch(base + 'sms/send', { method: 'POST', headers, body })).json();
	const messages = await (await fetch(url + '/_sandbox/messages')).json();
	console.log(JSON.stringify({ balance: sent.balance, messages: messages.length, url }));
`;

describe('sandbox exec', () => {
	it('runs the command with a sandbox, and stops the sandbox', async () => {
		const { status, stdout, stderr } = exec('--', process.execPath, '--input-type=module', '-e', SEND);
		expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
		const { url, ...seen } = JSON.parse(stdout) as { url: string };
		expect(seen).toEqual({ balance: 39.95, messages: 1 });
		await expect(fetch(url)).rejects.toThrow();
	});

	it('responds in the shapes of a file that the doctor recorded', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
		const shapes = join(folder, 'shapes.json');
		const read = `
			const { MESSAGING_SERVICE_BASE_URL: base, MESSAGING_SERVICE_API_KEY: key } = process.env;
			for (const apiKey of [key, 'sk_sandbox_wrong']) {
				const response = await fetch(base + 'balance', { headers: { 'x-api-key': apiKey } });
				console.log(response.status, await response.text());
			}
		`;
		try {
			await using service = await secondService();
			writeFileSync(shapes, (await runDoctor(service)).shapesText);
			const run = exec('--shapes', shapes, '--', process.execPath, '--input-type=module', '-e', read);
			expect(run).toMatchObject({ status: 0, stderr: '' });
			expect(run.stdout.split('\n')).toEqual([
				'200 {"ok":true,"result":{"wallet":{"available_balance":"40.00","currency_code":"GHS"}}}',
				'401 {"ok":false,"error":{"code":"TOKEN_INVALID","message":"The API key is invalid."}}',
				'',
			]);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it('names a file of shapes that it cannot read, and runs nothing', () => {
		const run = exec('--shapes', 'no-such-shapes.json', '--', process.execPath, '-e', 'console.log("ran")');
		expect(run).toMatchObject({ status: 2, stdout: '' });
		expect(run.stderr).toContain('--shapes: no-such-shapes.json cannot be read');
	});

	it('starts with the options before the command, and leaves those of the command alone', () => {
		const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
		const seed = join(folder, 'seed.yaml');
		writeFileSync(seed, 'wallet: { balance: 7 }');
		try {
			const run = exec(
				'--seed',
				seed,
				'--',
				process.execPath,
				'--input-type=module',
				'-e',
				SEND,
				'--',
				'--port',
				'none',
			);
			expect(run).toMatchObject({ status: 0, stderr: '' });
			expect(JSON.parse(run.stdout)).toMatchObject({ balance: 6.95 });
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it.each([
		['an exit code', ['node', '-e', 'process.exit(7)'], 7],
		['a signal, as a shell does', ['node', '-e', "process.kill(process.pid, 'SIGKILL')"], 137],
	])('ends with %s of the command', (_, command, status) => {
		expect(exec('--', ...command)).toMatchObject({ status, stdout: '', stderr: '' });
	});

	it('names a command that does not exist', () => {
		expect(exec('--', 'no-such-command-here')).toMatchObject({
			status: 127,
			stderr: 'no-such-command-here cannot be run. There is no such command.\n',
		});
	});

	it.each([[['--']], [[]], [['--seed', 'x.yaml']], [['npm', 'test']], [['--', '']]])('rejects %j', (words) => {
		const { status, stderr } = exec(...words);
		expect(status).toBe(2);
		expect(stderr).toMatch(/Usage: messaging-service-sandbox/);
		expect(stderr).not.toMatch(/\n\s+at /);
	});

	it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
		'sends %s to the command, and waits for its end',
		async (signal) => {
			const command = `process.on('${signal}', () => setTimeout(() => process.exit(3), 50)); console.log('started'); setTimeout(() => {}, 20_000)`;
			const child = spawn(process.execPath, [...program, 'exec', '--', process.execPath, '-e', command], {
				cwd: root,
				stdio: ['ignore', 'pipe', 'pipe'],
			});
			const errors = text(child.stderr);
			await once(createInterface(child.stdout), 'line');
			const exited = once(child, 'exit');
			child.kill(signal);
			await exited;
			expect({ code: child.exitCode, errors: await errors }).toEqual({ code: 3, errors: '' });
		},
	);
});
