import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';
import { sendsSomething } from '../support/operationCases';
import { fc, runCount } from '../support/random';
import { PHONE, run, type TestSandbox } from '../support/testSandbox';

const messageBody = z.looseObject({
	status: z.string(),
	cost: z.number(),
	billed_via: z.string(),
	segments: z.number(),
});
const packagesBody = z.array(z.object({ credits: z.number(), credits_left: z.number() }));
const overviewBody = z.object({
	messages: z.record(z.string(), z.number()),
	series: z.array(z.object({ messages: z.number(), spent: z.number() })),
});
const batchesBody = z.array(z.looseObject({ batch_id: z.string(), total: z.number(), made: z.number() }));
const topUpsBody = z.array(z.looseObject({ reference: z.string() }));
const transactionBody = z.looseObject({
	type: z.string(),
	amount: z.number(),
	balance: z.number(),
	message_id: z.string().nullable(),
	reference: z.string().nullable(),
});

const FAILING = '+233990000002';

type Step =
	| { kind: 'call'; path: string; body: Record<string, unknown> }
	| { kind: 'advance'; milliseconds: number }
	| { kind: 'drop'; fault: string }
	| { kind: 'checkout'; action: string; method: string }
	| { kind: 'package'; credits: number }
	| { kind: 'restart' };

const to = fc.constantFrom(PHONE, FAILING, FAILING, '+233990000007', '+233990000009', 'no number');
const message = fc
	.tuple(fc.constantFrom('a', '₵'), fc.integer({ min: 1, max: 1600 }))
	.map(([letter, length]) => letter.repeat(length));
const sender_id = fc.constantFrom('KOFISHOP', 'KOFISHOP', 'KOFISHOP', 'PENDINGCO');

const body = z.record(z.string(), z.unknown());
/** Endpoints with a charge that send nothing, so that no message shows the charge. */
const others = endpoints.filter((endpoint) => endpoint.charges && !sendsSomething(endpoint));

function call(path: string, body: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Step> {
	return body.map((filled) => ({ kind: 'call', path, body: filled }));
}

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: call('sms/send', fc.record({ to, message, sender_id })) },
	{
		weight: 3,
		arbitrary: call(
			'sms/bulk',
			fc.record({ to: fc.array(fc.constantFrom(PHONE, FAILING), { minLength: 1, maxLength: 40 }), message, sender_id }),
		),
	},
	call('whatsapp/send', fc.record({ to, message })),
	call(
		'email/send',
		fc.record({ to: fc.constantFrom('bounce@example.com', 'a@example.com'), subject: fc.constant('s'), message }),
	),
	call('voice/send', fc.record({ to, message })),
	...others.map(({ path, example }) =>
		call(
			path.slice(1),
			to.map((number) => body.parse(JSON.parse(JSON.stringify(example.input).replaceAll(PHONE, number)))),
		),
	),
	call('verify/start', fc.record({ phone: to, sender_id })),
	call('wallet/topup', fc.record({ amount: fc.integer({ min: 0, max: 5000 }).map((cents) => cents / 100) })),
	{
		weight: 3,
		arbitrary: fc.record({ kind: fc.constant('advance' as const), milliseconds: fc.integer({ min: 0, max: 4000 }) }),
	},
	fc.record({ kind: fc.constant('drop' as const), fault: fc.constantFrom('drop_before', 'drop_after', 'truncate') }),
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('checkout' as const),
			action: fc.constantFrom('pay', 'pay', 'approve', 'decline', 'leave'),
			method: fc.constantFrom('card', 'mobile_money', 'mobile_money_no_prompt'),
		}),
	},
	fc.record({ kind: fc.constant('package' as const), credits: fc.integer({ min: 1, max: 60 }) }),
	fc.constant({ kind: 'restart' as const }),
);

async function take(sandbox: TestSandbox, taken: Exclude<Step, { kind: 'restart' }>): Promise<void> {
	switch (taken.kind) {
		case 'advance':
			await sandbox.advance(taken.milliseconds);
			break;
		case 'drop':
			await sandbox.control('POST', 'faults', { endpoint: '*', kind: taken.fault });
			break;
		case 'package':
			await sandbox.control('POST', 'packages', { credits: taken.credits });
			break;
		case 'checkout': {
			const { action, method } = taken;
			for (const { reference } of topUpsBody.parse((await sandbox.control('GET', 'top-ups')).body).slice(0, 2)) {
				await sandbox.control('POST', `top-ups/${reference}/checkout`, { action, method });
			}
			break;
		}
		case 'call': {
			const before = await read(sandbox);
			// A dropped connection is an expected result here. The wallet's state afterwards matters.
			const response = await sandbox.api('POST', taken.path, taken.body).catch(() => undefined);
			if (response?.status !== 422) break;
			expect(await read(sandbox)).toEqual(before);
		}
	}
}

