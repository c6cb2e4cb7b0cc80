import { decideKeyed, defaultRetryPolicy, inDoubtAfter, type KeyedAttempt } from '../../shared/client/retry';
import { fc, runCount } from '../support/random';

const attempts: fc.Arbitrary<KeyedAttempt> = fc.oneof(
	fc.record({
		kind: fc.constant('reply' as const),
		meaning: fc.constantFrom(
			...(['accepted', 'accepted_unread', 'rejected', 'unknown', 'in_use', 'nothing_now', 'not_relay'] as const),
		),
		mayPass: fc.boolean(),
		retryAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
	}),
	fc.record({ kind: fc.constant('no-relay' as const), mayPass: fc.boolean() }),
	fc.record({
		kind: fc.constant('no-response' as const),
		left: fc.constantFrom('no' as const, 'maybe' as const),
		aborted: fc.boolean(),
	}),
);

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Whether an attempt may have been accepted, written independently of the code under test. */
function mayBeAccepted(attempt: KeyedAttempt): boolean {
	if (attempt.kind === 'no-response') return attempt.left === 'maybe';
	return attempt.kind === 'reply' && !['rejected', 'nothing_now'].includes(attempt.meaning);
}

function isClearRejection(attempt: KeyedAttempt): boolean {
	return attempt.kind === 'reply' && attempt.meaning === 'rejected';
}

/** Plays the attempts of one call until it ends. */
function play(history: readonly KeyedAttempt[]) {
	let inDoubt = false;
	for (const [index, attempt] of history.entries()) {
		const { next } = decideKeyed(attempt, inDoubt, index + 1, 0, defaultRetryPolicy, 0);
		if (next !== 'retry') return { next, made: history.slice(0, index + 1) };
		inDoubt = inDoubtAfter(attempt, inDoubt);
	}
	return { next: 'retry', made: history };
}

const histories = fc.array(attempts, { minLength: 1, maxLength: 8 });

describe('a call with an idempotency key', () => {
	it('is rejected only if nothing was accepted since its last clear rejection', () => {
		fc.assert(
			fc.property(histories, (history) => {
				const { next, made } = play(history);
				const since = made.slice(made.findLastIndex(isClearRejection) + 1);
				if (next === 'rejected') expect(since.filter(mayBeAccepted)).toEqual([]);
				if (next === 'unknown') expect(since.some(mayBeAccepted)).toBe(true);
			}),
			{ numRuns: runCount(5_000) },
		);
	});

	it('ends as accepted only with a response that says so', () => {
		fc.assert(
			fc.property(histories, (history) => {
				const { next, made } = play(history);
				const last = made.at(-1);
				expect(next === 'done').toBe(last?.kind === 'reply' && last.meaning === 'accepted');
			}),
		);
	});

	it('is never repeated after an unknown outcome, an abort, or more attempts than the policy allows', () => {
		fc.assert(
			fc.property(
				attempts,
				fc.boolean(),
				fc.integer({ min: 1, max: 9 }),
				random,
				(attempt, inDoubt, number, jitter) => {
					const { next } = decideKeyed(attempt, inDoubt, number, 0, defaultRetryPolicy, jitter);
					const isFinal =
						(attempt.kind === 'reply' && attempt.meaning === 'unknown') ||
						(attempt.kind === 'no-response' && attempt.aborted) ||
						number >= defaultRetryPolicy.attempts;
					if (isFinal) expect(next).not.toBe('retry');
				},
			),
		);
	});

	it('is repeated after a lost connection while the policy allows it', () => {
		const lost: KeyedAttempt = { kind: 'no-response', left: 'maybe', aborted: false };
		fc.assert(
			fc.property(fc.boolean(), fc.integer({ min: 1, max: 9 }), random, (inDoubt, number, jitter) => {
				const { next } = decideKeyed(lost, inDoubt, number, 0, defaultRetryPolicy, jitter);
				expect(next).toBe(number < defaultRetryPolicy.attempts ? 'retry' : 'unknown');
			}),
		);
	});
});
