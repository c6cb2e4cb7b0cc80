import { z } from 'zod/v4';
import { endpoints } from '../../shared/contract/index';

const ids = endpoints.map(({ id }) => id);

/** The service's own webhooks, by event. */
export const webhookIds = ['sms.inbound', 'whatsapp.inbound'] as const;

/** One of {@link webhookIds}. */
export type WebhookId = (typeof webhookIds)[number];

/** Events that the sandbox delivers: messages from phones, receipts and alerts. */
const postIds = [...webhookIds, 'message.status', 'wallet.low_balance'] as const;

/** One of the events that the sandbox delivers. */
export type PostId = (typeof postIds)[number];

/** Number of requests that a fault affects. */
const times = z.int('is not a whole number').min(1, 'is below 1').max(1_000_000, 'is above 1000000').default(1);

const milliseconds = z.int('is not a whole number').min(0, 'is below 0').max(600_000, 'is above 600000');
const status = z.int('is not a whole number').min(200, 'is below 200').max(599, 'is above 599');

function target(names: readonly string[]) {
	return z.string().refine((id) => id === '*' || names.includes(id), `is neither * nor one of ${names.join(', ')}`);
}

/** ID of an endpoint in the contract, `*` for the next call to any endpoint, or the event of one of the webhooks. */
const request = { endpoint: target([...ids, ...webhookIds]), times };

/** Faults of the next responses of an endpoint or a webhook. */
const responseFaults = [
	/** Returns this response. The request has no effect. A string body is sent unchanged, any other as JSON. */
	z.strictObject({
		...request,
		kind: z.literal('answer'),
		status: status.default(500),
		headers: z.record(z.string().regex(/^[\w-]+$/, 'is not a header name'), z.string()).default({}),
		body: z
			.json()
			.default({ success: false, code: 'server_error', message: 'A fault in the sandbox caused this error.' }),
	}),
	/** Returns a web page. The request has no effect. */
	z.strictObject({ ...request, kind: z.literal('html'), status: status.default(502) }),
	/** Closes the connection. The request has no effect. */
	z.strictObject({ ...request, kind: z.literal('drop_before') }),
	/** Handles the request in full, then closes the connection without a response. */
	z.strictObject({ ...request, kind: z.literal('drop_after') }),
	/** Handles the request in full, sends half of the response and closes the connection. */
	z.strictObject({ ...request, kind: z.literal('truncate') }),
	/** Handles the request in full and sends half of the response as if it were complete. */
	z.strictObject({ ...request, kind: z.literal('half_json') }),
	/** Waits, then handles the request. */
	z.strictObject({ ...request, kind: z.literal('delay'), milliseconds }),
	/** Never responds. The request has no effect. */
	z.strictObject({ ...request, kind: z.literal('hang') }),
] as const;

/** Event that the sandbox delivers, or `*` for the next one. */
const event = { endpoint: target(postIds), times };

/** Faults of the next webhooks: a message from a phone, a receipt or an alert. */
const postFaults = [
	/** Delivers it several times. */
	z.strictObject({
		...event,
		kind: z.literal('post_copies'),
		copies: z.int('is not a whole number').min(2, 'is below 2').max(10, 'is above 10').default(2),
	}),
	/** Delivers it later. Receipts and alerts wait by the sandbox's clock, a phone's messages by the machine's. */
	z.strictObject({ ...event, kind: z.literal('post_late'), milliseconds }),
	/** Delivers it after the next one. It waits five seconds at most. */
	z.strictObject({ ...event, kind: z.literal('post_reordered') }),
	/** Delivers it as a form. */
	z.strictObject({ ...event, kind: z.literal('post_form') }),
] as const;

const kinds = [...responseFaults, ...postFaults].map(({ shape }) => shape.kind.value);

/** Fault of the next requests to an endpoint, or of the next webhooks of an event. */
export const faultSchema = z.discriminatedUnion(
	'kind',
	[...responseFaults, ...postFaults],
	`is not one of ${kinds.join(', ')}`,
);

/** One fault. `times` is how many more requests it affects. */
export type Fault = z.output<typeof faultSchema>;

/** A pending fault with its ID. */
export type WaitingFault = Fault & { readonly id: number };

/** Fault of a response. */
export type ResponseFault = z.output<(typeof responseFaults)[number]>;

/** Fault of a webhook that the sandbox sends. */
export type PostFault = z.output<(typeof postFaults)[number]>;

/** Pending faults, oldest first. */
export interface Faults {
	add(fault: Fault): WaitingFault;
	list(): readonly WaitingFault[];
	/** Removes a fault. @returns whether it was still pending */
	remove(id: number): boolean;
	clear(): void;
	/** Returns the first pending fault of that endpoint or webhook, and uses it once. */
	take(endpoint: string): ResponseFault | undefined;
	/** Returns the first pending fault of that event, and uses it once. */
	takePost(event: PostId): PostFault | undefined;
}

/** Creates an empty queue of faults. */
export function createFaults(): Faults {
	let waiting: readonly WaitingFault[] = [];
	let lastId = 0;

	function use<Used extends WaitingFault>(used: Used | undefined): Used | undefined {
		if (used) {
			waiting = waiting
				.map((fault) => (fault === used ? { ...fault, times: fault.times - 1 } : fault))
				.filter(({ times: left }) => left > 0);
		}
		return used;
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
					.filter(isResponseFault)
					.find(({ endpoint: at }) => at === endpoint || (at === '*' && ids.includes(endpoint))),
			),
		takePost: (event) => use(waiting.filter(isPostFault).find(({ endpoint: at }) => at === event || at === '*')),
	};
}

function isPostFault(fault: WaitingFault): fault is PostFault & WaitingFault {
	return fault.kind.startsWith('post_');
}

function isResponseFault(fault: WaitingFault): fault is ResponseFault & WaitingFault {
	return !isPostFault(fault);
}
