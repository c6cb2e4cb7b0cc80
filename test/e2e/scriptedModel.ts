import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

interface Completion {
	readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>;
	readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string; readonly parameters: unknown } }>;
}

/** A language model that follows a script instead of thinking, behind the address of an OpenAI-compatible service. */
export interface ScriptedModel {
	/** Base URL for a credential. */
	readonly url: string;
	/** What it was asked, oldest first. */
	readonly asked: readonly Completion[];
	stop(): Promise<void>;
}

/**
 * Starts the model. Each new conversation makes it call the first tool that it is offered, with these arguments; once
 * it is told what became of that, it answers with it.
 */
export async function startScriptedModel(toolArguments: object): Promise<ScriptedModel> {
	const asked: Completion[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const completion = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Completion;
			asked.push(completion);
			response.setHeader('content-type', 'application/json');
			response.end(JSON.stringify(complete(completion, toolArguments, asked.length)));
		});
	});
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/v1`,
		asked,
		stop: async () => {
			server.closeAllConnections();
			await once(server.close(), 'close');
		},
	};
}

function complete({ messages, tools = [] }: Completion, toolArguments: object, number: number): object {
	const told = messages.findLast(({ role }) => role === 'tool');
	const call = {
		id: `call_${number}`,
		type: 'function',
		function: { name: tools[0]?.function.name, arguments: JSON.stringify(toolArguments) },
	};
	const message = told
		? { role: 'assistant', content: `Done: ${JSON.stringify(told.content)}` }
		: { role: 'assistant', content: null, tool_calls: [call] };
	return {
		id: `completion_${number}`,
		object: 'chat.completion',
		created: 0,
		model: 'scripted',
		choices: [{ index: 0, message, finish_reason: told ? 'stop' : 'tool_calls' }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}
