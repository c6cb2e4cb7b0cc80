import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { builtSandbox } from '../support/builtSandbox';
import { listen } from '../support/testSandbox';

const root = join(__dirname, '../..');
const program = builtSandbox();

function start(...words: string[]) {
	const child = spawn(process.execPath, [...program, ...words], {
		cwd: root,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	return { child, lines: createInterface(child.stdout), errors: text(child.stderr) };
}

async function readyUrl({ lines }: ReturnType<typeof start>): Promise<string> {
	const line = String((await once(lines, 'line'))[0]);
	expect(line).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/);
	return line.slice('ready '.length);
}

async function exitCode(child: ChildProcess): Promise<unknown> {
	return (await once(child, 'exit'))[0];
}

describe('the command line', () => {
	it.each(['SIGINT', 'SIGTERM'] as const)('prints when it is ready, and ends cleanly on %s', async (signal) => {
		const started = start('--port', '0');
		const url = await readyUrl(started);
		const stream = await fetch(`${url}/_sandbox/phones/+233201234567/events`);
		expect(stream.status).toBe(200);
		const ended = expect(stream.text()).rejects.toThrow();
		const exited = exitCode(started.child);
		started.child.kill(signal);
		expect(await exited).toBe(0);
		expect(await started.errors).toBe('');
		await ended;
	});

	it('keeps the account of a data file, and says that the seed waits for a reset', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
		const [data, seed] = [join(folder, 'state.db'), join(folder, 'seed.yaml')];
		writeFileSync(seed, 'wallet: { balance: 7 }');
		const balance = async (url: string) => (await (await fetch(`${url}/_sandbox/wallet`)).json()) as object;
		try {
			const first = start('--port', '0', '--data', data);
			expect(await balance(await readyUrl(first))).toMatchObject({ balance: 40 });
			const ended = exitCode(first.child);
			first.child.kill('SIGTERM');
			await ended;
			const second = start('--port', '0', '--data', data, '--seed', seed);
			const url = await readyUrl(second);
			expect(await balance(url)).toMatchObject({ balance: 40 });
			await fetch(`${url}/_sandbox/reset`, { method: 'POST' });
			expect(await balance(url)).toMatchObject({ balance: 7 });
			const exited = exitCode(second.child);
			second.child.kill('SIGTERM');
			expect(await exited).toBe(0);
			expect(await second.errors).toBe(`${data} has an account already, so ${seed} is used at the next reset only.\n`);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});

	it('prints its options', async () => {
		const help = start('--help');
		expect((await once(help.lines, 'line'))[0]).toContain('Messaging Service on your own machine');
		expect(await exitCode(help.child)).toBe(0);
	});

	it('responds to a health check with any key or none', async () => {
		const started = start('--port', '0');
		const response = await fetch(`${await readyUrl(started)}/healthz`);
		expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
		started.child.kill('SIGTERM');
	});

	it('names a port that is in use and uses a free one', async () => {
		await using other = await listen();
		const { port } = new URL(other.url);
		const started = start('--port', port);
		const url = await readyUrl(started);
		expect(url).not.toBe(`http://127.0.0.1:${port}`);
		expect((await fetch(url)).status).toBe(200);
		const exited = exitCode(started.child);
		started.child.kill('SIGTERM');
		expect(await exited).toBe(0);
		expect(await started.errors).toContain(`Port ${port} is in use`);
	});

	it.each([
		[['--colour', 'green'], /--colour/],
		[['--port', 'abc'], /--port.*"abc"/],
		[['--port', '70000'], /--port.*"70000"/],
		[['--port'], /--port/],
		[['--host', ''], /--host/],
		[['--shapes', ''], /--shapes/],
		[['--shapes', 'missing-shapes.json'], /--shapes: missing-shapes\.json cannot be read/],
		[['--data', ''], /--data/],
		[['--data', '/nonexistent/x.db'], /--data: cannot use \/nonexistent\/x\.db/],
		[['--seed', ''], /--seed/],
		[['--seed', '/nonexistent/seed.yaml'], /--seed: \/nonexistent\/seed\.yaml cannot be read/],
		[['--seed', 'LICENSE'], /--seed: LICENSE cannot be used as a seed\.\nLine 1: /],
		[['extra'], /extra/],
	])('rejects %j with exit code 2', async (words, message) => {
		const started = start(...words);
		expect(await exitCode(started.child)).toBe(2);
		const errors = await started.errors;
		expect(errors).toMatch(message);
		expect(errors).not.toMatch(/\n\s+at /);
	});
});
