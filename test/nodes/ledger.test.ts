import { Ledger } from '../../nodes/MessagingService/runtime/ledger';
import { ConnectionError, UnknownOutcomeError, type Outcome } from '../../shared';

const details = { endpoint: 'sms.send', hint: '' };
const accepted: Outcome<unknown> = { outcome: 'accepted', output: {} };
const unknown: Outcome<unknown> = {
	outcome: 'unknown',
	error: new UnknownOutcomeError('', { ...details, sent: 'unknown' }),
};
const rejected: Outcome<unknown> = { outcome: 'rejected', error: new ConnectionError('', { ...details, sent: 'no' }) };
const limits = { maxAgeMs: 1000, maxEntries: 3 };

/** Calls that count themselves. */
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
	])('makes a call that was %s not again, unless it was certainly refused', async (_, outcome, times) => {
		const ledger = new Ledger(limits);
		const { make, calls } = counting(outcome);
		expect(await ledger.once('a', make)).toBe(outcome);
		expect(await ledger.once('a', make)).toBe(outcome);
		expect(calls()).toBe(times);
	});

	it('makes a call once that is asked for twice at the same time', async () => {
		const ledger = new Ledger(limits);
		const { make, calls } = counting(accepted);
		await Promise.all([ledger.once('a', make), ledger.once('a', make)]);
		expect(calls()).toBe(1);
	});

	it('keeps other keys apart', async () => {
		const ledger = new Ledger(limits);
		const { make, calls } = counting(accepted);
		await ledger.once('a', make);
		await ledger.once('b', make);
		expect(calls()).toBe(2);
	});

	it('forgets what is old, and the oldest where there are too many', async () => {
		let now = 0;
		const ledger = new Ledger(limits, () => now);
		const { make, calls } = counting(accepted);
		for (const key of ['a', 'b', 'c', 'd']) await ledger.once(key, make);
		expect(ledger.size).toBe(3);
		await ledger.once('d', make);
		expect(calls()).toBe(4);
		now = 1001;
		await ledger.once('d', make);
		expect(calls()).toBe(5);
		expect(ledger.size).toBe(1);
	});
});
