import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract';

const ids = endpoints.map(({ id }) => id);

const common = {
	/** Id of an endpoint in the contract, or `*` for whichever is called next. */
	endpoint: z.string().refine((id) => id === '*' || ids.includes(id), `is neither * nor one of ${ids.join(', ')}`),
	/** How many requests it meets. */
	times: z.int('is not a whole number').min(1, 'is below 1').max(1_000_000, 'is above 1000000').default(1),
};

/** Something to go wrong with the next requests to an endpoint. */
export const faultSchema = z.discriminatedUnion(
	'kind',
	[
		/** Answers as given; nothing is handled. A body of text is sent as it is, any other as JSON. */
		z.strictObject({
			...common,
			kind: z.literal('answer'),
			status: z.int('is not a whole number').min(200, 'is below 200').max(599, 'is above 599').default(500),
			headers: z.record(z.string().regex(/^[\w-]+$/, 'is not a header name'), z.string()).default({}),
			body: z.json().default({ success: false, code: 'server_error', message: 'This failure was asked for.' }),
		}),
		/** Closes the connection; nothing is handled. */
		z.strictObject({ ...common, kind: z.literal('drop_before') }),
		/** Handles the request in full and closes the connection instead of answering. */
		z.strictObject({ ...common, kind: z.literal('drop_after') }),
		/** Handles the request in full, sends half of the answer and closes the connection. */
		z.strictObject({ ...common, kind: z.literal('truncate') }),
		/** Waits, then handles the request. */
		z.strictObject({
			...common,
			kind: z.literal('delay'),
			milliseconds: z.int('is not a whole number').min(0, 'is below 0').max(600_000, 'is above 600000'),
		}),
		/** Never answers; nothing is handled. */
		z.strictObject({ ...common, kind: z.literal('hang') }),
	],
	'is none of answer, drop_before, drop_after, truncate, delay, hang',
);

/** One fault; `times` is how many requests it will still meet. */
export type Fault = z.output<typeof faultSchema>;

/** The faults that wait for requests, in the order they were asked for. */
export interface Faults {
	add(fault: Fault): void;
	list(): readonly Fault[];
	clear(): void;
	/** Takes the first fault that waits for a request to that endpoint; the request uses one of its times. */
	take(endpoint: string): Fault | undefined;
}

/** Makes an empty queue of faults. */
export function createFaults(): Faults {
	let waiting: readonly Fault[] = [];
	return {
		add: (fault) => {
			waiting = [...waiting, fault];
		},
		list: () => waiting,
		clear: () => {
			waiting = [];
		},
		take: (endpoint) => {
			const met = waiting.find((fault) => fault.endpoint === '*' || fault.endpoint === endpoint);
			waiting = waiting
				.map((fault) => (fault === met ? { ...fault, times: fault.times - 1 } : fault))
				.filter(({ times }) => times > 0);
			return met;
		},
	};
}
