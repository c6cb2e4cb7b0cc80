import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod/v4';

const root = join(__dirname, '../..');
const COUNT = 10_000;
const UNDELIVERABLE = '+233990000002';

const batchesBody = z.array(z.looseObject({ total: z.number(), made: z.number() }));
const messagesBody = z.array(z.looseObject({ message_id: z.string(), to: z.string(), status: z.string() }));
const walletBody = z.object({
	balance: z.number(),
	transactions: z.array(z.looseObject({ type: z.string(), amount: z.number() })),
});

interface Started {
	readonly child: ChildProcess;
	readonly url: string;
}

async function start(data: string): Promise<Started> {
	const child = spawn(
		process.execPath,
		['--disable-warning=ExperimentalWarning', '--import', 'tsx', 'sandbox/main.ts', '--port', '0', '--data', data],
		{ cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
	);
	const line = String((await once(createInterface(child.stdout), 'line'))[0]);
	return { child, url: line.replace(/^ready /, '') };
}

async function kill({ child }: Started): Promise<void> {
	const exited = once(child, 'exit');
	child.kill('SIGKILL');
	await exited;
}

async function ask(url: string, path: string, method = 'GET', body?: unknown): Promise<unknown> {
	const response = await fetch(url + path, {
		method,
		headers: { 'x-api-key': 'sk_sandbox_demo' },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	expect(response.status).toBeLessThan(300);
	return await response.json();
}

const made = async (url: string) => batchesBody.parse(await ask(url, '/_sandbox/batches'))[0]?.made ?? 0;

it('loses nothing of a bulk send of 10,000 in four kills, and charges and sends nothing twice', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	const data = join(folder, 'state.db');
	let started = await start(data);
	try {
		await ask(started.url, '/_sandbox/clock/freeze', 'POST');
		await ask(started.url, '/_sandbox/wallet/adjust', 'POST', { amount: 1000 });
		await ask(started.url, '/_sandbox/packages', 'POST', { credits: 100 });
		const to = Array.from({ length: COUNT }, (_none, index) =>
			index % 10 === 0 ? UNDELIVERABLE : `+23320${String(index).padStart(7, '0')}`,
		);
		await ask(started.url, '/api/v1/sms/bulk', 'POST', { to, sender_id: 'KOFISHOP', message: 'Hello' });
		const firstSeen = await made(started.url);
		expect(firstSeen).toBeLessThan(COUNT);
		await kill(started);

		started = await start(data);
		const seen = await made(started.url);
		expect(seen).toBeGreaterThanOrEqual(firstSeen);
		await kill(started);

		// Kills the sandbox amid the status changes and refunds that the advance made due.
		for (const milliseconds of [5000, 10_000]) {
			started = await start(data);
			const advancing = ask(started.url, '/_sandbox/clock/advance', 'POST', { milliseconds }).catch(() => undefined);
			await ask(started.url, '/_sandbox/wallet');
			await kill(started);
			await advancing;
		}

		started = await start(data);
		await ask(started.url, '/_sandbox/clock/advance', 'POST', { milliseconds: 60_000 });
		expect(batchesBody.parse(await ask(started.url, '/_sandbox/batches'))).toMatchObject([
			{ total: COUNT, made: COUNT },
		]);
		const messages: z.output<typeof messagesBody> = [];
		while (messages.length < COUNT) {
			const page = messagesBody.parse(await ask(started.url, `/_sandbox/messages?offset=${messages.length}`));
			expect(page).not.toEqual([]);
			messages.push(...page);
		}
		expect(await ask(started.url, `/_sandbox/messages?offset=${COUNT}`)).toEqual([]);
		expect(messages.map((message) => message.to).sort()).toEqual([...to].sort());
		expect(new Set(messages.map(({ message_id }) => message_id)).size).toBe(COUNT);
		for (const message of messages) {
			expect(message.status).toBe(message.to === UNDELIVERABLE ? 'failed' : 'delivered');
		}
		const { balance, transactions } = walletBody.parse(await ask(started.url, '/_sandbox/wallet'));
		expect(transactions.filter(({ type }) => type === 'debit')).toMatchObject([{ amount: -495 }]);
		// The package pays for the first hundred, so 990 of the thousand failures cost money.
		expect(transactions.filter(({ type }) => type === 'refund')).toHaveLength(990);
		expect(balance).toBe(1040 - 495 + 49.5);
		expect(await ask(started.url, '/_sandbox/packages')).toMatchObject([{ credits: 100, credits_left: 10 }]);
	} finally {
		await kill(started);
		rmSync(folder, { recursive: true });
	}
}, 60_000);
