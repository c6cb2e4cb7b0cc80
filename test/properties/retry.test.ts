import { decide, defaultRetryPolicy, parseRetryAfter, type Attempt } from '../../shared/client/retry';
import { fc } from '../support/random';

const attempts: fc.Arbitrary<Attempt> = fc.oneof(
	fc.record({
		kind: fc.constant('response' as const),
		status: fc.oneof(
			fc.constantFrom(200, 201, 302, 401, 408, 422, 429, 500, 503),
			fc.integer({ min: 99, max: 999 }),
			fc.constant(Number.NaN),
		),
		readable: fc.boolean(),
		retryAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
	}),
	fc.record({
		kind: fc.constant('no-response' as const),
		left: fc.constantFrom('no' as const, 'maybe' as const),
		aborted: fc.boolean(),
	}),
);

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const policies = fc.record({
	attempts: fc.integer({ min: 1, max: 10 }),
	budgetMs: fc.integer({ min: 0, max: 120_000 }),
	baseMs: fc.integer({ min: 0, max: 5_000 }),
	longestWaitMs: fc.integer({ min: 0, max: 60_000 }),
});

/** The rejections of docs/api.md#errors, written independently of the code under test. */
const mayBeAccepted = (attempt: Attempt): boolean => {
	if (attempt.kind === 'no-response') return attempt.left === 'maybe';
	// A rejection that reports a partial acceptance.
	if (!attempt.readable) return true;
	const rejections = [429, 401, 403, 404, 422];
	const otherRejection = attempt.status >= 300 && attempt.status < 500 && attempt.status !== 408;
	return !rejections.includes(attempt.status) && !otherRejection;
};

describe('decide', () => {
	it('lets at most one request that may be accepted reach the service, for a call to make once', () => {
		fc.assert(
			fc.property(
				fc.array(attempts, { minLength: 1, maxLength: 12 }),
				policies,
				random,
				(happening, policy, chance) => {
					let maybe = 0;
					let elapsed = 0;
					for (const [index, attempt] of happening.entries()) {
						if (mayBeAccepted(attempt)) maybe++;
						const verdict = decide('once', attempt, index + 1, elapsed, policy, chance);
						if (verdict.next !== 'retry') break;
						elapsed += verdict.waitMs;
					}
					expect(maybe).toBeLessThanOrEqual(1);
				},
			),
		);
	});

	it('never rejects an outcome that may be accepted', () => {
		fc.assert(
			fc.property(attempts, policies, random, (attempt, policy, chance) => {
				const verdict = decide('once', attempt, 1, 0, policy, chance);
				if (mayBeAccepted(attempt)) expect(['done', 'unknown']).toContain(verdict.next);
				else expect(['rejected', 'retry']).toContain(verdict.next);
			}),
		);
	});

	it('respects the limits of attempts, time budget and wait', () => {
		fc.assert(
			fc.property(
				fc.constantFrom('safe' as const, 'once' as const),
				attempts,
				fc.integer({ min: 1, max: 12 }),
				fc.integer({ min: 0, max: 200_000 }),
				policies,
				random,
				(repeat, attempt, number, elapsed, policy, chance) => {
					const verdict = decide(repeat, attempt, number, elapsed, policy, chance);
					if (verdict.next !== 'retry') return;
					expect(number).toBeLessThan(policy.attempts);
					expect(verdict.waitMs).toBeLessThanOrEqual(policy.longestWaitMs);
					expect(elapsed + verdict.waitMs).toBeLessThanOrEqual(policy.budgetMs);
					if (attempt.kind === 'response' && attempt.retryAfterMs) {
						expect(verdict.waitMs).toBe(attempt.retryAfterMs);
					}
				},
			),
		);
	});

	it('spreads its waits over the whole range, and doubles the range', () => {
		const busy: Attempt = { kind: 'response', status: 429, readable: true };
		const wait = (number: number, chance: number) => decide('once', busy, number, 0, defaultRetryPolicy, chance);
		expect(wait(1, 0)).toEqual({ next: 'retry', waitMs: 0 });
		expect(wait(1, 0.5)).toEqual({ next: 'retry', waitMs: 250 });
		expect(wait(3, 0.5)).toEqual({ next: 'retry', waitMs: 1000 });
	});
});

describe('parseRetryAfter', () => {
	const now = Date.UTC(2026, 10, 20, 12, 0, 0);

	it.each([
		['0', 0],
		['7', 7_000],
		[' 1.5 ', 1_500],
		['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
		['Fri, 20 Nov 2026 11:00:00 GMT', 0],
	])('reads Retry-After %s', (header, milliseconds) => {
		expect(parseRetryAfter(header, now)).toBe(milliseconds);
	});

	it.each([undefined, '', 'soon', '-5', '5 seconds', 'NaN', 'Infinity', 'Friday'])(
		'ignores the Retry-After value %s',
		(header) => {
			expect(parseRetryAfter(header, now)).toBeUndefined();
		},
	);
});
