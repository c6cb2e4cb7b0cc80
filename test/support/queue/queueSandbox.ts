import { z } from 'zod/v4';
import { sandboxControl } from '../sandboxControl';
import { readSetup } from './queueSetup';

const message = z.looseObject({ message_id: z.string(), to: z.string(), message: z.string(), cost: z.number() });
const batches = z.array(z.object({ total: z.int(), made: z.int() }));

/** An accepted message of the sandbox. */
export type SandboxMessage = z.output<typeof message>;

/** Most messages in one response of the sandbox. */
const PAGE = 1000;

/** The sandbox of the n8n that `npm run test:queue` starts. */
export function queueSandbox() {
	const { sandboxUrl } = readSetup();
	const control = sandboxControl({ url: sandboxUrl });
	async function request(method: string, path: string, body?: object): Promise<Response> {
		const response = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			body: body ? JSON.stringify(body) : null,
		});
		if (!response.ok) throw new Error(`The sandbox responded to ${method} ${path} with ${response.status}`);
		return response;
	}
	async function ask(method: string, path: string, body?: object): Promise<unknown> {
		return await (await request(method, path, body)).json();
	}
	const matching = (text: string) => `messages?contains=${encodeURIComponent(text)}`;
	async function messagesFrom(text: string, offset: number): Promise<SandboxMessage[]> {
		const found = z.array(message).parse(await ask('GET', `${matching(text)}&limit=${PAGE}&offset=${offset}`));
		return found.length < PAGE ? found : [...found, ...(await messagesFrom(text, offset + PAGE))];
	}
	return {
		...control,
		/** Accepted messages that contain this text, newest first. */
		messagesWith: async (text: string) => await messagesFrom(text, 0),
		/** The number of accepted messages that contain this text. */
		countWith: async (text: string) =>
			Number((await request('GET', `${matching(text)}&limit=1`)).headers.get('x-total-count')),
		/** Whether all accepted bulk sends have become messages. */
		hasMadeAll: async () => batches.parse(await ask('GET', 'batches')).every(({ total, made }) => made === total),
		clearFaults: async () => await ask('DELETE', 'faults'),
		/** Sends a message from a simulated phone. */
		text: async (from: string, to: string, text: string) =>
			await ask('POST', `phones/${encodeURIComponent(from)}/texts`, { to, message: text }),
	};
}
