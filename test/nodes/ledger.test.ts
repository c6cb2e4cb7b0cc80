import { Ledger, once } from '../../nodes/MessagingService/execution/idempotency/ledger';
import { ConnectionError, UnknownOutcomeError, type Outcome } from '../../shared';

const details = { endpoint: 'sms.send', hint: '' };
const accepted: Outcome<unknown> = { outcome: 'accepted', output: {} };
const unknown: Outcome<unknown> = {
	outcome: 'unknown',
	error: new UnknownOutcomeError('', { ...details, sent: 'unknown' }),
};
const rejected: Outcome<unknown> = { outcome: 'rejected', error: new ConnectionError('', { ...details, sent: 'no' }) };
const limits = { maxIdleMs: 1000, maxSize: 3, inUseMs: 500, recentMs: 300 };

/** A call that counts how often it runs. */
function counting(outcome: Outcome<unknown>) {
	let calls = 0;
	const make = () => {
		calls++;
		return Promise.resolve(outcome);
	};
	return { make, calls: () => calls };
}

describe('the ledger', () => {
	it.each([
		['accepted', accepted, 1],
		['unknown', unknown, 1],
		['rejected', rejected, 2],
	])('repeats a call with the outcome %s only if it was certainly rejected', async (_, outcome, times) => {
		const ledger = new Ledger<Outcome<unknown>>(limits);
		const { make, calls } = counting(outcome);
		expect(await once(ledger.of('e'), '0', make)).toEqual({ outcome, repeated: false });
		expect(await once(ledger.of('e'), '0', make)).toEqual({ outcome, repeated: times === 1 });
		expect(calls()).toBe(times);
	});

	it('makes one call for two concurrent requests', async () => {
		const ledger = new Ledger<Outcome<unknown>>(limits);
		const { make, calls } = counting(accepted);
		await Promise.all([once(ledger.of('e'), '0', make), once(ledger.of('e'), '0', make)]);
		expect(calls()).toBe(1);
	});

	it('separates messages and executions', async () => {
		const ledger = new Ledger<Outcome<unknown>>(limits);
		const { make, calls } = counting(accepted);
		await once(ledger.of('e'), '0', make);
		await once(ledger.of('e'), '1', make);
		await once(ledger.of('f'), '0', make);
		expect(calls()).toBe(3);
	});

	it('drops the least recently used execution when the ledger is full', async () => {
		let now = 0;
		const ledger = new Ledger<Outcome<unknown>>(limits, () => now);
		const { make, calls } = counting(accepted);
		for (const execution of ['a', 'b', 'c', 'a']) await once(ledger.of(execution), '0', make);
		now = limits.inUseMs;
		await once(ledger.of('a'), '0', make);
		await once(ledger.of('d'), '0', make);
		expect(calls()).toBe(4);
		expect(ledger.size).toBe(3);
		await once(ledger.of('a'), '0', make);
		expect(calls()).toBe(4);
		await once(ledger.of('b'), '0', make);
		expect(calls()).toBe(5);
	});

	it('never drops a running execution because of another one, however large both are', async () => {
		let now = 0;
		const ledger = new Ledger<Outcome<unknown>>(limits, () => now);
		const { make, calls } = counting(accepted);
		for (let attempt = 0; attempt < 3; attempt++) {
			for (let item = 0; item < 50; item++, now += 1) {
				await once(ledger.of('campaign'), String(item), make);
				await once(ledger.of(item % 2 === 0 ? 'other campaign' : `reply ${item}`), String(item), make);
			}
		}
		expect(calls()).toBe(100);
	});

	it('never drops the running execution, however large it is', async () => {
		let now = 0;
		const ledger = new Ledger<Outcome<unknown>>(limits, () => now);
		const { make, calls } = counting(accepted);
		for (let attempt = 0; attempt < 3; attempt++) {
			for (let item = 0; item < 50; item++, now += 100) await once(ledger.of('e'), String(item), make);
		}
		expect(calls()).toBe(50);
	});

	it('drops an execution that was idle for too long', async () => {
		let now = 0;
		const ledger = new Ledger<Outcome<unknown>>(limits, () => now);
		const { make } = counting(accepted);
		await once(ledger.of('a'), '0', make);
		now = 1001;
		await once(ledger.of('b'), '0', make);
		expect(ledger.size).toBe(1);
	});

	it('remembers a message without an execution for a time after its response, and as long as it is in flight', async () => {
		let now = 0;
		const ledger = new Ledger<Outcome<unknown>>(limits, () => now);
		let respond: (outcome: Outcome<unknown>) => void = () => undefined;
		const slow = once(ledger.of(undefined), '0', () => new Promise((resolve) => (respond = resolve)));
		const { make, calls } = counting(accepted);
		now = 10 * limits.recentMs;
		const repeated = once(ledger.of(undefined), '0', make);
		respond(unknown);
		expect([await slow, await repeated]).toEqual([
			{ outcome: unknown, repeated: false },
			{ outcome: unknown, repeated: true },
		]);
		now += limits.recentMs - 1;
		expect((await once(ledger.of(undefined), '0', make)).repeated).toBe(true);
		now += 1;
		expect((await once(ledger.of(undefined), '0', make)).repeated).toBe(false);
		expect(calls()).toBe(1);
	});
});
