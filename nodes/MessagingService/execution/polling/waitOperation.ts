import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { createSemaphore, InputError, type Endpoint, type InputOf, type OutputOf } from '../../../../shared';
import type { ItemOperation, RunOperation } from '../operation';
import { numberParameter } from '../../host/parameters';
import { pollUntil } from './pollUntil';
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
