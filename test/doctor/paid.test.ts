import { createBudget } from '../../doctor/paid/budget';
import { paidChannels } from '../../doctor/paid/channels';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { fc } from '../support/random';
import { runDoctor } from '../support/runDoctor';
import { sandboxControl } from '../support/sandboxControl';

const TO = '+233201234567';

async function withSandbox(work: (sandbox: Sandbox, control: ReturnType<typeof sandboxControl>) => Promise<void>) {
	const sandbox = await startSandbox();
	try {
		await work(sandbox, sandboxControl(sandbox));
	} finally {
		await sandbox.stop();
	}
}

/** Debits of the sandbox's wallet, in its currency. */
async function debits({ wallet }: ReturnType<typeof sandboxControl>): Promise<number[]> {
	return (await wallet()).transactions.map(({ amount }) => amount).filter((amount) => amount < 0);
}

describe('a budget', () => {
	const amount = fc.integer({ min: 0, max: 50_000 }).map((units) => units / 10_000);

	it('never permits requests that could cost more than the maximum together', () => {
		const request = fc.record({ channel: fc.constantFrom(...paidChannels), cost: fc.option(amount) });
		fc.assert(
			fc.property(
				amount,
				fc.dictionary(fc.constantFrom(...paidChannels), amount),
				fc.option(amount),
				fc.array(request, { maxLength: 12 }),
				(maxSpend, prices, balance, requests) => {
					const budget = createBudget(maxSpend, prices);
					let spent = 0;
					for (const { channel, cost } of requests) {
						const before = balance ?? undefined;
						if (!budget.permit(channel, before).allowed) continue;
						// The service charges at most the highest price, and never more than the balance.
						const most = prices[channel] ?? before ?? 0;
						const charged = Math.min(cost ?? most, most);
						spent += charged;
						budget.spend(channel, cost === null ? undefined : charged, before);
					}
					expect(spent).toBeLessThanOrEqual(maxSpend + 1e-9);
				},
			),
		);
	});

	it('permits nothing more after a request that cost more than its price', () => {
		const budget = createBudget(10, { sms: 0.05, voice: 0.2 });
		budget.spend('sms', 0.5, 40);
		expect(budget.permit('voice', 40)).toMatchObject({ allowed: false });
	});
});

describe('a paid run', () => {
	it('sends nothing if the price is unknown and could exceed the maximum', async () => {
		await withSandbox(async (sandbox, control) => {
			const run = await runDoctor(sandbox, '--send-to', TO, '--max-spend', '1');
			expect(await control.messages()).toEqual([]);
			expect(run.printed).toContain('--prices sms=PRICE');
			expect(run.rows.get('Message statuses')).toMatchObject({ verdict: 'not attempted' });
		});
	});

	it('needs no price if the whole balance is within the maximum', async () => {
		await withSandbox(async (sandbox, control) => {
			await control.adjustWallet(-39.9);
			await runDoctor(sandbox, '--send-to', TO, '--max-spend', '0.1');
			expect(await control.messages()).toHaveLength(1);
		});
	});

	it('sends one message per channel until the next one could exceed the maximum', async () => {
		await withSandbox(async (sandbox, control) => {
			const prices = 'sms=0.05,whatsapp=0.08,voice=0.2';
			const args = ['--max-spend', '0.15', '--channels', 'sms,whatsapp,voice', '--prices', prices];
			const run = await runDoctor(sandbox, '--send-to', TO, ...args);
			expect((await debits(control)).reduce((sum, amount) => sum - amount, 0)).toBeCloseTo(0.13);
			expect(run.report).toContain('- voice: not sent. Its price exceeds the rest of --max-spend.');
		});
	});

	it.each([
		['drop_after', 1],
		['drop_before', 0],
	] as const)('reports the connection loss %s as unknown and does not send again', async (kind, accepted) => {
		await withSandbox(async (sandbox, control) => {
			// The first request of the endpoint is the free one without any field.
			await control.fault({ kind: 'delay', milliseconds: 0, endpoint: 'sms.send' });
			await control.fault({ kind, endpoint: 'sms.send' });
			const run = await runDoctor(sandbox, '--send-to', TO, '--max-spend', '1', '--prices', 'sms=0.05');
			expect(run.report).toContain('- sms: its outcome is unknown.');
			const sends = (await control.requests()).filter(({ endpoint }) => endpoint === 'sms.send');
			expect(sends).toHaveLength(2);
			expect(await control.messages()).toHaveLength(accepted);
		});
	});

	it('does not repeat a message after a rate limit', async () => {
		await withSandbox(async (sandbox, control) => {
			await control.fault({ kind: 'delay', milliseconds: 0, endpoint: 'sms.send' });
			await control.fault({
				kind: 'answer',
				status: 429,
				body: { message: 'Too many requests' },
				endpoint: 'sms.send',
			});
			const run = await runDoctor(sandbox, '--send-to', TO, '--max-spend', '1', '--prices', 'sms=0.05');
			expect(run.report).toContain('- sms: the service rejected it.');
			expect(await control.messages()).toEqual([]);
		});
	});
});

describe('a run without --send-to', () => {
	it('charges nothing, sends nothing, and adds no contact or top-up', async () => {
		await withSandbox(async (sandbox, control) => {
			const before = await control.wallet();
			const contacts = await control.ask('GET', 'contacts');
			await runDoctor(sandbox);
			expect(await control.wallet()).toEqual(before);
			expect(await control.messages()).toEqual([]);
			expect(await control.ask('GET', 'contacts')).toEqual(contacts);
			expect(await control.ask('GET', 'top-ups')).toEqual([]);
		});
	});
});
