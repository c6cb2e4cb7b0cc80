import type { CallOptions } from './connection';
import {
	AuthError,
	CanceledError,
	InsufficientBalanceError,
	RateLimitError,
	UnknownOutcomeError,
	type ServiceError,
} from './errors';
import { UNKNOWN_HINT } from './hint';
import type { FailedOutcome, Outcome } from './outcome';

/**
 * How the calls for many inputs are made.
 * @example mapCalls(make, inputs, recipientsOf, { concurrency: 5, stopOnFailure: true });
 */
export interface MapOptions {
	/** Maximum number of calls in flight. @default 5 */
	readonly concurrency?: number;
	/** Ends the run: calls that have not left are not attempted. */
	readonly signal?: AbortSignal;
	/** Whether a failed call ends the run. A rejected key, a low balance and a lasting rate limit always do. */
	readonly stopOnFailure?: boolean | ((failed: FailedOutcome) => boolean);
}

/**
 * The result for one input.
 * @example for await (const result of mapCalls(make, inputs, recipientsOf, {})) console.log(result.index, result.outcome);
 */
export type MapResult<Input, Output> = {
	/** Position of the input, from 0. */
	readonly index: number;
	readonly input: Input;
} & (
	| Outcome<Output>
	/** No request left for it, because the run had ended. */
	| { readonly outcome: 'not_attempted'; readonly reason: 'canceled' | ServiceError }
);

/**
 * Makes the call of one input; never throws.
 * @example const make: MakeCall<Input, Output> = (input, index, options) => client.call(contract.sms.send, input, options);
 */
export type MakeCall<Input, Output> = (input: Input, index: number, options: CallOptions) => Promise<Outcome<Output>>;

/** A call that has not begun. */
interface Pending {
	/** Earlier calls to its recipients that have not ended. */
	blockers: number;
	readonly start: () => void;
}

/**
 * Makes one call for each input and gives the results in the order of the inputs, as soon as they are there. Two calls to
 * one recipient are never in flight together. After a rejected key, a low balance or a lasting rate limit no further
 * request leaves, and the rest is `not_attempted`. Leaving the loop early ends the run in the same way.
 * @param recipientsOf recipients of the call of an input
 * @example for await (const { index, outcome } of mapCalls(make, inputs, recipientsOf, {})) console.log(index, outcome);
 */
export async function* mapCalls<Input, Output>(
	makeCall: MakeCall<Input, Output>,
	inputs: Iterable<Input>,
	recipientsOf: (input: Input) => readonly string[],
	{ concurrency = 5, signal, stopOnFailure = false }: MapOptions,
): AsyncGenerator<MapResult<Input, Output>, void, undefined> {
	/** Recipients of calls that have begun or wait, each with the end of its last call. */
	const inFlight = new Map<string, Promise<unknown>>();
	/** Calls that have not begun, in the order of the inputs. */
	const pending: Pending[] = [];
	let begun = 0;
	const waiting: Array<Promise<MapResult<Input, Output>>> = [];
	const ending = new AbortController();
	let ended: 'canceled' | ServiceError | undefined;

	function end(reason: 'canceled' | ServiceError): void {
		ended ??= reason;
		ending.abort();
	}
	const over = () => ended;
	const stops = typeof stopOnFailure === 'function' ? stopOnFailure : () => stopOnFailure;
	const cancel = () => end('canceled');
	// Read as needed, so that a million inputs need no more memory than a few.
	const iterator = inputs[Symbol.iterator]();
	if (signal?.aborted) cancel();
	signal?.addEventListener('abort', cancel);

	async function run(index: number, input: Input, started: Promise<void>): Promise<MapResult<Input, Output>> {
		await started;
		const before = over();
		if (before !== undefined) return { index, input, outcome: 'not_attempted', reason: before };
		const result = await makeCall(input, index, { signal, waitSignal: ending.signal }).catch(thrown<Output>);
		if (result.outcome === 'accepted') return { index, input, ...result };
		const { error } = result;
		const reason = over();
		if (reason !== undefined && error instanceof CanceledError)
			return { index, input, outcome: 'not_attempted', reason };
		if (stops(result) || endsTheRun(error)) end(error);
		return { index, input, ...result };
	}

	/** Starts calls whose recipients are free. The earliest input goes first, so that calls keep their order. */
	function startFree(): void {
		for (const one of [...pending]) {
			if (begun >= concurrency) return;
			if (one.blockers > 0) continue;
			pending.splice(pending.indexOf(one), 1);
			begun++;
			one.start();
		}
	}

	function begin(index: number, input: Input): void {
		const recipients = recipientsOf(input);
		const before = new Set(recipients.flatMap((recipient) => inFlight.get(recipient) ?? []));
		let start: Pending['start'] = () => undefined;
		const started = new Promise<void>((resolve) => (start = resolve));
		const running = run(index, input, started);
		waiting.push(running);
		for (const recipient of recipients) inFlight.set(recipient, running);
		const finish = () => {
			for (const recipient of recipients) {
				if (inFlight.get(recipient) === running) inFlight.delete(recipient);
			}
			// Only after the next call to its recipient is unblocked. Otherwise a later input would overtake that one.
			queueMicrotask(() => {
				begun--;
				startFree();
			});
		};
		void running.then(finish, finish);
		const mine: Pending = { blockers: before.size, start };
		pending.push(mine);
		const unblock = () => {
			mine.blockers--;
			startFree();
		};
		for (const other of before) void other.then(unblock, unblock);
	}

	try {
		for (let index = 0; ;) {
			// More than are in flight, so that a call waiting for its recipient does not hold up the others.
			while (waiting.length < concurrency * 4) {
				const next = iterator.next();
				if (next.done) break;
				begin(index++, next.value);
			}
			startFree();
			const first = waiting.shift();
			if (first === undefined) break;
			yield await first;
		}
	} finally {
		signal?.removeEventListener('abort', cancel);
		cancel();
		await Promise.all(waiting);
	}
}

// A call that throws is a bug here, not in the service; its outcome is unknown.
function thrown<Output>(error: unknown): Outcome<Output> {
	const message = error instanceof Error ? error.message : String(error);
	const details = { endpoint: 'map', sent: 'unknown', hint: UNKNOWN_HINT } as const;
	return { outcome: 'unknown', error: new UnknownOutcomeError(message, details) };
}

/**
 * The recipients of a call of the contract: the numbers or addresses under `to` and `phone`, in lower case.
 * @example recipientsOf({ to: ['+233201234567', 'Ama@example.com'] }) // ['+233201234567', 'ama@example.com']
 */
export function recipientsOf({ to, phone }: Readonly<Record<string, unknown>>): string[] {
	const recipients = [to, phone].flat().filter((recipient) => typeof recipient === 'string');
	return recipients.map((recipient) => recipient.trim().toLowerCase());
}

function endsTheRun(error: ServiceError): boolean {
	return [AuthError, InsufficientBalanceError, RateLimitError].some((reason) => error instanceof reason);
}
