import { fc } from '../../../support/random';

/** Idempotency keys of one history. Each has a recipient of its own. */
export const KEYS = 7;

/** The keys from this one on have a maximum age. */
export const AGING_FROM = 5;

/** That age, in seconds. No group of histories takes as long. */
export const MAX_AGE_SECONDS = 3_600;

/** What a request of the relay meets on its way to the sandbox. */
export const SERVICE_FAULTS = [
	...(['none', 'none', 'none', 'none', 'none', 'none', 'slow'] as const),
	...([
		'reject',
		'success false',
		'drop before',
		'drop after',
		'cut',
		'fail before',
		'fail after',
		'too many',
	] as const),
] as const;

/** One of {@link SERVICE_FAULTS}. */
export type ServiceFault = (typeof SERVICE_FAULTS)[number];

/** What a request of a caller meets on its way to the relay. */
export const CALLER_FAULTS = [
	...(['none', 'none', 'none', 'none', 'none'] as const),
	...(['lost before', 'lost after', 'leaves', 'held'] as const),
] as const;

/** One of {@link CALLER_FAULTS}. */
export type CallerFault = (typeof CALLER_FAULTS)[number];

/** An attempt of a call. All attempts have the same key and content. */
export interface Attempt {
	readonly service: ServiceFault;
	readonly caller: CallerFault;
	/** The relay that gets it, if there are several. */
	readonly relay: number;
	/** When a caller leaves, in milliseconds. A proxy holds a request back for several times as long. */
	readonly leavesMs: number;
}

/** A call. Its caller repeats it while the outcome is open, and then gives up. */
export interface Call {
	readonly kind: 'single' | 'bulk';
	/** One key, or one for each recipient. */
	readonly keys: readonly number[];
	/** Almost always the same words for a key. The last ones are rejected by the sandbox itself. */
	readonly words: number;
	readonly attempts: readonly Attempt[];
}

/** A step of a history. */
export type Step =
	/** Calls at the same time. */
	| { readonly kind: 'calls'; readonly calls: readonly Call[] }
	/** A person settles the unknown sends of the history. */
	| { readonly kind: 'settle'; readonly outcome: 'arrived' | 'send_again' };

/** What happens to all histories of a group. */
export type Event =
	/** A fault of the sandbox. */
	| { readonly kind: 'fault'; readonly waitMs: number; readonly fault: Readonly<Record<string, unknown>> }
	/** A relay ends and starts again. */
	| { readonly kind: 'kill'; readonly waitMs: number; readonly relay: number; readonly isOrderly: boolean }
	/** The clock of a relay is set. */
	| { readonly kind: 'clock'; readonly waitMs: number; readonly relay: number; readonly ms: number }
	/** The clock of a PostgreSQL server jumps ahead, so the time of all calls in flight is over. */
	| { readonly kind: 'jump'; readonly waitMs: number }
	/** Time passes, so all keys with a maximum age are too old. */
	| { readonly kind: 'age'; readonly waitMs: number };

/** Histories that run at the same time through the same relays. */
export interface Group {
	readonly histories: ReadonlyArray<readonly Step[]>;
	readonly events: readonly Event[];
}

/** Words of a message that the sandbox rejects, because the sender ID is not approved. */
export const REJECTED_WORDS = 2;

const attempt: fc.Arbitrary<Attempt> = fc.record({
	service: fc.constantFrom(...SERVICE_FAULTS),
	caller: fc.constantFrom(...CALLER_FAULTS),
	relay: fc.nat(1),
	leavesMs: fc.nat(60),
});

const attempts = fc.array(attempt, { minLength: 1, maxLength: 3 });
const words = fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, REJECTED_WORDS);

const call: fc.Arbitrary<Call> = fc.oneof(
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('single' as const),
			keys: fc.nat(2).map((key) => [key]),
			words,
			attempts,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('bulk' as const),
			// Key 2 also belongs to single sends.
			keys: fc.shuffledSubarray([2, 3, 4], { minLength: 1 }),
			words,
			attempts,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constantFrom('single' as const, 'single' as const, 'bulk' as const),
			keys: fc.constantFrom([5], [5], [6]),
			words,
			attempts,
		}),
	},
);

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('calls' as const),
			calls: fc.array(call, { minLength: 1, maxLength: 3 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant('settle' as const), outcome: fc.constantFrom('arrived', 'send_again') }),
	},
);

const sandboxFault = fc.record({
	endpoint: fc.constantFrom('sms.send', 'sms.send', 'sms.sendBulk'),
	times: fc.integer({ min: 1, max: 3 }),
	kind: fc.constantFrom('drop_before', 'drop_after', 'truncate', 'half_json', 'html', 'answer', 'hang'),
});

const waitMs = fc.nat(300);

const event: fc.Arbitrary<Event> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('fault' as const), waitMs, fault: sandboxFault }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('clock' as const),
			waitMs,
			relay: fc.nat(1),
			ms: fc.integer({ min: -7_200_000, max: 7_200_000 }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), waitMs }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('age' as const), waitMs }) },
);

const kill: fc.Arbitrary<Event> = fc.record({
	kind: fc.constant('kill' as const),
	waitMs,
	relay: fc.nat(1),
	isOrderly: fc.constantFrom(false, false, false, true),
});

/**
 * Makes groups of histories. Each group has one end of a relay among its events.
 * @param count histories in a group
 */
export function groupOf(count: number): fc.Arbitrary<Group> {
	const history = fc.array(step, { minLength: 1, maxLength: 5, size: 'max' });
	const events = fc.tuple(
		fc.array(event, { maxLength: 5, size: 'max' }),
		kill,
		fc.array(event, { maxLength: 2, size: 'max' }),
	);
	return fc.record({
		histories: fc.array(history, { minLength: count, maxLength: count }),
		events: events.map(([before, end, after]) => [...before, end, ...after]),
	});
}
