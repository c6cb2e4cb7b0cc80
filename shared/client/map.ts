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
 * @example client.map(contract.sms.send, inputs, { concurrency: 5, perSecond: 10 });
 */
export interface MapOptions {
	/** Maximum number of calls in flight. Default: 5. */
	readonly concurrency?: number;
	/** Maximum requests per second. Default: no limit. */
	readonly perSecond?: number;
	/** Ends the run: calls that have not left are not attempted. */
	readonly signal?: AbortSignal;
	/** Whether a failed call ends the run. A rejected key, a low balance and a lasting rate limit always do. */
	readonly stopOnFailure?: boolean | ((failed: FailedOutcome) => boolean);
}

/**
 * The result for one input.
 * @example for await (const result of client.map(contract.sms.send, inputs)) console.log(result.index, result.outcome);
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

/** Recipients of calls in flight, each with the end of its call. All runs of one client share it. */
export type InFlight = Map<string, Promise<unknown>>;

/**
 * Makes one call for each input and gives the results in the order of the inputs, as soon as they are there. Inputs are
 * read only as fast as results, so a million of them need no more memory than a few. Two calls to one recipient are never
 * in flight together. After a rejected key, a low balance or a lasting rate limit no further request leaves, and the rest
 * is `not_attempted`. Leaving the loop early ends the run in the same way. If reading an input fails, the results of calls
 * in flight come first, and then the error is thrown.
 * @param recipientsOf recipients of the call of an input
 * @throws any error of the inputs
 * @example for await (const { index, outcome } of mapCalls(make, inputs, recipientsOf, {})) console.log(index, outcome);
 */
export async function* mapCalls<Input, Output>(
	makeCall: MakeCall<Input, Output>,
	inputs: Iterable<Input> | AsyncIterable<Input>,
	recipientsOf: (input: Input) => readonly string[],
	{ concurrency = 5, signal, stopOnFailure = false }: MapOptions,
	inFlight: InFlight = new Map(),
): AsyncGenerator<MapResult<Input, Output>, void, undefined> {
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
	const cancel = () => {
		end('canceled');
		source.stop();
	};
	// More than are in flight, so that a call waiting for its recipient does not hold up the others.
	const source = createSource(inputs, concurrency * 4);
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

	let index = 0;
	try {
		for (;;) {
			for (const input of source.ready(waiting.length)) begin(index++, input);
			startFree();
			const [first] = waiting;
			// A live source may give its next input much later than the first result, or never.
			const coming = source.coming(waiting.length);
			if (first === undefined && coming === undefined) break;
			const next = await (coming ? Promise.race([first, coming].filter((one) => one !== undefined)) : first);
			if (next !== undefined) {
				void waiting.shift();
				yield next;
			}
		}
		source.rethrow();
	} finally {
		signal?.removeEventListener('abort', cancel);
		cancel();
		await Promise.all(waiting);
		source.close();
	}
}

/** A call that has not begun. */
interface Pending {
	/** Earlier calls to its recipients that have not ended. */
	blockers: number;
	readonly start: () => void;
}

/** Inputs, read one after the other and never more than a window ahead. */
interface Source<Input> {
	/** Inputs that are available now. */
	ready(waiting: number): Input[];
	/** Settles when another input is available or the inputs end; undefined if there is nothing to wait for. */
	coming(waiting: number): Promise<undefined> | undefined;
	/** Stops reading an asynchronous source. A synchronous one is still read to its end. */
	stop(): void;
	/** Throws the error of reading an input, if there was one. */
	rethrow(): void;
	close(): void;
}

function createSource<Input>(inputs: Iterable<Input> | AsyncIterable<Input>, window: number): Source<Input> {
	const iterator = Symbol.iterator in inputs ? inputs[Symbol.iterator]() : inputs[Symbol.asyncIterator]();
	const live = !(Symbol.iterator in inputs);
	const arrived: Input[] = [];
	let pulling: { readonly settled: Promise<undefined>; readonly wake: (value: undefined) => void } | undefined;
	let done = false;
	let failure: { readonly error: unknown } | undefined;

	function accept(result: IteratorResult<Input, unknown>): void {
		if (done) return;
		if (result.done) done = true;
		else arrived.push(result.value);
	}
	function fail(error: unknown): void {
		done = true;
		failure ??= { error };
	}
	function settle(): void {
		pulling?.wake(undefined);
		pulling = undefined;
	}
	function pull(): void {
		try {
			const next = iterator.next();
			if (next instanceof Promise) {
				let wake: (value: undefined) => void = () => undefined;
				pulling = { settled: new Promise<undefined>((resolve) => (wake = resolve)), wake };
				void next.then(accept, fail).then(settle, settle);
			} else accept(next);
		} catch (error) {
			fail(error);
		}
	}

	return {
		ready: (waiting) => {
			while (!done && !pulling && waiting + arrived.length < window) pull();
			return arrived.splice(0);
		},
		coming: (waiting) => (waiting < window ? pulling?.settled : undefined),
		stop: () => {
			if (!live) return;
			done = true;
			settle();
		},
		rethrow: () => {
			if (failure) throw failure.error;
		},
		close: () => {
			Promise.resolve(iterator.return?.()).catch(() => undefined);
		},
	};
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
