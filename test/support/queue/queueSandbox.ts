import { z } from 'zod/v4';
import { sandboxControl } from '../sandboxControl';
import { readSetup } from './queueSetup';

const message = z.looseObject({ to: z.string(), message: z.string() });

/** The sandbox of the n8n that `npm run test:queue` starts. */
export function queueSandbox() {
	const { sandboxUrl } = readSetup();
	const control = sandboxControl({ url: sandboxUrl });
	async function ask(method: string, path: string, body?: object): Promise<unknown> {
		const response = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			body: body ? JSON.stringify(body) : null,
		});
		if (!response.ok) throw new Error(`The sandbox responded to ${method} ${path} with ${response.status}`);
		return await response.json();
	}
	return {
		...control,
		/** Accepted messages that contain this text. */
		messagesWith: async (text: string) =>
			z.array(message).parse(await ask('GET', `messages?contains=${encodeURIComponent(text)}`)),
		clearFaults: async () => await ask('DELETE', 'faults'),
		/** Sends a message from a simulated phone. */
		text: async (from: string, to: string, text: string) =>
			await ask('POST', `phones/${encodeURIComponent(from)}/texts`, { to, message: text }),
	};
}
