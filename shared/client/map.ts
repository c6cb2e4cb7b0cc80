import type { CallOptions } from './call';
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
import { createSemaphore } from './semaphore';

/** How many calls are made of many inputs. */
export interface MapOptions {
	/** Calls under way at the same time; 5 unless given. */
	readonly concurrency?: number;
	/** Most requests that leave in a second; no limit unless given. */
	readonly perSecond?: number;
	/** Ends the run: what has not left is not attempted. */
	readonly signal?: AbortSignal;
	/** Whether a call that is not accepted ends the run; a refused key, an empty wallet and a lasting rate limit always do. */
	readonly stopOnFailure?: boolean | ((failed: FailedOutcome) => boolean);
}

/** What became of one input. */
export type MapResult<Input, Output> = {
	/** Place of the input, from 0. */
	readonly index: number;
	readonly input: Input;
} & (
	| Outcome<Output>
	/** Nothing left for it, because the run had ended. */
	| { readonly outcome: 'not_attempted'; readonly reason: 'cancelled' | ServiceError }
);

/** Makes the call of one input; never throws. */
export type MakeCall<Input, Output> = (input: Input, index: number, options: CallOptions) => Promise<Outcome<Output>>;

/** Recipients of calls that are under way, with when each is done; runs of one client share it. */
export type InFlight = Map<string, Promise<unknown>>;

/**
 * Makes one call for each input and gives the results in the order of the inputs, as they come. Inputs are taken only
 * as fast as results are: a million of them need no more memory than a few. Two calls to one recipient are never under
 * way at the same time. After a refused key, an empty wallet or a rate limit that does not end, nothing more leaves; the
 * rest is `not_attempted`. Leaving the loop early ends the run in the same way. Where taking an input fails, what is under
 * way is given first, and then the error thrown.
 * @param recipientsOf whom the call of an input goes to
 * @throws whatever the inputs throw
 */
export async function* mapCalls<Input, Output>(
	makeCall: MakeCall<Input, Output>,
	inputs: Iterable<Input> | AsyncIterable<Input>,
	recipientsOf: (input: Input) => readonly string[],
	{ concurrency = 5, signal, stopOnFailure = false }: MapOptions,
	underWay: InFlight = new Map(),
): AsyncGenerator<MapResult<Input, Output>, void, undefined> {
	const slots = createSemaphore(concurrency);
	const waiting: Array<Promise<MapResult<Input, Output>>> = [];
	const ending = new AbortController();
	let ended: 'cancelled' | ServiceError | undefined;

	function end(reason: 'cancelled' | ServiceError): void {
		ended ??= reason;
		ending.abort();
	}
	const over = () => ended;
	const stops = typeof stopOnFailure === 'function' ? stopOnFailure : () => stopOnFailure;
	const cancel = () => {
		end('cancelled');
		source.stop();
	};
	// More than are under way, so that a recipient who is waited for does not hold up the others.
	const source = createSource(inputs, concurrency * 4);
	if (signal?.aborted) cancel();
	signal?.addEventListener('abort', cancel);

	async function run(index: number, input: Input, others: Promise<unknown>): Promise<MapResult<Input, Output>> {
		await others;
		const release = await slots.take();
		try {
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
		} finally {
			release();
		}
	}

	function begin(index: number, input: Input): void {
		const recipients = recipientsOf(input);
		const before = recipients.flatMap((recipient) => underWay.get(recipient) ?? []);
		const running = run(index, input, Promise.all(before));
		waiting.push(running);
		for (const recipient of recipients) underWay.set(recipient, running);
		const forget = () => {
			for (const recipient of recipients) {
				if (underWay.get(recipient) === running) underWay.delete(recipient);
			}
		};
		void running.then(forget, forget);
	}

	let index = 0;
	try {
		for (;;) {
			for (const input of source.ready(waiting.length)) begin(index++, input);
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

/** Inputs, taken one after the other and never more than a window ahead. */
interface Source<Input> {
	/** Inputs that are there now. */
	ready(taken: number): Input[];
	/** Settles when another input is there or will never be; undefined where none is to be waited for. */
	coming(taken: number): Promise<undefined> | undefined;
	/** Takes no more of a source that is waited for; one that is there at once is still gone through. */
	stop(): void;
	/** Throws what taking an input threw. */
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

	function take(result: IteratorResult<Input, unknown>): void {
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
				void next.then(take, fail).then(settle, settle);
			} else take(next);
		} catch (error) {
			fail(error);
		}
	}

	return {
		ready: (taken) => {
			while (!done && !pulling && taken + arrived.length < window) pull();
			return arrived.splice(0);
		},
		coming: (taken) => (taken < window ? pulling?.settled : undefined),
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

// A call that throws is a mistake of ours, not of the service; what it did is not known.
function thrown<Output>(error: unknown): Outcome<Output> {
	const message = error instanceof Error ? error.message : String(error);
	const details = { endpoint: 'map', sent: 'unknown', hint: UNKNOWN_HINT } as const;
	return { outcome: 'unknown', error: new UnknownOutcomeError(message, details) };
}

/** Whom a call of the contract goes to: the numbers or addresses under `to` and `phone`. */
export function recipientsOf({ to, phone }: Readonly<Record<string, unknown>>): string[] {
	const recipients = [to, phone].flat().filter((recipient) => typeof recipient === 'string');
	return recipients.map((recipient) => recipient.trim().toLowerCase());
}

function endsTheRun(error: ServiceError): boolean {
	return [AuthError, InsufficientBalanceError, RateLimitError].some((reason) => error instanceof reason);
}
