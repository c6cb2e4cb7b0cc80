import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import {
	createSemaphore,
	InputError,
	type Endpoint,
	type InputOf,
	type OutputOf,
	CanceledError,
	ConnectionError,
	RateLimitError,
	type Outcome,
	type ServiceError,
} from '../../../../shared';
import type { ItemOperation, RunOperation } from '../operation';
import { numberParameter } from '../../host/parameters';
import { runItems } from '../runItems';
import { abortableSleep } from '../../host/transport';

/** Longest Time Limit, in seconds. */
export const LONGEST_WAIT_SECONDS = 3600;

/** How one item polls. */
export interface Waiting<E extends Endpoint> {
	readonly input: InputOf<E>;
	/** Whether to make one request, without waiting. */
	readonly once?: boolean;
	/** Fields of the output in addition to the service's. */
	readonly beside?: object;
}

/** An operation that polls the service. */
export interface WaitOperation<E extends Endpoint> extends Omit<RunOperation, 'run'> {
	/** The endpoint to poll. */
	readonly endpoint: E;
	readonly isFinal: (output: OutputOf<E>) => boolean;
	/** Returns further fields of the output, derived from the service's fields. */
	readonly describe?: (output: OutputOf<E>) => object;
	/** Reads the fields of one item. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number) => Waiting<E> | InputError;
}

/**
 * Makes an operation that polls the service for each item until the output is final or the item's Time Limit is up. All
 * items wait in parallel, within the usual limit of calls in flight.
 */
export function waitOperation<E extends Endpoint>(operation: WaitOperation<E>): RunOperation {
	const { endpoint, isFinal, describe, prepare, option, fields } = operation;
	return {
		option,
		fields,
		run: async (run) => {
			const slots = createSemaphore(run.parallel);
			const items: ItemOperation = {
				option,
				fields,
				prepare: (context, itemIndex) => {
					const limitMs = timeLimit(context, itemIndex);
					if (limitMs instanceof InputError) return limitMs;
					const waiting = prepare(context, itemIndex);
					if (waiting instanceof InputError) return waiting;
					return {
						kind: 'task',
						run: async (client, options) => {
							const polled = await pollUntil({
								ask: async () => {
									const release = await slots.take();
									return await client.call(endpoint, waiting.input, options).finally(release);
								},
								isFinal,
								describe,
								limitMs: waiting.once ? 0 : limitMs,
								sleep: async (milliseconds) => await abortableSleep(milliseconds, options.waitSignal),
								now: Date.now,
							});
							if (polled.outcome !== 'accepted') return polled;
							return { outcome: 'accepted', output: { ...polled.output, ...waiting.beside } };
						},
					};
				},
			};
			return await runItems({ ...run, parallel: Math.max(1, run.context.getInputData().length) }, items);
		},
	};
}

/**
 * Makes the Time Limit field.
 * @param seconds the default
 */
export function timeLimitField(seconds: number, displayOptions: INodeProperties['displayOptions']): INodeProperties {
	return {
		displayName: 'Time Limit (Seconds)',
		name: 'timeLimit',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: LONGEST_WAIT_SECONDS },
		default: seconds,
		description: 'How long to wait, up to 3,600 seconds. 0 to ask once. The execution keeps running while it waits.',
		displayOptions,
	};
}

function timeLimit(context: IExecuteFunctions, itemIndex: number): number | InputError {
	const seconds = numberParameter(context, 'timeLimit', itemIndex);
	if (seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS) return seconds * 1000;
	const message = `is not a number of seconds from 0 to ${LONGEST_WAIT_SECONDS}. To wait longer, add a Wait node and run this again`;
	return new InputError('node', [{ field: 'timeLimit', message }]);
}

/** How and for how long to poll. Times are in milliseconds. */
interface Polling<Output> {
	/** Makes one request. Returns a `CanceledError` after the run has ended. */
	readonly ask: () => Promise<Outcome<Output>>;
	/** Whether this output ends the polling. */
	readonly isFinal: (output: Output) => boolean;
	/** Returns further fields of the result, derived from the service's fields. */
	readonly describe?: (output: Output) => object;
	/** The time limit. With 0 there is one request. */
	readonly limitMs: number;
	/** Waits. Rejects as soon as the run ends. */
	readonly sleep: (milliseconds: number) => Promise<void>;
	/** The current time, on the clock that `sleep` uses. */
	readonly now: () => number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Polls until the output is final or the time is up, with pauses that double up to 30 seconds. It also waits for a
 * service that cannot be reached for a while or asks to slow down.
 * @returns the last output with `timed_out`; a failure if there was no output, or if another request would not help
 */
export async function pollUntil<Output>(polling: Polling<Output>): Promise<Outcome<{ readonly timed_out: boolean }>> {
	const { ask, isFinal, describe, sleep, now, limitMs } = polling;
	const end = now() + limitMs;
	let last: Outcome<{ readonly timed_out: boolean }> | undefined;
	for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 2)) {
		const requested = await ask();
		if (requested.outcome === 'accepted') {
			const timed_out = !isFinal(requested.output);
			last = {
				outcome: 'accepted',
				output: { ...(Object(requested.output) as object), ...describe?.(requested.output), timed_out },
			};
			if (!timed_out) return last;
		} else {
			if (!passes(requested.error)) return requested;
			last ??= requested;
		}
		const left = end - now();
		if (left <= 0) return last;
		const wanted = requested.outcome === 'accepted' ? pause : Math.max(pause, requested.error.retryAfterMs ?? 0);
		// If the run has ended, the next request returns that.
		await sleep(Math.min(wanted, left)).catch(() => undefined);
	}
}

/** Whether a later request may succeed. */
function passes(error: ServiceError): boolean {
	if (error instanceof CanceledError) return false;
	return error instanceof ConnectionError || error instanceof RateLimitError || (error.status ?? 0) >= 500;
}
