import { z } from 'zod/v4';

/** A client of n8n's MCP Server Trigger (Streamable HTTP). */
export interface McpClient {
	/** Calls a tool. @returns the text of its result */
	call(tool: string, args: object): Promise<string>;
}

const PROTOCOL = '2025-06-18';

const reply = z.object({
	result: z.object({ content: z.array(z.object({ text: z.string() })).optional() }).optional(),
	error: z.object({ message: z.string() }).optional(),
});

/**
 * Opens a session.
 * @param url of the trigger
 */
export async function connectMcp(url: string): Promise<McpClient> {
	let session: string | undefined;
	let id = 0;

	async function post(method: string, params: object, isRequest = true): Promise<z.output<typeof reply> | undefined> {
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				accept: 'application/json, text/event-stream',
				...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': PROTOCOL }),
			},
			body: JSON.stringify({ jsonrpc: '2.0', method, params, ...(isRequest && { id: (id += 1) }) }),
		});
		session = response.headers.get('mcp-session-id') ?? session;
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n responded to ${method} with ${response.status}: ${text}`);
		if (!isRequest) return undefined;
		// The response is JSON, or a stream with one event.
		const json = /^data: (.*)$/m.exec(text)?.[1] ?? text;
		return reply.parse(JSON.parse(json));
	}

	const clientInfo = { name: 'test', version: '1' };
	await post('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
	await post('notifications/initialized', {}, false);
	return {
		async call(name, args) {
			const { result, error } = (await post('tools/call', { name, arguments: args })) ?? {};
			const text = result?.content?.[0]?.text;
			if (text === undefined) throw new Error(`The tool ${name} returned ${error?.message ?? 'no text'}`);
			return text;
		},
	};
}
