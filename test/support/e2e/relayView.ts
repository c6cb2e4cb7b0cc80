import { z } from 'zod/v4';
import { eventually } from '../eventually';
import type { Ready } from './demo';

const subscription = z.object({
	id: z.string(),
	url: z.string(),
	kind: z.string(),
	state: z.string(),
	reference: z.string().nullable(),
	health: z.object({ pending: z.number() }),
});

/** A subscription of the demo's relay. */
export type RelaySubscription = z.output<typeof subscription>;

/** The relay of a demo, as its admin sees it. */
export interface RelayView {
	/** Calls the API. Throws unless the response is a 2xx. */
	call(method: string, path: string, body?: object): Promise<unknown>;
	subscriptions(): Promise<RelaySubscription[]>;
	/** Waits for the active subscription of a workflow. */
	subscriptionOf(workflowId: string): Promise<RelaySubscription>;
}

/** Opens the relay of a demo. */
export function openRelayView({ relayUrl, relayToken }: Pick<Ready, 'relayUrl' | 'relayToken'>): RelayView {
	async function call(method: string, path: string, body?: object): Promise<unknown> {
		const response = await fetch(`${relayUrl}/v1${path}`, {
			method,
			headers: { authorization: `Bearer ${relayToken}`, 'content-type': 'application/json' },
			...(body && { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`The relay responded to ${method} ${path} with ${response.status}: ${text}`);
		return text === '' ? undefined : JSON.parse(text);
	}
	const subscriptions = async () =>
		z.object({ data: z.array(subscription) }).parse(await call('GET', '/subscriptions')).data;
	return {
		call,
		subscriptions,
		subscriptionOf: async (workflowId) =>
			await eventually(`the subscription of the workflow ${workflowId}`, async () => {
				const all = await subscriptions();
				return all.find(({ reference, state }) => reference?.includes(`/${workflowId}/`) && state === 'active');
			}),
	};
}
