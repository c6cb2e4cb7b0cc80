import type { Endpoint, InputOf, OutputOf } from '../contract/endpoint';
import type { CallOptions } from './call';
import { AuthError, InsufficientBalanceError, type ServiceError } from './errors';
import type { Outcome } from './outcome';

/** How many calls are made of many inputs. */
export interface MapOptions {
	/** Calls under way at the same time; 5 unless given. */
	readonly concurrency?: number;
	/** Most requests that leave in a second; no limit unless given. */
	readonly perSecond?: number;
	/** Ends the run: what has not left is not tried. */
	readonly signal?: AbortSignal;
}

/** What became of one input. */
export type MapResult<E extends Endpoint> = {
	/** Place of the input, from 0. */
	readonly index: number;
	readonly input: InputOf<E>;
} & (
	| Outcome<OutputOf<E>>
	/** Nothing left for it, because the run had ended. */
	| { readonly outcome: 'not_tried'; readonly reason: 'cancelled' | ServiceError }
);

/** Makes one call; never throws. */
export type MakeCall<E extends Endpoint> = (input: InputOf<E>, options: CallOptions) => Promise<Outcome<OutputOf<E>>>;

/**
 * Makes one call for each input and gives the results in the order of the inputs, as they come. Inputs are taken only
 * as fast as results are: a million of them need no more memory than a few. Two calls to one recipient are never under
 * way at the same time. After a refused key or an empty wallet no further call is begun; the rest is `not_tried`.
 * Leaving the loop early ends the run in the same way.
 */
export async function* mapCalls<E extends Endpoint>(
	makeCall: MakeCall<E>,
	inputs: Iterable<InputOf<E>> | AsyncIterable<InputOf<E>>,
	{ concurrency = 5, signal }: MapOptions,
): AsyncGenerator<MapResult<E>, void, undefined> {
	const slots = createSlots(concurrency);
	const lastTo = new Map<string, Promise<unknown>>();
	const waiting: Array<Promise<MapResult<E>>> = [];
	let ended: 'cancelled' | ServiceError | undefined;

	async function run(index: number, input: InputOf<E>, before: Promise<unknown>): Promise<MapResult<E>> {
		await before;
		const release = await slots.take();
		try {
			if (signal?.aborted) ended ??= 'cancelled';
			if (ended !== undefined) return { index, input, outcome: 'not_tried', reason: ended };
			const result = await makeCall(input, { signal });
			if (result.outcome === 'rejected' && endsTheRun(result.error)) ended ??= result.error;
			return { index, input, ...result };
		} finally {
			release();
		}
	}

	function begin(index: number, input: InputOf<E>): void {
		const recipients = recipientsOf(input);
		const running = run(index, input, Promise.all(recipients.flatMap((recipient) => lastTo.get(recipient) ?? [])));
		waiting.push(running);
		for (const recipient of recipients) lastTo.set(recipient, running);
		void running.then(() => {
			for (const recipient of recipients) {
				if (lastTo.get(recipient) === running) lastTo.delete(recipient);
			}
		});
	}

	// More than are under way, so that a recipient who is waited for does not hold up the others.
	const window = concurrency * 4;
	let index = 0;
	try {
		for await (const input of inputs) {
			begin(index++, input);
			if (waiting.length >= window) yield await next(waiting);
		}
		while (waiting.length > 0) yield await next(waiting);
	} finally {
		ended ??= 'cancelled';
		await Promise.all(waiting);
	}
}

async function next<T>(waiting: Array<Promise<T>>): Promise<T> {
	const [first] = waiting.splice(0, 1);
	if (!first) throw new RangeError('Nothing is waited for');
	return await first;
}

function endsTheRun(error: ServiceError): boolean {
	return error instanceof AuthError || error instanceof InsufficientBalanceError;
}

function recipientsOf({ to, phone }: Readonly<Record<string, unknown>>): string[] {
	return [to, phone].flat().filter((recipient) => typeof recipient === 'string');
}

/** Lets a number of holders in at a time, in the order in which they came. */
function createSlots(count: number): { take(): Promise<() => void> } {
	const queue: Array<() => void> = [];
	let free = count;
	const release = () => {
		const following = queue.shift();
		if (following) following();
		else free++;
	};
	return {
		take: async () => {
			if (free > 0) free--;
			else await new Promise<void>((resolve) => queue.push(resolve));
			return release;
		},
	};
}
