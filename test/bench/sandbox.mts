import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod/v4';

/**
 * Measures the sandbox in a separate process, over loopback, in memory and with a data file:
 *
 * - single sends per second, and their processor time, as a ratio to a bare server (goal: at least 0.5)
 * - a bulk send of 100,000: the longest turn of the event loop, and the latency of other requests (goal: at most 50 ms)
 * - the dashboard's requests after 200,000 messages
 * - start time (goal: under 1 s) and memory
 *
 * The bare server has the same HTTP library and inserts one row per request. Run: `npm run bench sandbox`.
 */
const CONNECTIONS = 32;
const CALLS = 10_000;
const ROUNDS = 7;
/** Rounds before the measured ones, in which both sides still become faster. */
const WARM_ROUNDS = 3;
const RECIPIENTS = 100_000;

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const dispatcher = new Agent({ connections: CONNECTIONS });
const other = new Agent({ connections: 1 });
/** For requests with measured latency, which wait only for the sandbox. */
const watching = new Agent({ connections: 1 });
const headers = { 'x-api-key': 'sk_sandbox_demo', 'content-type': 'application/json' };

interface Started {
	readonly child: ChildProcess;
	readonly url: string;
	readonly milliseconds: number;
}

async function start(file: string, ...args: readonly string[]): Promise<Started> {
	const began = performance.now();
	const watched = ['--import', './test/bench/longestTurn.mts'];
	const node = ['--disable-warning=ExperimentalWarning', '--import', 'tsx', ...watched, file, ...args];
	const child = spawn(process.execPath, node, { cwd: root, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
	if (!child.stdout) throw new Error('The output of the process is not piped');
	const line = String((await once(createInterface(child.stdout), 'line'))[0]);
	return { child, url: line.replace(/^ready /, ''), milliseconds: performance.now() - began };
}

async function stop({ child }: Started): Promise<void> {
	const exited = once(child, 'exit');
	child.kill('SIGKILL');
	await exited;
}

const turn = z.tuple([z.object({ longest: z.number() })]).rest(z.unknown());

/** Reads the processor time of the longest turn of the event loop since the last call, in milliseconds. */
async function longestTurn({ child }: Started): Promise<number> {
	const reported = once(child, 'message');
	child.send('longest turn');
	return turn.parse(await reported)[0].longest;
}

/** Reads the processor time of a process in milliseconds. The kernel counts hundredths of a second. */
function processorTime({ child }: Started): number {
	const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ');
	return (Number(fields[13]) + Number(fields[14])) * 10;
}

const memoryMb = ({ child }: Started) =>
	Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024;

async function ask(url: string, path: string, method: 'GET' | 'POST' | 'PUT' = 'GET', body?: string): Promise<unknown> {
	const response = await request(url + path, {
		dispatcher: other,
		method,
		headers,
		...(body !== undefined && { body }),
	});
	const read = await response.body.json();
	if (response.statusCode >= 300)
		throw new Error(`The sandbox responded to ${path} with ${response.statusCode}: ${JSON.stringify(read)}`);
	return read;
}

const sms = JSON.stringify({ to: '+233201234567', sender_id: 'KOFISHOP', message: 'We are open 8 am to 6 pm.' });

/** Concurrent single sends per second. */
async function measureSends(url: string): Promise<number> {
	const began = performance.now();
	let left = CALLS;
	const worker = async () => {
		while (left-- > 0) {
			const { statusCode, body } = await request(`${url}/api/v1/sms/send`, {
				dispatcher,
				method: 'POST',
				headers,
				body: sms,
			});
			await body.dump();
			if (statusCode !== 200) throw new Error(`The response to a send was ${statusCode}`);
		}
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, worker));
	return (CALLS / (performance.now() - began)) * 1000;
}

/** Requests the balance repeatedly until it is stopped, and records each latency. */
function watch(url: string): () => Promise<readonly number[]> {
	const latencies: number[] = [];
	let going = true;
	const run = async () => {
		while (going) {
			const began = performance.now();
			const { body } = await request(`${url}/api/v1/balance`, { dispatcher: watching, headers });
			await body.dump();
			latencies.push(performance.now() - began);
			await wait(1);
		}
	};
	const done = run();
	return async () => {
		going = false;
		await done;
		return latencies.sort((a, b) => a - b);
	};
}

function describe(sorted: readonly number[]): string {
	const at = (share: number) =>
		(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
	return `other requests: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, worst ${at(1)} ms`;
}

async function prepare(data: string): Promise<Started> {
	const started = await start('sandbox/main.ts', '--port', '0', '--data', data);
	await ask(started.url, '/_sandbox/settings', 'PUT', JSON.stringify({ requests_per_second: 1_000_000 }));
	await ask(started.url, '/_sandbox/wallet/adjust', 'POST', JSON.stringify({ amount: 100_000 }));
	return started;
}

async function compareSends(kind: string, dataOf: (name: string) => string): Promise<void> {
	const bare = await start('test/bench/bareServer.ts', dataOf('bare'));
	const ours = await prepare(dataOf('sends'));
	for (let warm = 0; warm < WARM_ROUNDS; warm += 1) {
		await measureSends(bare.url);
		await measureSends(ours.url);
	}
	const ratios: number[] = [];
	const speeds: number[] = [];
	const usedBefore = [processorTime(ours), processorTime(bare)] as const;
	// In turn, so other load on the machine affects both.
	for (let round = 0; round < ROUNDS; round++) {
		const theirs = await measureSends(bare.url);
		const own = await measureSends(ours.url);
		speeds.push(own);
		ratios.push(own / theirs);
	}
	const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
	const all = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
	console.log(
		`sandbox ${kind}: single sends ${median(ratios).toFixed(2)}x a bare server, ${median(speeds).toFixed(0)} per second (${all})`,
	);
	const perSend = (used: number) => ((used / (CALLS * ROUNDS)) * 1000).toFixed(0);
	const used = [processorTime(ours) - usedBefore[0], processorTime(bare) - usedBefore[1]] as const;
	console.log(
		`sandbox ${kind}: processor time of a send with its delivery ${perSend(used[0])} µs, of the bare server ${perSend(used[1])} µs (${(used[1] / used[0]).toFixed(2)}x)`,
	);
	await stop(bare);
	await stop(ours);
}

const batches = z.array(z.object({ total: z.number(), made: z.number() }));
const overview = z.object({ messages: z.record(z.string(), z.number()) });

async function bulk(kind: string, data: string): Promise<void> {
	const started = await prepare(data);
	const { url } = started;
	const to = Array.from({ length: RECIPIENTS }, (_none, index) => `+23320${String(index).padStart(7, '0')}`);
	const body = JSON.stringify({ to, sender_id: 'KOFISHOP', message: 'We are open on Boxing Day.', priority: true });
	const endIdle = watch(url);
	await wait(2000);
	console.log(`sandbox ${kind}: idle: ${describe(await endIdle())}`);
	for (const round of ['first', 'second']) {
		const before = memoryMb(started);
		const endAccept = watch(url);
		await wait(50);
		await longestTurn(started);
		const began = performance.now();
		const { statusCode, body: responded } = await request(`${url}/api/v1/sms/bulk`, {
			dispatcher,
			method: 'POST',
			headers,
			body,
		});
		await responded.dump();
		const accepted = performance.now() - began;
		if (statusCode !== 200) throw new Error(`The response to the bulk send was ${statusCode}`);
		const accepting = `longest turn ${(await longestTurn(started)).toFixed(0)} ms; ${describe(await endAccept())}`;
		console.log(`sandbox ${kind}: ${round} bulk of ${RECIPIENTS} accepted in ${accepted.toFixed(0)} ms; ${accepting}`);

		const endDrain = watch(url);
		let peak = 0;
		for (;;) {
			peak = Math.max(peak, memoryMb(started));
			if (batches.parse(await ask(url, '/_sandbox/batches')).every(({ total, made }) => made === total)) break;
			await wait(100);
		}
		const made = performance.now() - began;
		const making = `longest turn ${(await longestTurn(started)).toFixed(0)} ms; ${describe(await endDrain())}`;
		console.log(`sandbox ${kind}: ${round} bulk queued as messages after ${made.toFixed(0)} ms; ${making}`);

		const endDelivery = watch(url);
		const moved = performance.now();
		await ask(url, '/_sandbox/clock/advance', 'POST', JSON.stringify({ milliseconds: 120_000 }));
		const delivered = performance.now() - moved;
		peak = Math.max(peak, memoryMb(started));
		const delivering = `longest turn ${(await longestTurn(started)).toFixed(0)} ms; ${describe(await endDelivery())}`;
		const { messages } = overview.parse(await ask(url, '/_sandbox/overview'));
		console.log(
			`sandbox ${kind}: ${round} bulk delivered (${messages.delivered}) in ${delivered.toFixed(0)} ms, all due at the same time; ${delivering}; memory ${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`,
		);
	}
	for (const path of ['overview', 'messages', 'messages?limit=50', 'messages?search=999', 'transactions', 'batches']) {
		await longestTurn(started);
		for (let time = 0; time < 3; time += 1) await ask(url, `/_sandbox/${path}`);
		console.log(`sandbox ${kind}: longest turn of GET /_sandbox/${path} ${(await longestTurn(started)).toFixed(0)} ms`);
	}
	await stop(started);
}

try {
	const times: number[] = [];
	for (let round = 0; round < 3; round++) {
		const started = await start('sandbox/main.ts', '--port', '0');
		times.push(started.milliseconds);
		if (round === 2) console.log(`sandbox: memory after the start ${memoryMb(started).toFixed(0)} MB`);
		await stop(started);
	}
	console.log(`sandbox: starts in ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
	await compareSends('in memory', () => ':memory:');
	await compareSends('with a file', (name) => join(folder, `${name}.db`));
	await bulk('in memory', ':memory:');
	await bulk('with a file', join(folder, 'bulk.db'));
} finally {
	await dispatcher.close();
	await other.close();
	await watching.close();
	rmSync(folder, { recursive: true, force: true });
}
