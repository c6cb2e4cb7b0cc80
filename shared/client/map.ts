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
	/** Whether any call that is not accepted ends the run; only a refused key and an empty wallet do unless given. */
	readonly stopOnFailure?: boolean;
}

/** What became of one input. */
export type MapResult<Input, Output> = {
	/** Place of the input, from 0. */
	readonly index: number;
	readonly input: Input;
} & (
	| Outcome<Output>
	/** Nothing left for it, because the run had ended. */
	| { readonly outcome: 'not_tried'; readonly reason: 'cancelled' | ServiceError }
);

/** Makes the call of one input; never throws. */
export type MakeCall<Input, Output> = (input: Input, index: number, options: CallOptions) => Promise<Outcome<Output>>;

/**
 * Makes one call for each input and gives the results in the order of the inputs, as they come. Inputs are taken only
 * as fast as results are: a million of them need no more memory than a few. Two calls to one recipient are never under
 * way at the same time. After a refused key or an empty wallet no further call is begun; the rest is `not_tried`.
 * Leaving the loop early ends the run in the same way.
 * @param recipientsOf whom the call of an input goes to
 */
export async function* mapCalls<Input, Output>(
	makeCall: MakeCall<Input, Output>,
	inputs: Iterable<Input> | AsyncIterable<Input>,
	recipientsOf: (input: Input) => readonly string[],
	{ concurrency = 5, signal, stopOnFailure = false }: MapOptions,
): AsyncGenerator<MapResult<Input, Output>, void, undefined> {
	const slots = createSlots(concurrency);
	const lastTo = new Map<string, Promise<unknown>>();
	const waiting: Array<Promise<MapResult<Input, Output>>> = [];
	let ended: 'cancelled' | ServiceError | undefined;

	async function run(index: number, input: Input, before: Promise<unknown>): Promise<MapResult<Input, Output>> {
		await before;
		const release = await slots.take();
		try {
			if (signal?.aborted) ended ??= 'cancelled';
			if (ended !== undefined) return { index, input, outcome: 'not_tried', reason: ended };
			const result = await makeCall(input, index, { signal });
			if (result.outcome !== 'accepted' && (stopOnFailure || endsTheRun(result.error))) ended ??= result.error;
			return { index, input, ...result };
		} finally {
			release();
		}
	}

	function begin(index: number, input: Input): void {
		const recipients = recipientsOf(input);
		const running = run(index, input, Promise.all(recipients.flatMap((recipient) => lastTo.get(recipient) ?? [])));
		waiting.push(running);
		for (const recipient of recipients) lastTo.set(recipient, running);
		void running
			.catch(() => undefined)
			.then(() => {
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

/** Whom a call of the contract goes to: the numbers or addresses under `to` and `phone`. */
export function recipientsOf({ to, phone }: Readonly<Record<string, unknown>>): string[] {
	return [to, phone].flat().filter((recipient) => typeof recipient === 'string');
}

async function next<T>(waiting: Array<Promise<T>>): Promise<T> {
	const [first] = waiting.splice(0, 1);
	if (!first) throw new RangeError('Nothing is waited for');
	return await first;
}

function endsTheRun(error: ServiceError): boolean {
	return error instanceof AuthError || error instanceof InsufficientBalanceError;
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
