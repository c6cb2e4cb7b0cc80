import { randomUUID } from 'node:crypto';
import { z } from 'zod/v4';
import { subscriptionSchema, type Subscription } from '../../../relay/subscriptions/schema';
import type { N8nApi } from '../e2e/n8nApi';
import { eventually } from '../eventually';
import type { Relay } from './relay';
import { receipt } from './requests';

/** The name of the trigger in these workflows. */
export const TRIGGER = 'Trigger';

/** n8n and the relay may share two busy cores with others. */
export const PATIENCE_MS = 200_000;

/** An execution with the events that started it. */
export interface EventExecution {
	readonly id: string;
	readonly status: string;
	readonly mode: string;
	/** IDs of the relay's events. */
	readonly events: readonly string[];
	/** Names of the nodes that ran. */
	readonly ranNodes: readonly string[];
	/** Items of the trigger, from all outputs. */
	readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** A workflow whose trigger receives through the relay. */
export interface RelayWorkflow {
	readonly id: string;
	/** The workflow as n8n's API accepts it, to update or copy it. */
	readonly content: { readonly name: string } & Readonly<Record<string, unknown>>;
	readonly activate: () => Promise<void>;
	readonly deactivate: () => Promise<void>;
	/**
	 * Saves the workflow with other parameters of its trigger, or with other nodes after it. If the workflow is active, n8n
	 * publishes it. n8n does not publish a change of the name alone.
	 */
	readonly publish: (change: { readonly parameters?: object; readonly outputs?: readonly string[] }) => Promise<void>;
	/** All executions with their data, oldest first. */
	readonly executions: () => Promise<EventExecution[]>;
	/** The last ten executions, which n8n reads fast even under load. */
	readonly latest: () => Promise<EventExecution[]>;
	/** Its subscription at the relay; undefined if there is none. */
	readonly subscription: (relay: Relay, options?: { readonly test: boolean }) => Promise<Subscription | undefined>;
	/**
	 * Waits until the relay has delivered everything and n8n has ended all executions.
	 * @returns the executions that are no tests
	 */
	readonly settled: (relay: Relay) => Promise<EventExecution[]>;
}

const rows = z.array(z.object({ json: z.record(z.string(), z.unknown()) }));
const page = z.object({
	data: z.array(
		z.object({
			id: z.coerce.string(),
			status: z.string(),
			mode: z.string(),
			data: z
				.object({
					resultData: z.object({
						runData: z
							.record(
								z.string(),
								z.array(z.object({ data: z.object({ main: z.array(rows.nullable()).optional() }).optional() })),
							)
							.default({}),
					}),
				})
				.nullish(),
		}),
	),
	nextCursor: z.string().nullish(),
});

/** The parameters of a trigger for all events. */
export const ALL_EVENTS = {
	receiveThrough: 'relay',
	triggerOn: ['inboundSms', 'inboundWhatsapp', 'deliveryReceipt', 'lowBalance'],
};

/**
 * Creates a workflow that begins with our trigger, without activating it.
 * @param credential the ID of the relay's credential
 * @param parameters of the trigger. Default: all events
 * @param outputs names of the nodes that follow, one for each output
 */
export async function createRelayWorkflow(
	n8n: N8nApi,
	credential: string,
	parameters: object = ALL_EVENTS,
	outputs: readonly string[] = ['Done'],
): Promise<RelayWorkflow> {
	const trigger = {
		...place(TRIGGER, 0),
		webhookId: randomUUID(),
		type: 'n8n-nodes-messaging-service.messagingServiceTrigger',
		typeVersion: 1,
		parameters,
		credentials: { messagingServiceRelayApi: { id: credential, name: 'Relay' } },
	};
	return await openRelayWorkflow(n8n, {
		name: `Relay ${trigger.webhookId}`,
		settings: { executionOrder: 'v1' },
		...triggerWith(trigger, outputs),
	});
}

function place(name: string, index: number) {
	return { id: randomUUID(), name, position: [index * 200, 0] };
}

/** The nodes and connections of a workflow with a node at each output of its trigger. */
function triggerWith(trigger: object, outputs: readonly string[]) {
	const others = outputs.map((name, index) => ({
		...place(name, index + 1),
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		parameters: {},
	}));
	return {
		nodes: [trigger, ...others],
		connections: { [TRIGGER]: { main: outputs.map((node) => [{ node, type: 'main', index: 0 }]) } },
	};
}

/** Creates a workflow with this content, such as the content of another one. */
export async function openRelayWorkflow(n8n: N8nApi, content: RelayWorkflow['content']): Promise<RelayWorkflow> {
	const { id } = await n8n.call<{ id: string }>('POST', '/workflows', content);
	let saved = content;

	async function readPage(limit: number, cursor: string | undefined) {
		const query = `workflowId=${id}&includeData=true&limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
		const { data, nextCursor } = page.parse(await n8n.call('GET', `/executions?${query}`));
		const found = data.map(({ data: run, ...execution }) => {
			const runData = run?.resultData.runData ?? {};
			const outputs = runData[TRIGGER]?.at(-1)?.data?.main ?? [];
			const items = outputs.flatMap((output) => output ?? []).map(({ json }) => json);
			const events = items.map(({ event_id: event }) => String(event));
			return { ...execution, items, events, ranNodes: Object.keys(runData) };
		});
		return { executions: found.reverse(), nextCursor };
	}

	async function read(cursor?: string): Promise<EventExecution[]> {
		const { executions, nextCursor } = await readPage(250, cursor);
		return [...(nextCursor ? await read(nextCursor) : []), ...executions];
	}

	async function subscription(relay: Relay, { test } = { test: false }): Promise<Subscription | undefined> {
		const { data } = z
			.object({ data: z.array(subscriptionSchema) })
			.parse(await (await relay.api('GET', '/v1/subscriptions')).json());
		return data.find(({ reference }) => reference?.includes(`/${id}/`) && reference.endsWith('/test') === test);
	}

	return {
		id,
		content,
		activate: async () => {
			await n8n.call('POST', `/workflows/${id}/activate`);
		},
		deactivate: async () => {
			await n8n.call('POST', `/workflows/${id}/deactivate`);
		},
		async publish({ parameters, outputs }) {
			const nodes = z.array(z.looseObject({ name: z.string() })).parse(saved.nodes);
			const changed = nodes.map((node) => (node.name === TRIGGER && parameters ? { ...node, parameters } : node));
			const trigger = changed.find(({ name }) => name === TRIGGER);
			if (!trigger) throw new Error('The workflow has no trigger of ours');
			saved = { ...saved, nodes: changed, ...(outputs && triggerWith(trigger, outputs)) };
			await n8n.call('PUT', `/workflows/${id}`, saved);
		},
		executions: async () => await read(),
		latest: async () => (await readPage(10, undefined)).executions,
		subscription,
		async settled(relay) {
			await eventually(
				'the relay to deliver everything',
				async () => {
					const { health } = (await subscription(relay)) ?? {};
					if (health && health.failed > 0) throw new Error(`${health.failed} deliveries failed`);
					return health?.pending === 0 ? true : undefined;
				},
				PATIENCE_MS,
			);
			await eventually(
				'all executions to end',
				async () => {
					// The list of all executions leaves out those that run. In queue mode, they are new before they run.
					for (const status of ['new', 'running']) {
						const query = `workflowId=${id}&status=${status}&limit=1`;
						if (page.parse(await n8n.call('GET', `/executions?${query}`)).data.length > 0) return undefined;
					}
					return true;
				},
				PATIENCE_MS,
			);
			return (await read()).filter(({ mode }) => mode === 'webhook');
		},
	};
}

/** How often each event started an execution. */
export function startsPerEvent(executions: readonly EventExecution[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const event of executions.flatMap(({ events }) => events)) counts.set(event, (counts.get(event) ?? 0) + 1);
	return counts;
}

/** Posts receipts at a steady rate, each of another message. */
export interface SteadyReceipts {
	/** IDs of the events that the relay acknowledged so far. */
	readonly acknowledged: () => string[];
	/** Ends after the requests in flight. */
	readonly stop: () => Promise<string[]>;
}

const acknowledgement = z.object({ id: z.string(), duplicate: z.literal(false) });

/** A delivery receipt of a message that no other one has. */
export function nextReceipt(): object {
	return receipt(`msg_${randomUUID()}`, 'delivered');
}

/** Posts one receipt. @returns the ID of its event; undefined if the relay did not acknowledge it */
export async function postReceipt(relay: Relay): Promise<string | undefined> {
	try {
		const response = await relay.post(nextReceipt());
		return response.ok ? acknowledgement.parse(await response.json()).id : undefined;
	} catch (error) {
		// The relay was killed.
		if (error instanceof TypeError) return undefined;
		throw error;
	}
}

/** Posts receipts until it is stopped. */
export function postSteadily(relay: Relay, perSecond: number): SteadyReceipts {
	const acknowledged: string[] = [];
	const inFlight = new Set<Promise<void>>();
	const timer = setInterval(() => {
		const one = postReceipt(relay).then((id) => {
			if (id !== undefined) acknowledged.push(id);
		});
		inFlight.add(one);
		void one.finally(() => inFlight.delete(one));
	}, 1_000 / perSecond);
	return {
		acknowledged: () => [...acknowledged],
		async stop() {
			clearInterval(timer);
			await Promise.all(inFlight);
			return [...acknowledged];
		},
	};
}
