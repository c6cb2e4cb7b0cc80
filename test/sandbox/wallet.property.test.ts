import fc from 'fast-check';
import { z } from 'zod/v4';
import { PHONE, run, type Running } from './running';

const messagesBody = z.array(z.object({ status: z.string() }));

type Step =
	| { kind: 'send'; to: string; length: number; letter: string; sender_id: string }
	| { kind: 'advance'; milliseconds: number }
	| { kind: 'drop'; fault: string };

const step: fc.Arbitrary<Step> = fc.oneof(
	fc.record({
		kind: fc.constant('send' as const),
		to: fc.constantFrom(PHONE, '+233990000002', '+233990000002', 'no number'),
		length: fc.integer({ min: 1, max: 1600 }),
		letter: fc.constantFrom('a', '₵'),
		sender_id: fc.constantFrom('KOFISHOP', 'KOFISHOP', 'KOFISHOP', 'PENDINGCO'),
	}),
	fc.record({ kind: fc.constant('advance' as const), milliseconds: fc.integer({ min: 0, max: 1200 }) }),
	fc.record({ kind: fc.constant('drop' as const), fault: fc.constantFrom('drop_before', 'drop_after', 'truncate') }),
);

async function take(running: Running, taken: Step): Promise<void> {
	switch (taken.kind) {
		case 'advance':
			await running.advance(taken.milliseconds);
			break;
		case 'drop':
			await running.control('POST', 'faults', { endpoint: 'sms.send', kind: taken.fault });
			break;
		case 'send': {
			const { to, sender_id, letter, length } = taken;
			// A broken connection is one of the outcomes here: what counts is what the wallet says afterwards.
			await running.send({ to, sender_id, message: letter.repeat(length) }).catch(() => undefined);
		}
	}
}

it('the balance is the sum of the transactions, whatever was sent, failed or broke off', async () => {
	await using running = await run();
	await running.control('PUT', 'settings', { requests_per_second: 1_000_000 });
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
			await running.control('POST', 'reset');
			await running.control('PUT', 'settings', { requests_per_second: 1_000_000 });
			for (const taken of steps) await take(running, taken);
			await expectBalanced(running);
			await running.advance(2000);
			await expectBalanced(running);
			const { balance, transactions } = await running.wallet();
			const kept = transactions.filter(
				({ type, message_id }) =>
					type === 'debit' && !transactions.some((other) => other.type === 'refund' && other.message_id === message_id),
			);
			const messages = messagesBody.parse((await running.control('GET', 'messages')).body);
			expect(kept).toHaveLength(messages.filter(({ status }) => status === 'delivered').length);
			expect(balance).toBeGreaterThanOrEqual(0);
		}),
		{ numRuns: 25 },
	);
}, 120_000);

async function expectBalanced(running: Running): Promise<void> {
	const { balance, transactions } = await running.wallet();
	// Amounts are multiples of a hundredth, so the sum is taken in whole hundredths.
	const sum = transactions.reduce((total, { amount }) => total + Math.round(amount * 100), 0);
	expect(Math.round(balance * 100)).toBe(sum);
}
