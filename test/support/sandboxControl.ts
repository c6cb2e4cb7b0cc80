import { z } from 'zod/v4';
import type { Sandbox } from '../../sandbox/server';

const message = z.looseObject({
	message_id: z.string(),
	to: z.string(),
	sender_id: z.string(),
	message: z.string(),
	priority: z.boolean(),
	status: z.string(),
});
const contacts = z.array(z.object({ id: z.string() }));
const wallet = z.looseObject({ balance: z.number(), transactions: z.array(z.looseObject({ amount: z.number() })) });
const request = z.looseObject({ endpoint: z.string().nullish(), status: z.number().nullish() });

/** Most messages in one response of the sandbox. */
const PAGE = 1000;

/** The control routes of a sandbox, for tests. */
export function sandboxControl(sandbox: Pick<Sandbox, 'url'>) {
	const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
		const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
			method,
			...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
		});
		if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
		return await response.json();
	};
	async function messagesFrom(offset: number): Promise<Array<z.output<typeof message>>> {
		const page = z.array(message).parse(await ask('GET', `messages?limit=${PAGE}&offset=${offset}`));
		return page.length < PAGE ? page : [...page, ...(await messagesFrom(offset + PAGE))];
	}
	return {
		/** Calls any other control route and returns its JSON. */
		ask,
		/** All accepted messages, newest first. */
		messages: async () => await messagesFrom(0),
		wallet: async () => wallet.parse(await ask('GET', 'wallet')),
		/** Removes all money from the wallet. */
		emptyWallet: async () => {
			const { balance } = wallet.parse(await ask('GET', 'wallet'));
			await ask('POST', 'wallet/adjust', { amount: -balance });
		},
		/** All requests to the API. */
		requests: async () => z.array(request).parse(await ask('GET', 'requests')),
		/** Adds a fault for the next requests to an endpoint. */
		fault: async (fault: Record<string, unknown>) => await ask('POST', 'faults', fault),
		settings: async (change: Record<string, unknown>) => await ask('PUT', 'settings', change),
		/** Adds money to the wallet, in wallet currency. */
		adjustWallet: async (amount: number) => await ask('POST', 'wallet/adjust', { amount }),
		advanceClock: async (milliseconds: number) => await ask('POST', 'clock/advance', { milliseconds }),
		/** Acts as the payer on the hosted checkout: `pay`, `decline`, `leave` or `approve`. */
		checkOut: async (reference: string, action: string, method = 'card') =>
			await ask('POST', `top-ups/${reference}/checkout`, { action, method }),
		/** Removes the contacts of a new sandbox, for tests that count their own. */
		removeContacts: async () => {
			for (const { id } of contacts.parse(await ask('GET', 'contacts'))) await ask('DELETE', `contacts/${id}`);
		},
		reset: async () => await ask('POST', 'reset'),
	};
}
