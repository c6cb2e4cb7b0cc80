import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
import { createSlots, InputError, type Endpoint, type InputOf, type OutputOf } from '../../../shared';
import type { ItemOperation, RunOperation } from './operation';
import { numberParameter } from './parameters';
import { pollUntil } from './pollUntil';
import { runItems } from './runItems';
import { abortableSleep } from './transport';

/** Longest time that an item may wait, in seconds. */
export const LONGEST_WAIT_SECONDS = 3600;

/** What an item waits for. */
export interface Waiting<E extends Endpoint> {
	readonly input: InputOf<E>;
	/** Whether to ask once, without waiting. */
	readonly once?: boolean;
	/** Fields of the output beside those of the service. */
	readonly beside?: object;
}

/** An operation that waits for something of the service's. */
export interface WaitOperation<E extends Endpoint> extends Omit<RunOperation, 'run'> {
	/** The call that tells how far it is. */
	readonly endpoint: E;
	readonly isFinal: (output: OutputOf<E>) => boolean;
	/** Gives fields of the output that are made from those of the service. */
	readonly describe?: (output: OutputOf<E>) => object;
	/** Reads the fields of one item. */
	readonly prepare: (context: IExecuteFunctions, itemIndex: number) => Waiting<E> | InputError;
}

/**
 * Makes an operation that asks the service about each item until the answer is final or the item's Time Limit is over.
 * All items wait at the same time; only so many calls as usual are under way together.
 */
export function waitOperation<E extends Endpoint>(operation: WaitOperation<E>): RunOperation {
	const { endpoint, isFinal, describe, prepare, option, labels } = operation;
	const fields = [...operation.fields];
	return {
		option,
		labels,
		fields,
		run: async (run) => {
			const slots = createSlots(run.parallel);
			const items: ItemOperation = {
				option,
				labels,
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

/** The Time Limit field of a waiting operation. */
export function timeLimitField(seconds: number, displayOptions: INodeProperties['displayOptions']): INodeProperties {
	return {
		displayName: 'Time Limit (Seconds)',
		name: 'timeLimit',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: LONGEST_WAIT_SECONDS },
		default: seconds,
		description:
			'How long to wait at most; 0 to ask once. The execution stays busy meanwhile: to wait for more than an hour, use a Wait node and ask again.',
		displayOptions,
	};
}

function timeLimit(context: IExecuteFunctions, itemIndex: number): number | InputError {
	const seconds = numberParameter(context, 'timeLimit', itemIndex);
	if (seconds >= 0 && seconds <= LONGEST_WAIT_SECONDS) return seconds * 1000;
	const message = `is not a number of seconds from 0 to ${LONGEST_WAIT_SECONDS}: to wait longer, use a Wait node and ask again`;
	return new InputError('node', [{ field: 'timeLimit', message }]);
}