async function read(sandbox: TestSandbox) {
	const { balance } = await sandbox.wallet();
	return {
		balance,
		transactions: await sandbox.every('transactions', transactionBody),
		packages: packagesBody.parse((await sandbox.control('GET', 'packages')).body),
	};
}

/** Amounts have at most four decimals, so add them as whole ten-thousandths. */
const units = (amount: number) => Math.round(amount * 10_000);

/** The overview counts each event, and must always equal a full count. */
async function expectCounted(sandbox: TestSandbox): Promise<void> {
	const { transactions } = await read(sandbox);
	const messages = await sandbox.every('messages', messageBody);
	const counted = overviewBody.parse((await sandbox.control('GET', 'overview')).body);
	const byStatus: Record<string, number> = {};
	for (const { status } of messages) byStatus[status] = (byStatus[status] ?? 0) + 1;
	expect(counted.messages).toEqual(byStatus);
	expect(counted.series.reduce((sum, slot) => sum + slot.messages, 0)).toBe(messages.length);
	const spent = transactions.filter(({ type }) => type === 'debit' || type === 'refund');
	expect(counted.series.reduce((sum, slot) => sum + units(slot.spent), 0)).toBe(
		spent.reduce((sum, { amount }) => sum - units(amount), 0),
	);
}

async function expectBalanced(sandbox: TestSandbox): Promise<void> {
	const { balance, transactions } = await read(sandbox);
	expect(balance).toBeGreaterThanOrEqual(0);
	expect(transactions.reduce((sum, { amount }) => sum + units(amount), 0)).toBe(units(balance));
	let after = 0;
	for (const transaction of transactions.toReversed()) {
		after += units(transaction.amount);
		expect(units(transaction.balance)).toBe(after);
	}
}

/** When nothing is planned, wallet and packages have paid exactly for the delivered messages. */
async function expectPaidFor(sandbox: TestSandbox): Promise<void> {
	const { transactions, packages } = await read(sandbox);
	const messages = await sandbox.every('messages', messageBody);
	expect(messages.filter(({ status }) => status !== 'delivered' && status !== 'failed')).toEqual([]);
	const batches = batchesBody.parse((await sandbox.control('GET', 'batches')).body);
	expect(batches.map(({ made }) => made)).toEqual(batches.map(({ total }) => total));
	const delivered = messages.filter(({ status }) => status === 'delivered');
	const batchIds = new Set(batches.map(({ batch_id }) => batch_id));
	const alone = transactions.filter(
		({ type, message_id, reference }) => type === 'debit' && message_id === null && !batchIds.has(reference ?? ''),
	);
	const spent = transactions
		.filter(({ type }) => type === 'debit' || type === 'refund')
		.reduce((sum, { amount }) => sum - units(amount), 0);
	expect(spent).toBe(delivered.reduce((sum, { cost }) => sum + units(cost), 0) + alone.length * units(0.01));
	const used = packages.reduce((sum, { credits, credits_left }) => sum + credits - credits_left, 0);
	const byPackage = delivered.filter(({ billed_via }) => billed_via === 'package');
	expect(used).toBe(byPackage.reduce((sum, { segments }) => sum + segments, 0));
}

it('keeps the balance equal to the sum of transactions, and charges only delivered messages', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
	try {
		let file = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
				file += 1;
				const data = join(folder, `${file}.db`);
				let sandbox = await run({ data });
				try {
					await sandbox.control('PUT', 'settings', { requests_per_second: 1_000_000 });
					for (const taken of steps) {
						if (taken.kind === 'restart') {
							await sandbox.sandbox.stop();
							sandbox = await run({ data });
						} else {
							await take(sandbox, taken);
						}
					}
					await expectBalanced(sandbox);
					await expectCounted(sandbox);
					await sandbox.advance(10_000);
					await expectBalanced(sandbox);
					await expectCounted(sandbox);
					await expectPaidFor(sandbox);
				} finally {
					await sandbox.sandbox.stop();
				}
			}),
			{ numRuns: runCount(30) },
		);
	} finally {
		rmSync(folder, { recursive: true });
	}
}, 120_000);
