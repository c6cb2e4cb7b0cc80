import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const file = pathToFileURL(join(__dirname, '..', '..', 'scripts', 'lib', 'process', 'free-port.mjs')).href;
const PREFERRED = 5_950;

const started: ChildProcess[] = [];
afterAll(() => started.map((child) => child.kill('SIGKILL')));

/** Starts a process that reserves a port, and then only waits. No server listens on the port. */
async function reserveInProcess(): Promise<{ port: number; kill: () => Promise<void> }> {
	const program = `import { reservePort } from '${file}';
		console.log(await reservePort(${PREFERRED}));
		process.stdin.resume();`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	started.push(child);
	const port = Number((await once(createInterface(child.stdout), 'line'))[0]);
	return {
		port,
		async kill() {
			const exited = once(child, 'exit');
			child.kill('SIGKILL');
			await exited;
		},
	};
}

describe('ports of test runs and the demo', () => {
	it('reserves another port for each process of the same moment', async () => {
		const reserved = await Promise.all([reserveInProcess(), reserveInProcess(), reserveInProcess()]);
		const ports = reserved.map(({ port }) => port);
		expect(new Set(ports).size).toBe(3);
		for (const port of ports) expect(port).toBeGreaterThanOrEqual(PREFERRED);
		for (const { kill } of reserved) await kill();
	});

	it('gives a port to another process after its owner was killed', async () => {
		const owner = await reserveInProcess();
		const other = await reserveInProcess();
		await owner.kill();
		const next = await reserveInProcess();
		expect([next.port, next.port === other.port]).toEqual([owner.port, false]);
		await other.kill();
		await next.kill();
	});
});
