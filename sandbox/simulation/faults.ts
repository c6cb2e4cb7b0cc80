import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract/index';

const ids = endpoints.map(({ id }) => id);

/** The service's own webhooks, by the event that comes in there. */
export const webhookIds = ['sms.inbound', 'whatsapp.inbound'] as const;

/** One of {@link webhookIds}. */
export type WebhookId = (typeof webhookIds)[number];

/** What the sandbox posts by itself, by event: texts from phones, receipts and alerts. */
const postIds = [...webhookIds, 'message.status', 'wallet.low_balance'] as const;

/** One of the events that the sandbox posts. */
export type PostId = (typeof postIds)[number];

/** How many requests it meets. */
const times = z.int('is not a whole number').min(1, 'is below 1').max(1_000_000, 'is above 1000000').default(1);

const milliseconds = z.int('is not a whole number').min(0, 'is below 0').max(600_000, 'is above 600000');
const status = z.int('is not a whole number').min(200, 'is below 200').max(599, 'is above 599');

function target(names: readonly string[]) {
	return z.string().refine((id) => id === '*' || names.includes(id), `is neither * nor one of ${names.join(', ')}`);
}

/** Id of an endpoint in the contract, `*` for whichever is called next, or the event of one of the webhooks. */
const answered = { endpoint: target([...ids, ...webhookIds]), times };

/** Something to go wrong with the next answers of an endpoint or a webhook. */
const answerFaults = [
	/** Answers as given; nothing is handled. A body of text is sent as it is, any other as JSON. */
	z.strictObject({
		...answered,
		kind: z.literal('answer'),
		status: status.default(500),
		headers: z.record(z.string().regex(/^[\w-]+$/, 'is not a header name'), z.string()).default({}),
		body: z.json().default({ success: false, code: 'server_error', message: 'This failure was asked for.' }),
	}),
	/** Answers with a web page; nothing is handled. */
	z.strictObject({ ...answered, kind: z.literal('html'), status: status.default(502) }),
	/** Closes the connection; nothing is handled. */
	z.strictObject({ ...answered, kind: z.literal('drop_before') }),
	/** Handles the request in full and closes the connection instead of answering. */
	z.strictObject({ ...answered, kind: z.literal('drop_after') }),
	/** Handles the request in full, sends half of the answer and closes the connection. */
	z.strictObject({ ...answered, kind: z.literal('truncate') }),
	/** Handles the request in full and sends half of the answer as if that were all. */
	z.strictObject({ ...answered, kind: z.literal('half_json') }),
	/** Waits, then handles the request. */
	z.strictObject({ ...answered, kind: z.literal('delay'), milliseconds }),
	/** Never answers; nothing is handled. */
	z.strictObject({ ...answered, kind: z.literal('hang') }),
] as const;

/** An event that the sandbox posts, or `*` for whichever is posted next. */
const posted = { endpoint: target(postIds), times };

/** Something to go wrong with what the sandbox posts next: a text from a phone, a receipt, an alert. */
const postFaults = [
	/** Is posted several times. */
	z.strictObject({
		...posted,
		kind: z.literal('post_copies'),
		copies: z.int('is not a whole number').min(2, 'is below 2').max(10, 'is above 10').default(2),
	}),
	/** Is posted later: a callback by the sandbox's clock, a text by the machine's. */
	z.strictObject({ ...posted, kind: z.literal('post_late'), milliseconds }),
	/** Is overtaken by the next one, or waits five seconds for it. */
	z.strictObject({ ...posted, kind: z.literal('post_reordered') }),
	/** Is posted as a form. */
	z.strictObject({ ...posted, kind: z.literal('post_form') }),
] as const;

const kinds = [...answerFaults, ...postFaults].map(({ shape }) => shape.kind.value);

/** Something to go wrong with the next requests to an endpoint, or the next posts of an event. */
export const faultSchema = z.discriminatedUnion(
	'kind',
	[...answerFaults, ...postFaults],
	`is none of ${kinds.join(', ')}`,
);

/** One fault; `times` is how many requests it will still meet. */
export type Fault = z.output<typeof faultSchema>;

/** A fault that waits; `id` is its own among all that have been asked for. */
export type WaitingFault = Fault & { readonly id: number };

/** A fault of an answer. */
export type ResponseFault = z.output<(typeof answerFaults)[number]>;

/** A fault of a post. */
export type PostFault = z.output<(typeof postFaults)[number]>;

/** The faults that wait for requests, in the order they were asked for. */
export interface Faults {
	add(fault: Fault): WaitingFault;
	list(): readonly WaitingFault[];
	/** Takes one back. @returns whether it was still waiting */
	remove(id: number): boolean;
	clear(): void;
	/** Takes the first fault that waits for a request to that endpoint or webhook; it uses one of its times. */
	take(endpoint: string): ResponseFault | undefined;
	/** Takes the first fault that waits for a post of that event; the post uses one of its times. */
	takePost(event: PostId): PostFault | undefined;
}

/** Makes an empty queue of faults. */
export function createFaults(): Faults {
	let waiting: readonly WaitingFault[] = [];
	let lastId = 0;

	function use<Met extends WaitingFault>(met: Met | undefined): Met | undefined {
		if (met) {
			waiting = waiting
				.map((fault) => (fault === met ? { ...fault, times: fault.times - 1 } : fault))
				.filter(({ times: left }) => left > 0);
		}
		return met;
	}

	return {
		add: (fault) => {
			lastId += 1;
			const added = { ...fault, id: lastId };
			waiting = [...waiting, added];
			return added;
		},
		list: () => waiting,
		remove: (id) => {
			const before = waiting.length;
			waiting = waiting.filter((fault) => fault.id !== id);
			return waiting.length < before;
		},
		clear: () => {
			waiting = [];
		},
		take: (endpoint) =>
			use(
				waiting
					.filter(isOfAnswers)
					.find(({ endpoint: at }) => at === endpoint || (at === '*' && ids.includes(endpoint))),
			),
		takePost: (event) => use(waiting.filter(isOfPosts).find(({ endpoint: at }) => at === event || at === '*')),
	};
}

function isOfPosts(fault: WaitingFault): fault is PostFault & WaitingFault {
	return fault.kind.startsWith('post_');
}

function isOfAnswers(fault: WaitingFault): fault is ResponseFault & WaitingFault {
	return !isOfPosts(fault);
}
